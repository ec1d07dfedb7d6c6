package dev.carillon.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StoreClockTest {

  private static final Instant START = Instant.parse("2027-01-04T08:00:00.000999Z");

  private Duration elapsed = Duration.ZERO;
  private Duration localError = Duration.ZERO;
  private boolean storeIsAway;

  /** How long the next questions take on their way to the store and back. */
  private final Deque<List<Duration>> trips = new ArrayDeque<>();

  private final StoreClock clock =
      new StoreClock(() -> truth().plus(localError), this::askStore, () -> elapsed.toNanos());

  private Instant truth() {
    return START.plus(elapsed);
  }

  private Instant askStore() {
    if (storeIsAway) {
      throw new IllegalStateException("away");
    }
    List<Duration> trip = trips.isEmpty() ? trip(1, 1) : trips.pop();
    elapsed = elapsed.plus(trip.get(0));
    Instant answer = truth();
    elapsed = elapsed.plus(trip.get(1));
    return answer;
  }

  private static List<Duration> trip(long thereMillis, long backMillis) {
    return List.of(Duration.ofMillis(thereMillis), Duration.ofMillis(backMillis));
  }

  @Test
  void isTheLocalClockInWholeMillisecondsUntilItIsCompared() {
    localError = Duration.ofSeconds(-5);

    assertThat(clock.instant()).isEqualTo("2027-01-04T07:59:55Z");
    assertThat(clock.offset()).isZero();
  }

  @Test
  void agreesWithTheStoreAfterARefresh() {
    localError = Duration.ofSeconds(-5);

    clock.refresh();

    assertThat(clock.offset()).isEqualTo(Duration.ofSeconds(5));
    assertThat(clock.instant()).isEqualTo(START.plusMillis(10).minusNanos(999_000));
  }

  @Test
  void theShortestRoundTripCounts() {
    localError = Duration.ofSeconds(-5);
    trips.add(trip(400, 2));
    trips.add(trip(2, 2));
    trips.add(trip(1, 900));

    clock.refresh();

    assertThat(clock.offset()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aClockThatIsRightIsNotMovedByALopsidedNetwork() {
    for (int i = 0; i < 5; i++) {
      trips.add(trip(80, 0));
    }

    clock.refresh();

    assertThat(clock.offset()).isZero();
  }

  @Test
  void keepsItsCorrectionWhileTheStoreIsAway() {
    localError = Duration.ofSeconds(-5);
    clock.refresh();
    storeIsAway = true;

    assertThatThrownBy(clock::refresh).hasMessage("away");

    assertThat(clock.offset()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void standsStillRatherThanRunningBackwards() {
    localError = Duration.ofMillis(600);
    Instant before = clock.instant();

    clock.refresh();

    assertThat(clock.offset()).isEqualTo(Duration.ofMillis(-600));
    assertThat(clock.instant()).isEqualTo(before);
    elapsed = elapsed.plusMillis(600);
    assertThat(clock.instant()).isAfter(before);
  }

  @Test
  void jumpsBackWhenStandingStillWouldTakeLong() {
    localError = Duration.ofHours(1);
    Instant before = clock.instant();

    clock.refresh();

    assertThat(clock.instant()).isBefore(before.minusSeconds(3_599));
  }
}
