package dev.carillon.definition;

import static dev.carillon.task.Tasks.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.definition.DefinitionEdit.Edited;
import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import dev.carillon.task.RetryPolicy;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DefinitionEditTest {

  private static final TaskDefinition MINUTELY = Tasks.every(Duration.ofMinutes(1), 3);

  private static Edited edit(Map<String, Object> patch, Instant now) {
    return new DefinitionEdit(patch).applyTo(MINUTELY, now);
  }

  private static TaskDefinition definition(Map<String, Object> fields) {
    return DefinitionReader.readNew(Form.of(fields), NOW).orElseThrow();
  }

  private static TaskDefinition edited(
      TaskDefinition definition, Map<String, Object> patch, Instant now) {
    return new DefinitionEdit(patch).applyTo(definition, now).definition().orElseThrow();
  }

  @Test
  void whatIsGivenReplacesAndTheRestStays() {
    TaskDefinition edited =
        edit(Map.of("name", "other", "retry", Map.of("maxAttempts", 7)), NOW)
            .definition()
            .orElseThrow();

    assertThat(edited.name()).isEqualTo("other");
    assertThat(edited.retry().maxAttempts()).isEqualTo(7);
    assertThat(edited.retry().initialDelay()).isEqualTo(RetryPolicy.DEFAULT.initialDelay());
    assertThat(edited.schedule()).isEqualTo(MINUTELY.schedule());
  }

  @Test
  void nullRemovesAndSoOneKindOfScheduleBecomesAnother() {
    Map<String, Object> patch = new HashMap<>();
    patch.put("interval", null);
    patch.put("startTime", null);
    patch.put("cron", "0 9 * * *");
    TaskDefinition edited = edit(patch, NOW).definition().orElseThrow();

    assertThat(edited.schedule().next(NOW)).contains(Instant.parse("2027-01-04T09:00:00Z"));
    assertThat(edited.schedule().maxRuns().orElseThrow()).isEqualTo(3);
  }

  @Test
  void pausedIsNoPartOfTheDefinition() {
    Edited edited = edit(Map.of("paused", true), NOW);
    assertThat(edited.paused()).contains(true);
    assertThat(edited.definition()).contains(MINUTELY);
    assertThat(edit(Map.of(), NOW).paused()).isEmpty();
  }

  @Test
  void everythingWrongIsTold() {
    Map<String, Object> patch = new HashMap<>();
    patch.put("name", "");
    patch.put("interval", 0);
    patch.put("paused", "yes");
    patch.put("typo", 1);
    Edited edited = edit(patch, NOW);

    assertThat(edited.definition()).isEmpty();
    assertThat(edited.problems())
        .extracting(Problem::field)
        .containsExactlyInAnyOrder("name", "interval", "paused", "typo");
    patch.clear();
    patch.put("paused", null);
    assertThat(edit(patch, NOW).problems()).extracting(Problem::field).isEqualTo(List.of("paused"));
  }

  @Test
  void aScheduleThatIsOverIsNoMatterAsLongAsItIsNotTouched() {
    Instant afterwards = NOW.plus(Duration.ofDays(1));
    Map<String, Object> endsToday = Map.of("endTime", NOW.plusSeconds(600).toString());

    assertThat(edit(Map.of("name", "other"), afterwards).definition()).isPresent();
    assertThat(edit(endsToday, afterwards).problems())
        .extracting(Problem::field)
        .containsExactly("endTime");
  }

  /** A start that was reckoned from the moment of creation is reckoned anew. */
  @Test
  void anotherIntervalBeginsAtAStartOfItsOwn() {
    TaskDefinition hourly = definition(Map.of("name", "x", "interval", "PT1H"));

    TaskDefinition quick = edited(hourly, Map.of("interval", "PT10S"), NOW.plusSeconds(60));
    assertThat(quick.schedule().next(NOW)).contains(NOW.plusSeconds(70));
    TaskDefinition again = edited(quick, Map.of("interval", "PT20S"), NOW.plusSeconds(100));
    assertThat(again.schedule().next(NOW)).contains(NOW.plusSeconds(120));
    TaskDefinition once = edited(hourly, Map.of("delay", "PT10S"), NOW.plusSeconds(60));
    assertThat(once.schedule().next(NOW)).contains(NOW.plusSeconds(70));
  }

  @Test
  void whatIsNoOtherKindLeavesTheStart() {
    TaskDefinition hourly = definition(Map.of("name", "x", "interval", "PT1H"));
    Instant start = NOW.plusSeconds(3_600);
    Instant later = NOW.plusSeconds(60);

    for (Map<String, Object> patch :
        List.<Map<String, Object>>of(
            Map.of("maxRuns", 5), Map.of("name", "y"), Map.of("interval", "PT1H"))) {
      TaskDefinition edited = edited(hourly, patch, later);
      assertThat(edited.schedule().next(NOW)).contains(start);
      assertThat(edited.schedule().startIsDefault()).isTrue();
    }
    assertThat(edited(hourly, Map.of("name", "y"), later).schedule()).isEqualTo(hourly.schedule());
    TaskDefinition given =
        definition(Map.of("name", "x", "interval", "PT1H", "startTime", start.toString()));
    assertThat(edited(given, Map.of("interval", "PT10S"), later).schedule().next(NOW))
        .contains(start);
  }

  @Test
  void anotherKindTakesThePlaceOfTheOneThereWas() {
    TaskDefinition delayed = definition(Map.of("name", "x", "delay", "PT1H"));

    TaskDefinition sooner = edited(delayed, Map.of("delay", "PT10S"), NOW);
    assertThat(sooner.schedule().next(NOW)).contains(NOW.plusSeconds(10));
    TaskDefinition recurring = edited(delayed, Map.of("cron", "0 * * * *"), NOW);
    assertThat(recurring.schedule().toUserForm()).containsKey("cron").doesNotContainKey("at");
    DefinitionEdit both = new DefinitionEdit(Map.of("cron", "0 * * * *", "interval", 5));
    assertThat(both.applyTo(delayed, NOW).problems()).isNotEmpty();
  }
}
