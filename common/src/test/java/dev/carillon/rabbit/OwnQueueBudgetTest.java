package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class OwnQueueBudgetTest {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");
  private static final Instant FAR = NOW.plus(Duration.ofHours(1));

  private int taken(OwnQueueBudget budget, int wishes, Instant now) {
    int taken = 0;
    for (int i = 0; i < wishes; i++) {
      taken += budget.take(now) ? 1 : 0;
    }
    return taken;
  }

  @Test
  void soManyAreDeclaredInASecond() {
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25);

    assertThat(taken(budget, 100, NOW)).isEqualTo(25);
    assertThat(taken(budget, 100, NOW.plusMillis(400))).isEqualTo(10);
    assertThat(taken(budget, 100, NOW.plusSeconds(60))).isEqualTo(25);
  }

  @Test
  void aClockThatIsSetBackGivesNothingAndTakesNothing() {
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25);
    taken(budget, 25, NOW);

    assertThat(taken(budget, 5, NOW.minusSeconds(60))).isZero();
    assertThat(taken(budget, 100, NOW.minusSeconds(59))).isEqualTo(25);
  }

  @Test
  void soManyAreAlive() {
    OwnQueueBudget budget = new OwnQueueBudget(2, 25);
    budget.declared("a", FAR);
    assertThat(budget.take(NOW)).isTrue();
    budget.declared("b", FAR);
    assertThat(budget.take(NOW)).isFalse();

    budget.removed("a");
    budget.removed("unknown");

    assertThat(budget.aliveAt(NOW)).isEqualTo(1);
    assertThat(budget.take(NOW)).isTrue();
  }

  @Test
  void declaringAgainCountsOnce() {
    OwnQueueBudget budget = new OwnQueueBudget(2, 25);
    budget.declared("a", FAR);
    budget.declared("a", FAR.plusSeconds(1));

    assertThat(budget.aliveAt(NOW)).isEqualTo(1);
  }

  @Test
  void aQueueThatWorkersHaveRemovedDoesNotCountForLong() {
    OwnQueueBudget budget = new OwnQueueBudget(1, 25);
    budget.declared("a", FAR);

    assertThat(budget.take(FAR.plus(OwnQueueBudget.REMOVAL))).isFalse();
    assertThat(budget.take(FAR.plus(OwnQueueBudget.REMOVAL).plusMillis(1))).isTrue();
  }

  @Test
  void nothingOfNothingCanBeTaken() {
    assertThat(new OwnQueueBudget(0, 25).take(NOW)).isFalse();
    assertThat(new OwnQueueBudget(25, 0).take(NOW)).isFalse();
  }
}
