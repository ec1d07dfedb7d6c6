package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.rabbit.PendingShape.Mode;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import dev.carillon.task.Parking.Arming;
import dev.carillon.task.Parking.Place;
import dev.carillon.task.Parking.Place.InQueue;
import dev.carillon.task.Parking.Place.InStore;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PendingPlacesTest {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00.250Z");
  private static final Duration DAY = Duration.ofHours(24);
  private static final int BUDGET = 3;

  private final Topology topology = new Topology("carillon", QueueType.QUORUM, Optional.empty());
  private final OwnQueueBudget budget = new OwnQueueBudget(1_000, BUDGET, true);

  private PendingPlaces places(Mode mode, Duration horizon) {
    PendingShape shape = PendingShape.DEFAULT.withMode(mode);
    return new PendingPlaces(topology, shape, horizon, budget);
  }

  private static Arming dueIn(Duration time) {
    return new Arming(new TaskId("01hzy3v7k2m4n6p8r9s0t1v2w3"), 4, 1, NOW.plus(time), 9);
  }

  private void useUpTheBudget() {
    for (int i = 0; i < BUDGET; i++) {
      assertThat(budget.take(NOW)).isTrue();
    }
  }

  private static void assertOwn(Place place) {
    assertThat(place)
        .isInstanceOfSatisfying(
            InQueue.class,
            queue -> {
              assertThat(queue.isOwn()).isTrue();
              assertThat(queue.name()).startsWith("carillon.pending.");
            });
  }

  private static InQueue slot(int second) {
    return new InQueue("carillon.wheel.64x1000." + second, false);
  }

  /** 08:00:00 is second 1799049600, which is slot 0. */
  @Test
  void theWheelTakesWhatIsLessThanOneTurnAway() {
    PendingPlaces places = places(Mode.WHEEL, DAY);

    assertThat(places.placeFor(dueIn(Duration.ofSeconds(20)), NOW)).isEqualTo(slot(20));
    assertThat(places.placeFor(dueIn(Duration.ofSeconds(63)), NOW)).isEqualTo(slot(63));
    assertThat(places.placeFor(dueIn(Duration.ofMillis(63_750)), NOW))
        .isEqualTo(new InStore(Instant.parse("2027-01-04T08:00:01Z")));
    assertThat(places.placeFor(dueIn(DAY), NOW)).isInstanceOf(InStore.class);
  }

  @Test
  void ownQueuesAreUsedUpToTheHorizon() {
    PendingPlaces places = places(Mode.OWN, DAY);
    useUpTheBudget();

    assertOwn(places.placeFor(dueIn(Duration.ofSeconds(20)), NOW));
    assertOwn(places.placeFor(dueIn(DAY), NOW));
    assertThat(places.placeFor(dueIn(DAY.plusSeconds(5)), NOW))
        .isEqualTo(new InStore(NOW.plusSeconds(5)));
  }

  @Test
  void ownQueuesAreUsedWhileTheBudgetLasts() {
    PendingPlaces places = places(Mode.AUTO, DAY);
    for (int i = 0; i < BUDGET; i++) {
      assertOwn(places.placeFor(dueIn(Duration.ofSeconds(20)), NOW));
    }

    assertThat(places.placeFor(dueIn(Duration.ofSeconds(20)), NOW)).isEqualTo(slot(20));
    assertOwn(places.placeFor(dueIn(Duration.ofSeconds(20)), NOW.plusSeconds(1)));
  }

  @Test
  void whatIsWithinTheHorizonAndOutOfBudgetWaitsInTheStoreForTheWheel() {
    PendingPlaces places = places(Mode.AUTO, DAY);
    useUpTheBudget();

    assertThat(places.placeFor(dueIn(Duration.ofHours(1)), NOW))
        .isEqualTo(new InStore(Instant.parse("2027-01-04T08:58:57Z")));
  }

  @Test
  void whatIsBeyondTheHorizonCostsNoBudget() {
    PendingPlaces places = places(Mode.AUTO, DAY);

    for (int i = 0; i < 10; i++) {
      assertThat(places.placeFor(dueIn(DAY.plusSeconds(5)), NOW))
          .isEqualTo(new InStore(NOW.plusSeconds(5)));
    }

    useUpTheBudget();
  }

  @Test
  void whatIsDueNeedsNoQueueAndCostsNoBudget() {
    PendingPlaces places = places(Mode.AUTO, DAY);

    for (int i = 0; i < 10; i++) {
      assertThat(places.placeFor(dueIn(Duration.ZERO), NOW)).isEqualTo(slotOf(Duration.ZERO));
    }

    useUpTheBudget();
  }

  private static InQueue slotOf(Duration in) {
    String slot = PendingShape.DEFAULT.wheel().slotOf(NOW.plus(in));
    return new InQueue("carillon.wheel." + slot, false);
  }

  @Test
  void aHorizonThatIsShorterThanATurnLeavesTheRestToTheWheel() {
    PendingPlaces places = places(Mode.AUTO, Duration.ofSeconds(10));

    assertThat(places.placeFor(dueIn(Duration.ofSeconds(20)), NOW)).isEqualTo(slot(20));
    assertOwn(places.placeFor(dueIn(Duration.ofSeconds(9)), NOW));
  }
}
