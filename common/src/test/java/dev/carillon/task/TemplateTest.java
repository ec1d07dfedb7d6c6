package dev.carillon.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.task.Action.Body;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TemplateTest {

  private static final String NASTY = "a\"b\\c\nd/e?f&g=h i%ä{{task.id}}";

  private static final Map<String, String> VALUES =
      Map.of("task.id", "01kd", "subTask.index", "7", "metadata.x y", NASTY);

  private static String fill(String text) {
    return Template.fill(text, VALUES, Escape.NONE::apply);
  }

  @Test
  void placesAreFilledInAndTheRestStaysAsItIs() {
    assertThat(fill("{{task.id}}_{{ subTask.index }}, {not} }}one{{task.id}}"))
        .isEqualTo("01kd_7, {not} }}one01kd");
    assertThat(fill("nothing")).isEqualTo("nothing");
  }

  @Test
  void valuesAreNotLookedThroughForTemplates() {
    assertThat(fill("{{metadata.x y}}")).isEqualTo(NASTY);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{{task.id}} {{task.ID}} | has {{task.ID}} at position 13, which is not known; there are",
        "ab{{}}                  | has {{}} at position 3, which is not known; there are",
        "{{task.id               | has a {{ at position 1 without its }}",
        "{{task.id}}{{{task.id}} | has {{{task.id}} at position 12, which is not known; there are"
      })
  void whatCannotBeFilledInIsToldWithItsPosition(String text, String problem) {
    assertThat(Template.problemOf(text, VALUES).orElseThrow()).startsWith(problem);
    assertThatThrownBy(() -> fill(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(problem);
  }

  private static Action.Http filled(String url, Map<String, String> headers, Body body) {
    Action.Http action =
        new Action.Http("POST", url, headers, Optional.of(body), Duration.ofSeconds(1), false);
    return (Action.Http) ActionTexts.fill(action, VALUES);
  }

  @Test
  void inAUrlAValueStaysOnePart() {
    String url =
        filled("http://h/a/{{metadata.x y}}?q={{metadata.x y}}&r=1", Map.of(), Body.text("")).url();

    URI parsed = URI.create(url);
    assertThat(parsed.getRawPath().split("/")).hasSize(3);
    assertThat(parsed.getPath()).isEqualTo("/a/" + NASTY);
    assertThat(parsed.getRawQuery().split("&")).hasSize(2);
    assertThat(url)
        .isEqualTo(
            "http://h/a/a%22b%5Cc%0Ad%2Fe%3Ff%26g%3Dh%20i%25%C3%A4%7B%7Btask.id%7D%7D"
                + "?q=a%22b%5Cc%0Ad%2Fe%3Ff%26g%3Dh%20i%25%C3%A4%7B%7Btask.id%7D%7D&r=1");
  }

  @Test
  void inAJsonBodyAValueStaysOneString() {
    String escaped = "a\\\"b\\\\c\\u000ad/e?f&g=h i%ä{{task.id}}";

    assertThat(filled("http://h", Map.of(), Body.json("{\"a\":\"<{{metadata.x y}}>\"}")).body())
        .contains(Body.json("{\"a\":\"<" + escaped + ">\"}"));
    assertThat(
            filled(
                    "http://h",
                    Map.of("content-TYPE", "application/problem+json; charset=utf-8"),
                    Body.text("{\"a\":\"{{metadata.x y}}\",\"n\":{{subTask.index}}}"))
                .body())
        .contains(Body.text("{\"a\":\"" + escaped + "\",\"n\":7}"));
  }

  @Test
  void aFormBodyIsEncodedAndOtherTextIsNot() {
    Map<String, String> form = Map.of("Content-Type", "application/x-www-form-urlencoded");
    assertThat(
            filled("http://h", form, Body.text("a={{metadata.x y}}")).body().orElseThrow().text())
        .startsWith("a=a%22b%5Cc%0Ad");
    assertThat(filled("http://h", Map.of(), Body.text("{{metadata.x y}}")).body())
        .contains(Body.text(NASTY));
  }

  @Test
  void bytesAndWhatIsVerbatimAreLeftAlone() {
    Body bytes = Body.of("{{task.id}}".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    assertThat(filled("http://h", Map.of(), bytes).body()).contains(bytes);
    Action.Amqp verbatim =
        new Action.Amqp(
            "{{e}}",
            "{{r}}",
            Map.of("h", "{{x}}"),
            Map.of(MessageProperty.TYPE, "{{t}}"),
            Optional.of(Body.text("{{b}}")),
            true);
    assertThat(ActionTexts.fill(verbatim, VALUES)).isEqualTo(verbatim);
  }

  @Test
  void allTextsOfAMessageAreFilledIn() {
    Action.Amqp message =
        new Action.Amqp(
            "e{{task.id}}",
            "r.{{task.id}}",
            Map.of(
                "h",
                "{{task.id}}",
                "l",
                List.of("{{subTask.index}}", 1, Map.of("a", "{{task.id}}"))),
            Map.of(MessageProperty.CORRELATION_ID, "c-{{task.id}}"),
            Optional.of(Body.text("{{metadata.x y}}")),
            false);

    Action.Amqp filled = (Action.Amqp) ActionTexts.fill(message, VALUES);

    assertThat(filled.exchange()).isEqualTo("e01kd");
    assertThat(filled.routingKey()).isEqualTo("r.01kd");
    assertThat(filled.headers())
        .isEqualTo(Map.of("h", "01kd", "l", List.of("7", 1, Map.of("a", "01kd"))));
    assertThat(filled.properties()).isEqualTo(Map.of(MessageProperty.CORRELATION_ID, "c-01kd"));
    assertThat(filled.body()).contains(Body.text(NASTY));
  }
}
