package dev.carillon.worker.action;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RetryAfterTest {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");

  @Test
  void secondsAndDatesAreUnderstood() {
    assertThat(RetryAfter.read(" 120 ", NOW)).contains(Duration.ofMinutes(2));
    assertThat(RetryAfter.read("Mon, 04 Jan 2027 08:00:30 GMT", NOW))
        .contains(Duration.ofSeconds(30));
    assertThat(RetryAfter.read("Mon, 04 Jan 2027 07:00:00 GMT", NOW)).contains(Duration.ZERO);
    assertThat(RetryAfter.read("99999999999999999999", NOW)).contains(Duration.ofDays(365));
  }

  @Test
  void anythingElseIsNot() {
    for (String value : List.of("", "soon", "-5", "1.5", "2027-01-04T08:00:30Z", "٣")) {
      assertThat(RetryAfter.read(value, NOW)).as(value).isEmpty();
    }
  }
}
