package dev.carillon.form;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class FormTest {

  private static Form form(String name, Object value) {
    return Form.of(Collections.singletonMap(name, value));
  }

  private static void assertRefused(Form form, String field) {
    assertThat(form.problems()).extracting(Problem::field).containsExactly(field);
  }

  @Test
  void wholeNumbersAreTakenAsTheyAreAndNothingIsConverted() {
    assertThat(form("n", 5).wholeNumber("n", 1, 10)).contains(5L);
    assertThat(form("n", BigInteger.TEN).wholeNumber("n", 1, 10)).contains(10L);
    for (Object bad :
        List.of(
            "5",
            5.0,
            new BigDecimal("5"),
            true,
            List.of(5),
            0,
            11,
            Long.MIN_VALUE,
            BigInteger.ONE.shiftLeft(70))) {
      Form form = form("n", bad);
      assertThat(form.wholeNumber("n", 1, 10)).as("%s", bad).isEmpty();
      assertRefused(form, "n");
    }
  }

  @Test
  void absentIsNoProblemAndNullIsOne() {
    Form absent = form("other", 1);
    assertThat(absent.text("n")).isEmpty();
    assertThat(absent.problems()).isEmpty();

    Form isNull = form("n", null);
    assertThat(isNull.text("n")).isEmpty();
    assertRefused(isNull, "n");
  }

  @Test
  void labelsAreVisibleAndShortWithoutControlCharacters() {
    assertThat(form("n", "søren 😀").label("n", 7)).contains("søren 😀");
    for (String bad :
        List.of("", " \t", "\u200b\u202e", "a\0b", "line\nbreak", "12345678", "\ud83d")) {
      Form form = form("n", bad);
      assertThat(form.label("n", 7)).as(bad).isEmpty();
      assertRefused(form, "n");
    }
  }

  @Test
  void halfASurrogatePairIsNoText() {
    Form form = form("n", "a\udc00b");
    assertThat(form.text("n")).isEmpty();
    assertRefused(form, "n");
  }

  @Test
  void instantsNeedAnOffsetAndAreCutToMilliseconds() {
    assertThat(form("t", "2027-01-04T09:00:00.123456789+01:00").instant("t"))
        .contains(Instant.parse("2027-01-04T08:00:00.123Z"));
    assertThat(form("t", "9999-12-31T23:59:59.999Z").instant("t")).contains(Form.LATEST);
    for (String bad :
        List.of(
            "2027-01-04T09:00:00",
            "2027-01-04",
            "now",
            "",
            "+10000-01-01T00:00:00Z",
            "2027-02-30T00:00:00Z",
            "2027-01-04T25:00:00Z",
            "0000-01-01T00:00:00Z")) {
      Form form = form("t", bad);
      assertThat(form.instant("t")).as(bad).isEmpty();
      assertRefused(form, "t");
    }
  }

  @Test
  void durationsHaveBounds() {
    Duration second = Duration.ofSeconds(1);
    Duration hour = Duration.ofHours(1);
    assertThat(form("d", "PT1H").duration("d", second, hour)).contains(hour);
    for (String bad : List.of("PT0S", "-PT5S", "PT1H0.001S", "P1M", "5", "PT99999999999999999H")) {
      Form form = form("d", bad);
      assertThat(form.duration("d", second, hour)).as(bad).isEmpty();
      assertRefused(form, "d");
    }
  }

  @Test
  void partsAddToTheSameProblemsUnderTheirPath() {
    Form form = Form.of(Map.of("retry", Map.of("maxAttempts", "three", "typo", 1)));
    Form retry = form.object("retry").orElseThrow();
    retry.wholeNumber("maxAttempts", 1, 10);
    retry.rejectUnknown();
    form.rejectUnknown();

    assertThat(form.problems())
        .extracting(Problem::field)
        .containsExactly("retry.maxAttempts", "retry.typo");
  }

  @Test
  void unknownFieldsAreNamed() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", "x");
    fields.put("nmae", "y");
    Form form = Form.of(fields);
    form.text("name");
    form.rejectUnknown();

    assertRefused(form, "nmae");
  }

  @Test
  void listsAndTextsAreChecked() {
    assertThat(form("tags", List.of("a", "b", "a")).labels("tags", 3, 5))
        .contains(List.of("a", "b"));
    assertRefused(listed(Arrays.asList("a", null)), "tags");
    assertRefused(listed(List.of("a", 1)), "tags[1]");
    assertRefused(listed(List.of("a", "b", "c", "d")), "tags");
    assertRefused(listed("a"), "tags");
    Form texts = form("m", Map.of("k", 1));
    texts.texts("m", 5, 5);
    assertRefused(texts, "m.k");
  }

  private static Form listed(Object value) {
    Form form = form("tags", value);
    form.labels("tags", 3, 5);
    return form;
  }
}
