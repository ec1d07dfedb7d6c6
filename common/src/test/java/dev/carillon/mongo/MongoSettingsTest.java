package dev.carillon.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MongoSettingsTest {

  @Test
  void takesTheDatabaseFromThePathOfTheUri() {
    assertThat(MongoSettings.of("mongodb://a,b/carillon?retryWrites=false", "x").database())
        .isEqualTo("carillon");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mongodb://localhost", "mongodb://localhost/", "mongodb://h/?w=1"})
  void aUriWithoutADatabaseIsRefused(String uri) {
    assertThatThrownBy(() -> MongoSettings.of(uri, "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must name a database in its path");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "localhost", "http://localhost/x", "mongodb:///x"})
  void whatIsNoUriIsRefused(String uri) {
    assertThatThrownBy(() -> MongoSettings.of(uri, "x"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void timesOutOfRangeAreRefused() {
    Duration second = Duration.ofSeconds(1);
    assertRefused(Duration.ZERO, second);
    assertRefused(second.negated(), second);
    assertRefused(second, Duration.ofMillis(999));
    assertRefused(second, Duration.ofSeconds(1L + Integer.MAX_VALUE));
  }

  private static void assertRefused(Duration timeout, Duration retention) {
    assertThatThrownBy(() -> new MongoSettings("mongodb://h/x", "x", timeout, retention))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void keepsThePasswordToItself() {
    MongoSettings settings = MongoSettings.of("mongodb://user:secret@h:1/x", "app");

    assertThat(settings.toString()).contains("h:1", "database=x").doesNotContain("secret");
    assertThatThrownBy(() -> MongoSettings.of("mongodb://user:secret@h:1", "app"))
        .hasMessageNotContaining("secret");
  }
}
