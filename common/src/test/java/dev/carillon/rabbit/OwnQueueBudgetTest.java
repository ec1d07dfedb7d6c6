package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
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
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25, true);

    assertThat(taken(budget, 100, NOW)).isEqualTo(25);
    assertThat(taken(budget, 100, NOW.plusMillis(400))).isEqualTo(10);
    assertThat(taken(budget, 100, NOW.plusSeconds(60))).isEqualTo(25);
  }

  @Test
  void aClockThatIsSetBackGivesNothingAndTakesNothing() {
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25, true);
    taken(budget, 25, NOW);

    assertThat(taken(budget, 5, NOW.minusSeconds(60))).isZero();
    assertThat(taken(budget, 100, NOW.minusSeconds(59))).isEqualTo(25);
  }

  @Test
  void soManyAreAlive() {
    OwnQueueBudget budget = new OwnQueueBudget(2, 25, true);
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
    OwnQueueBudget budget = new OwnQueueBudget(2, 25, true);
    budget.declared("a", FAR);
    budget.declared("a", FAR.plusSeconds(1));

    assertThat(budget.aliveAt(NOW)).isEqualTo(1);
  }

  @Test
  void aQueueThatWorkersHaveRemovedDoesNotCountForLong() {
    OwnQueueBudget budget = new OwnQueueBudget(1, 25, true);
    budget.declared("a", FAR);

    assertThat(budget.take(FAR.plus(OwnQueueBudget.REMOVAL))).isFalse();
    assertThat(budget.take(FAR.plus(OwnQueueBudget.REMOVAL).plusMillis(1))).isTrue();
  }

  @Test
  void nothingOfNothingCanBeTaken() {
    assertThat(new OwnQueueBudget(0, 25, true).take(NOW)).isFalse();
    assertThat(new OwnQueueBudget(25, 0, true).take(NOW)).isFalse();
  }

  private static int reportedOf(OwnQueueBudget budget, Instant now) {
    return budget.report(now, Duration.ofHours(24)).values().stream().mapToInt(n -> n).sum();
  }

  /** Or else a process that dies at once would have declared queues that nobody knows of. */
  @Test
  void nothingIsDeclaredThatIsNotOnRecord() {
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25, false);
    assertThat(budget.take(NOW)).isFalse();

    assertThat(reportedOf(budget, NOW)).isEqualTo(OwnQueueBudget.LEAST_ALLOWANCE);
    assertThat(budget.take(NOW)).isFalse();
    budget.reported(0);

    assertThat(taken(budget, 100, NOW)).isEqualTo(OwnQueueBudget.LEAST_ALLOWANCE);
  }

  @Test
  void moreIsAllowedWhereMoreIsNeeded() {
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25, false);
    int alive = 0;
    for (int second = 0; second < 5; second++) {
      Instant now = NOW.plusSeconds(second);
      int reported = reportedOf(budget, now);
      budget.reported(0);
      for (int i = taken(budget, 100, now); i > 0; i--) {
        budget.declared("queue " + alive++, FAR);
      }
      assertThat(budget.aliveAt(now)).isEqualTo(reported);
    }
    assertThat(alive).isEqualTo(5 + 10 + 20 + 25 + 25);
  }

  @Test
  void whatIsTakenDuringAReportCountsForTheNext() {
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25, false);
    reportedOf(budget, NOW);
    budget.reported(0);
    reportedOf(budget, NOW);
    assertThat(taken(budget, 3, NOW)).isEqualTo(3);
    budget.reported(0);

    assertThat(taken(budget, 100, NOW)).isEqualTo(OwnQueueBudget.LEAST_ALLOWANCE - 3);
  }

  @Test
  void queuesOfOthersTakeUpRoom() {
    OwnQueueBudget budget = new OwnQueueBudget(10, 25, false);
    budget.declared("mine", FAR);
    reportedOf(budget, NOW);
    budget.reported(8);
    assertThat(budget.take(NOW)).isTrue();
    budget.declared("another", FAR);
    assertThat(budget.take(NOW)).isFalse();

    reportedOf(budget, NOW);
    budget.reported(5);
    assertThat(budget.take(NOW)).isTrue();
  }

  @Test
  void aFullBudgetReportsWhatThereIsAndWhenItEnds() {
    OwnQueueBudget budget = new OwnQueueBudget(2, 25, false);
    budget.declared("a", NOW.plusSeconds(60));
    budget.declared("b", FAR);

    SortedMap<Instant, Integer> report = budget.report(NOW, Duration.ofHours(24));

    assertThat(report.values()).containsExactly(1, 1);
    Instant nearest = NOW.plusSeconds(60).plus(OwnQueueBudget.REMOVAL);
    assertThat(report.firstKey()).isBetween(nearest, nearest.plusSeconds(10));
    Instant farthest = FAR.plus(OwnQueueBudget.REMOVAL);
    assertThat(report.lastKey()).isBetween(farthest, farthest.plusSeconds(3_600 / 8 + 10));
  }

  /** The room of queues that are gone must not be lost until the end of the horizon. */
  @Test
  void whatEndsSoonIsNotOnRecordForLong() {
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25, false);
    for (int i = 0; i < 500; i++) {
      budget.declared("queue " + i, NOW.plusSeconds(15 + i % 10));
    }

    SortedMap<Instant, Integer> report = budget.lastReport(NOW);

    assertThat(report.values().stream().mapToInt(n -> n).sum()).isEqualTo(500);
    assertThat(report.lastKey()).isBefore(NOW.plusSeconds(45));
    assertThat(report).as("in a few steps").hasSizeLessThan(6);
  }

  @Test
  void whoHasReportedForTheLastTimeDeclaresNothingMore() {
    OwnQueueBudget budget = new OwnQueueBudget(1_000, 25, false);
    reportedOf(budget, NOW);
    budget.reported(0);
    assertThat(budget.take(NOW)).isTrue();
    budget.declared("a", FAR);

    assertThat(budget.lastReport(NOW).values()).containsExactly(1);
    assertThat(budget.take(NOW)).isFalse();
  }

  @Test
  void whoHasNoBudgetReportsWhatThereIs() {
    OwnQueueBudget budget = new OwnQueueBudget(1, 1, true);
    for (int i = 0; i < 30; i++) {
      budget.declared("queue " + i, FAR);
    }

    assertThat(reportedOf(budget, NOW)).isEqualTo(30);
  }
}
