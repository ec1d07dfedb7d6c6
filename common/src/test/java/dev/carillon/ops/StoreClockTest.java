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

  private static final Duration LIMIT = Duration.ofSeconds(5);

  private Duration elapsed = Duration.ZERO;
  private Duration localError = Duration.ZERO;
  private boolean storeIsAway;

  /** How long the next questions take on their way to the store and back. */
  private final Deque<List<Duration>> trips = new ArrayDeque<>();

  private final StoreClock clock =
      new StoreClock(
          () -> truth().plus(localError), this::askStore, LIMIT, () -> elapsed.toNanos());

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

  @Test
  void whoeverSetsTheLocalClockDoesNotMoveThisOne() {
    localError = Duration.ofMinutes(-3);
    clock.refresh();
    Instant before = clock.instant();

    localError = Duration.ofHours(2);
    elapsed = elapsed.plusMillis(7);

    assertThat(clock.instant()).isEqualTo(before.plusMillis(7));
    assertThat(clock.offset()).isEqualTo(Duration.ofHours(-2));
  }

  @Test
  void isNotReliableBeforeItIsComparedAndSaysSo() {
    assertThat(clock.isReliable()).isFalse();
    assertThat(clock.state().isUp()).isFalse();
    assertThat(clock.state().detail()).contains("not compared", "nothing is armed", "MongoDB");
    assertThatThrownBy(() -> clock.whileReliable().instant())
        .isInstanceOf(UnreliableClockException.class)
        .hasMessageContaining("not compared");

    clock.refresh();

    assertThat(clock.isReliable()).isTrue();
    assertThat(clock.whileReliable().instant()).isEqualTo(clock.instant());
  }

  @Test
  void howeverWrongTheLocalClockIsItIsReliableOnceCorrected() {
    localError = Duration.ofMinutes(10);

    clock.refresh();

    assertThat(clock.isReliable()).isTrue();
    assertThat(clock.state())
        .isEqualTo(
            HealthState.up(
                "may be off by 0.002 s, limit 5.000 s (CLOCK_LIMIT); compared 0.008 s ago, to"
                    + " within 0.002 s; the local clock is corrected by -600.000 s"));
  }

  @Test
  void answersTooSlowToTellMakeItUnreliable() {
    for (int i = 0; i < 5; i++) {
      trips.add(trip(1_000, 9_100));
    }
    clock.refresh();

    assertThat(clock.isReliable()).isFalse();
    assertThat(clock.state().detail()).contains("to within 9.1", "MongoDB quick to answer");
    clock.refresh();
    assertThat(clock.isReliable()).as("the next answers are quick").isTrue();
  }

  @Test
  void aLongTimeWithoutComparisonMakesItUnreliable() {
    clock.refresh();

    elapsed = elapsed.plus(LIMIT.multipliedBy(990));
    assertThat(clock.isReliable()).isTrue();
    elapsed = elapsed.plus(LIMIT.multipliedBy(10));

    assertThat(clock.isReliable()).isFalse();
    assertThat(clock.state().detail()).contains("compared 5000.0");
  }

  @Test
  void aLocalClockThatIsSetMakesItUnreliableUntilTheNextComparison() {
    clock.refresh();

    localError = LIMIT.minusMillis(100);
    assertThat(clock.isReliable()).isTrue();
    localError = LIMIT.negated();

    assertThat(clock.isReliable()).isFalse();
    assertThat(clock.state().detail()).contains("local clock set by 5.000 s", "suspended");
    clock.refresh();
    assertThat(clock.isReliable()).isTrue();
  }

  @Test
  void aSuspendedMachineIsNoticedAndPutRight() {
    clock.refresh();
    Duration sleep = Duration.ofMinutes(20);
    // time has gone on for all others; the counter has stood still
    StoreClock suspended =
        new StoreClock(
            () -> truth().plus(localError),
            () -> askStore().plus(localError),
            LIMIT,
            () -> elapsed.toNanos());
    suspended.refresh();
    Instant before = suspended.instant();

    localError = sleep;

    assertThat(suspended.isReliable()).isFalse();
    assertThat(suspended.instant()).as("behind, so never early").isEqualTo(before);
    suspended.refresh();
    assertThat(suspended.isReliable()).isTrue();
    assertThat(suspended.instant()).isAfterOrEqualTo(before.plus(sleep));
  }
}
