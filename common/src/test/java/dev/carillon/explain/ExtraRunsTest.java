package dev.carillon.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.explain.Explanation.State;
import dev.carillon.explain.Explanation.WaitsFor;
import dev.carillon.task.Outcome;
import dev.carillon.task.Overlap;
import dev.carillon.task.SubTask;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.Tasks;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What somebody wanted beyond the schedule is explained, and what it does to the schedule. */
class ExtraRunsTest {

  private static final Outcome DONE = new Outcome.Succeeded();

  private final TaskHistory history = history(Overlap.WAIT);

  private static TaskHistory history(Overlap overlap) {
    TaskDefinition definition =
        Tasks.definition(Map.of("interval", "PT10S")).toBuilder().overlap(overlap).build();
    return new TaskHistory(definition);
  }

  private static Instant at(long seconds) {
    return Tasks.NOW.plusSeconds(seconds);
  }

  private Explanation explain(long at, long now) {
    return history.explain(at(at), at(now), true);
  }

  @Test
  void aTriggeredRunIsFoundByItsTime() {
    history.trigger(at(3));
    Explanation waiting = explain(3, 3);
    assertThat(waiting.state()).as(waiting.text()).isEqualTo(State.WAITING);
    assertThat(waiting.text()).startsWith("Extra run -1 (due 2027-01-04T08:00:03Z) is due since");
    assertThat(waiting.text()).doesNotContain("same instant");
    assertThat(waiting.subTask().map(SubTask::index)).hasValue(-1L);

    history.begin(at(4));
    Explanation running = explain(3, 5);
    assertThat(running.state()).isEqualTo(State.RUNNING);
    assertThat(running.nextStepAt()).hasValue(at(4).plus(TaskHistory.LEASE));

    history.complete(DONE, at(6));
    Explanation ended = explain(3, 7);
    assertThat(ended.state()).isEqualTo(State.SUCCEEDED);
    assertThat(ended.text()).startsWith("Extra run -1").contains("Next is sub-task 0, due");
  }

  @Test
  void theLatestOfSeveralForTheSameInstantIsMeant() {
    history.trigger(at(3)).begin(at(3)).complete(DONE, at(3));
    history.trigger(at(3)).begin(at(3)).complete(new Outcome.Failed("no", false), at(3));

    assertThat(explain(3, 4).subTask().map(SubTask::index)).hasValue(-2L);
  }

  @Test
  void oneForAnInstantOfTheScheduleIsMentioned() {
    history.trigger(at(10));

    Explanation both = explain(10, 10);
    assertThat(both.subTask().map(SubTask::index)).hasValue(0L);
    assertThat(both.text()).contains("Extra run -1 (due 2027-01-04T08:00:10Z) is for the same");
  }

  @Test
  void theSubTaskThatItHoldsUpSaysSo() {
    history.trigger(at(9)).begin(at(9));
    Explanation toCome = explain(10, 9);
    assertThat(toCome.state()).isEqualTo(State.GENERATED);
    assertThat(toCome.text()).contains("it is the turn of extra run -1, which is RUNNING.");

    Explanation due = explain(10, 11);
    assertThat(due.state()).isEqualTo(State.WAITING);
    assertThat(due.waitsFor()).hasValue(WaitsFor.EARLIER_SUB_TASK);
    assertThat(due.text()).contains("misfire (");
  }

  @Test
  void theSubTaskThatItHasSkippedSaysSoBefore() {
    TaskHistory skipping = history(Overlap.SKIP).trigger(at(9)).begin(at(9));

    assertThat(skipping.explain(at(10), at(11), true).text())
        .contains("it is skipped when that has ended (overlap).");
  }

  @Test
  void aTriggeredRunDoesNotWaitForAPausedTask() {
    history.pause(at(1)).trigger(at(3));

    assertThat(explain(3, 3).state()).isEqualTo(State.WAITING);
    assertThat(explain(10, 3).state()).isEqualTo(State.PAUSED);
  }

  @Test
  void anInstantOfABackfillIsToldFromItsRangeOnToItsEnd() {
    history.succeed(5).backfill(at(20), at(40), at(51));
    Explanation own = explain(30, 51);
    assertThat(own.state()).isEqualTo(State.SUCCEEDED);
    assertThat(own.subTask().map(SubTask::index)).hasValue(2L);

    TaskDefinition later = Tasks.definition(Map.of("cron", "* * * * *"));
    TaskHistory young = new TaskHistory(later).backfill(at(-180), at(-60), at(1));
    Explanation first = young.explain(at(-180), at(1), true);
    Explanation last = young.explain(at(-60), at(1), true);
    assertThat(first.text()).startsWith("Backfill run -1 (due 2027-01-04T07:57:00Z, to run 2027-");
    assertThat(last.state()).isEqualTo(State.NOT_GENERATED);
    assertThat(last.text()).contains("has this instant before it");
    assertThat(young.explain(at(-240), at(1), true).state()).isEqualTo(State.BEFORE_CREATION);
    assertThat(young.explain(at(-61), at(1), true).state()).isEqualTo(State.NEVER_DUE);

    TaskDefinition other = Tasks.definition(Map.of("cron", "30 8 * * *"));
    assertThat(
            new TaskHistory(later)
                .backfill(at(-180), at(-60), at(1))
                .edit(other, at(1))
                .explain(at(-60), at(1), true)
                .state())
        .as("by the schedule that the range was wanted for")
        .isEqualTo(State.NOT_GENERATED);

    young.pause(at(2));
    assertThat(young.explain(at(-60), at(2), true).waitsFor()).hasValue(WaitsFor.RESUME);
    assertThat(young.explain(at(-180), at(2), true).state()).isEqualTo(State.PAUSED);
  }

  @Test
  void anInstantOfABackfillThatWasCanceledWithItsTaskIsCanceled() {
    TaskHistory young =
        new TaskHistory(Tasks.definition(Map.of("cron", "* * * * *")))
            .backfill(at(-180), at(-60), at(1))
            .cancel(at(2));

    Explanation first = young.explain(at(-180), at(3), true);
    assertThat(first.state()).isEqualTo(State.CANCELED);
    assertThat(first.text()).contains("with its task, canceled at 2027-01-04T08:00:02Z");
    Explanation later = young.explain(at(-60), at(3), true);
    assertThat(later.state()).isEqualTo(State.CANCELED);
    assertThat(later.text())
        .contains("a backfill that had come to 2027-01-04T07:57:00Z (backfill run -1)");
    assertThat(young.explain(at(-240), at(3), true).state()).isEqualTo(State.BEFORE_CREATION);
  }
}
