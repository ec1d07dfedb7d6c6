package dev.carillon.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EnvironmentTest {

  private enum Colour {
    RED,
    LIGHT_BLUE
  }

  @Test
  void whatIsNotSetHasItsDefault() {
    Environment environment = Environment.of(Map.of("PORT", "  ", "HOST", ""));

    assertThat(environment.wholeNumber("PORT", 8080, 0, 65_535, "Port")).isEqualTo(8080);
    assertThat(environment.text("HOST", "0.0.0.0", "Host")).isEqualTo("0.0.0.0");
    assertThat(environment.secret("KEY", "Key")).isEmpty();
    assertThat(environment.flag("FAST", true, "Fast")).isTrue();
    assertThat(environment.choice("COLOUR", Colour.RED, "Colour")).isEqualTo(Colour.RED);
    assertThatCode(environment::check).doesNotThrowAnyException();
  }

  @Test
  void whatIsSetIsReadWithoutTheSpaceAround() {
    Environment environment =
        Environment.of(
            Map.of(
                "PORT",
                " 81\n",
                "HOST",
                "::1",
                "KEY",
                "k",
                "FAST",
                "false",
                "COLOUR",
                "light-blue",
                "WAIT",
                "PT1.5S"));

    assertThat(environment.wholeNumber("PORT", 8080, 0, 65_535, "Port")).isEqualTo(81);
    assertThat(environment.text("HOST", "0.0.0.0", "Host")).isEqualTo("::1");
    assertThat(environment.secret("KEY", "Key")).contains("k");
    assertThat(environment.flag("FAST", true, "Fast")).isFalse();
    assertThat(environment.choice("COLOUR", Colour.RED, "Colour")).isEqualTo(Colour.LIGHT_BLUE);
    assertThat(seconds(environment)).isEqualTo(Duration.ofMillis(1500));
    assertThatCode(environment::check).doesNotThrowAnyException();
  }

  @Test
  void everyProblemIsReportedAtOnceWithWhatIsAccepted() {
    Environment environment =
        Environment.of(
            Map.of(
                "PORT",
                "65536",
                "FAST",
                "yes",
                "COLOUR",
                "GREEN",
                "WAIT",
                "30",
                "QUEUE",
                "http://me:secret@host"));
    environment.wholeNumber("PORT", 8080, 0, 65_535, "Port");
    environment.flag("FAST", true, "Fast");
    environment.choice("COLOUR", Colour.RED, "Colour");
    seconds(environment);
    environment.uri("QUEUE", "amqp://localhost", List.of("amqp", "amqps"), "Queue");
    environment.reject("LEAD", "must be shorter than HORIZON");

    ConfigurationException exception =
        catchThrowableOfType(ConfigurationException.class, environment::check);

    assertThat(exception.problems())
        .containsExactly(
            "PORT: \"65536\" is not a whole number from 0 to 65535",
            "FAST: \"yes\" is not true or false",
            "COLOUR: \"GREEN\" is not red or light-blue",
            "WAIT: \"30\" is not an ISO-8601 duration from PT1S to PT1M",
            "QUEUE: \"http://me:***@host\" is not a URI that begins with amqp:// or amqps://",
            "LEAD: must be shorter than HORIZON");
    assertThat(exception).hasMessageStartingWith("the configuration has 6 problems:\n  - PORT");
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "PT0.999S, 1",
    "PT61S, 1",
    "-PT5S, 1",
    "P1M, 1",
    "PT1S, 0",
    "pt1m, 0",
  })
  void aDurationIsIso8601AndWithinItsBounds(String given, int problems) {
    Environment environment = Environment.of(Map.of("WAIT", given));
    seconds(environment);
    if (problems == 0) {
      assertThatCode(environment::check).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(environment::check).hasMessageContaining("WAIT: \"" + given + "\"");
    }
  }

  @Test
  void effectiveValuesShowWhatIsSetAndHideSecrets() {
    Environment environment =
        Environment.of(
            Map.of("MONGODB_URI", "mongodb://u:p%40:@/s@h1,h2/db?w=1", "KEY", "hunter2"));
    environment.uri("MONGODB_URI", "mongodb://localhost/db", List.of("mongodb"), "Store");
    environment.secret("KEY", "Key");
    environment.secret("NO_KEY", "Key");
    environment.wholeNumber("PORT", 8080, 0, 65_535, "Port");

    assertThat(environment.effectiveValues())
        .isEqualTo(
            """
            * MONGODB_URI = mongodb://u:***@h1,h2/db?w=1
            * KEY         = ***
              NO_KEY      =\s
              PORT        = 8080""");
  }

  @ParameterizedTest
  @CsvSource({
    "amqp://localhost:5672, amqp://localhost:5672",
    "amqp://user@localhost, amqp://user@localhost",
    "amqp://user:pass@localhost/vhost, amqp://user:***@localhost/vhost",
    "amqp://user:a:b@c@localhost, amqp://user:***@localhost",
    "amqps://h/v?password=x&a=b, amqps://h/v?password=***&a=b",
    "mongodb://h/?tlsCertificateKeyFilePassword=x, mongodb://h/?tlsCertificateKeyFilePassword=***",
    "mongodb://h/?authMechanismProperties=AWS_SESSION_TOKEN:x, mongodb://h/?authMechanismProperties=***",
  })
  void secretsInUrisAreMasked(String uri, String masked) {
    assertThat(SecretMask.inUri(uri)).isEqualTo(masked);
  }

  @Test
  void settingsAreListedForDocumentation() {
    Environment environment = Environment.of(Map.of("WAIT", "PT2S"));
    seconds(environment);
    seconds(environment);
    environment.flag("FAST", true, "Whether it is fast");

    assertThat(environment.settings())
        .containsExactly(
            new Setting("WAIT", "an ISO-8601 duration from PT1S to PT1M", "PT5S", "How long"),
            new Setting("FAST", "true or false", "true", "Whether it is fast"));
  }

  @Test
  void oneNameCannotMeanTwoThings() {
    Environment environment = Environment.of(Map.of());
    seconds(environment);

    assertThatThrownBy(() -> environment.flag("WAIT", true, "Whether to wait"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("WAIT is declared in two ways");
  }

  private static Duration seconds(Environment environment) {
    return environment.duration(
        "WAIT", Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofMinutes(1), "How long");
  }
}
