package dev.carillon.explain;

import static dev.carillon.explain.Explanation.State.BEFORE_CREATION;
import static dev.carillon.explain.Explanation.State.CANCELED;
import static dev.carillon.explain.Explanation.State.FAILED;
import static dev.carillon.explain.Explanation.State.FORMER_SCHEDULE;
import static dev.carillon.explain.Explanation.State.GENERATED;
import static dev.carillon.explain.Explanation.State.GONE;
import static dev.carillon.explain.Explanation.State.NEVER_DUE;
import static dev.carillon.explain.Explanation.State.NOT_GENERATED;
import static dev.carillon.explain.Explanation.State.PARKED;
import static dev.carillon.explain.Explanation.State.PAUSED;
import static dev.carillon.explain.Explanation.State.RETRYING;
import static dev.carillon.explain.Explanation.State.RUNNING;
import static dev.carillon.explain.Explanation.State.SKIPPED;
import static dev.carillon.explain.Explanation.State.SUCCEEDED;
import static dev.carillon.explain.Explanation.State.WAITING;
import static dev.carillon.explain.Explanation.WaitsFor.BROKER;
import static dev.carillon.explain.Explanation.WaitsFor.CONCURRENCY_KEY;
import static dev.carillon.explain.Explanation.WaitsFor.EARLIER_SUB_TASK;
import static dev.carillon.explain.Explanation.WaitsFor.RESUME;
import static dev.carillon.explain.Explanation.WaitsFor.SWEEP;
import static dev.carillon.explain.Explanation.WaitsFor.WORKER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.explain.Explanation.State;
import dev.carillon.explain.Explanation.WaitsFor;
import dev.carillon.task.Concurrency;
import dev.carillon.task.MisfirePolicy;
import dev.carillon.task.Outcome;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Times are seconds from the creation of the task, unless they are written out. */
class ExplainerTest {

  private static final String GERMAN_SUMMER = "2027-03-28T01:30:00Z";

  /** What is asked of a task to which something has happened, and what is to be answered. */
  private static final class Case {

    private final String name;
    private final TaskHistory history;
    private final Instant at;
    private Instant now;
    private boolean brokerIsThere = true;
    private State state;
    private final List<String> words = new ArrayList<>();
    private OptionalLong subTask = OptionalLong.empty();
    private Optional<WaitsFor> waitsFor = Optional.empty();
    private Optional<Instant> nextStepAt = Optional.empty();
    private Optional<Instant> before = Optional.empty();
    private Optional<Instant> after = Optional.empty();

    Case(String name, TaskHistory history, Instant at) {
      this.name = name;
      this.history = history;
      this.at = at;
      this.now = at;
    }

    Case now(Instant time) {
      now = time;
      return this;
    }

    Case withoutBroker() {
      brokerIsThere = false;
      return this;
    }

    Case is(State expected, String... inWords) {
      state = expected;
      words.addAll(List.of(inWords));
      return this;
    }

    Case about(long index) {
      subTask = OptionalLong.of(index);
      return this;
    }

    Case waitsFor(WaitsFor what) {
      waitsFor = Optional.of(what);
      return this;
    }

    Case until(Instant next) {
      nextStepAt = Optional.of(next);
      return this;
    }

    Case between(Instant earlier, Instant later) {
      before = Optional.ofNullable(earlier);
      after = Optional.ofNullable(later);
      return this;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @ParameterizedTest
  @MethodSource({"neverDue", "toCome", "begun", "ended", "longAgo", "edited"})
  void explains(Case one) {
    Explanation explanation = one.history.explain(one.at, one.now, one.brokerIsThere);

    assertThat(explanation.state()).as(explanation.text()).isEqualTo(one.state);
    assertThat(explanation.text()).contains(one.words).endsWith(".").doesNotContain("  ", "..");
    assertThat(explanation.at()).isEqualTo(one.at);
    assertThat(explanation.subTask().stream().mapToLong(SubTask::index).findFirst())
        .as(explanation.text())
        .isEqualTo(one.subTask);
    assertThat(explanation.waitsFor()).as(explanation.text()).isEqualTo(one.waitsFor);
    assertThat(explanation.nextStepAt()).as(explanation.text()).isEqualTo(one.nextStepAt);
    assertThat(explanation.before()).as("before: %s", explanation.text()).isEqualTo(one.before);
    assertThat(explanation.after()).as("after: %s", explanation.text()).isEqualTo(one.after);
  }

  static Stream<Case> neverDue() {
    Map<String, Object> nightly =
        Map.of(
            "cron",
            "30 2 * * *",
            "timezone",
            "Europe/Berlin",
            "endTime",
            "2027-12-31",
            "exclude",
            List.of("2027-02-01"),
            "dst",
            Map.of("gap", "skip"));
    return Stream.of(
        new Case("between two", task("PT10S"), at(15))
            .is(
                NEVER_DUE,
                "not an instant of this schedule",
                "around it are 2027-01-04T08:00:10Z and 2027-01-04T08:00:20Z")
            .between(at(10), at(20)),
        new Case("a millisecond beside", task("PT10S"), at(20).minusMillis(1))
            .is(NEVER_DUE, "not an instant")
            .between(at(10), at(20)),
        new Case("between two that are not generated", task("PT10S"), at(100_005))
            .is(NEVER_DUE, "not an instant")
            .between(at(100_000), at(100_010)),
        new Case(
                "before the start",
                task(Map.of("interval", "PT10S", "startTime", "2027-02-01")),
                at(20))
            .is(
                NEVER_DUE,
                "before the start (2027-02-01)",
                "first one after it is 2027-02-01T00:00:00Z")
            .between(null, time("2027-02-01T00:00:00Z")),
        new Case("after the end", task(nightly), time("2028-01-01T01:30:00Z"))
            .is(
                NEVER_DUE,
                "after the end (2027-12-31)",
                "last one before it is 2027-12-31T01:30:00Z")
            .between(time("2027-12-31T01:30:00Z"), null),
        new Case("excluded", task(nightly), time("2027-02-01T01:30:00Z"))
            .is(NEVER_DUE, "excluded (2027-02-01)")
            .between(time("2027-01-31T01:30:00Z"), time("2027-02-02T01:30:00Z")),
        new Case("in the gap", task(nightly), time(GERMAN_SUMMER))
            .is(NEVER_DUE, "2027-03-28T02:30:00 is in the DST gap")
            .between(time("2027-03-27T01:30:00Z"), time("2027-03-29T00:30:00Z")),
        new Case("second copy", task(nightly), time("2027-10-31T01:30:00Z"))
            .is(NEVER_DUE, "the second copy of a repeated hour")
            .between(time("2027-10-31T00:30:00Z"), time("2027-11-01T01:30:00Z")),
        new Case(
                "first copy",
                task(
                    Map.of(
                        "cron",
                        "30 2 * * *",
                        "timezone",
                        "Europe/Berlin",
                        "dst",
                        Map.of("overlap", "last"))),
                time("2027-10-31T00:30:00Z"))
            .is(NEVER_DUE, "the first copy of a repeated hour")
            .between(time("2027-10-30T00:30:00Z"), time("2027-10-31T01:30:00Z")),
        new Case("no 31st", task(Map.of("cron", "0 9 31 * *")), time("2027-02-28T09:00:00Z"))
            .is(NEVER_DUE, "no 31st in this month")
            .between(time("2027-01-31T09:00:00Z"), time("2027-03-31T09:00:00Z")),
        new Case("over maxRuns", task(Map.of("interval", "PT10S", "maxRuns", 3)), at(40))
            .is(NEVER_DUE, "over maxRuns (3)", "last one is sub-task 2"),
        new Case(
                "over maxRuns, much later",
                task(Map.of("interval", "PT10S", "maxRuns", 30)),
                at(9_000))
            .is(NEVER_DUE, "over maxRuns (30)", "last one is sub-task 29"),
        new Case(
                "beside what is over maxRuns",
                task(Map.of("interval", "PT10S", "maxRuns", 30)),
                at(305))
            .is(NEVER_DUE, "not an instant")
            .between(at(300), null),
        new Case(
                "between two that are over maxRuns",
                task(Map.of("interval", "PT10S", "maxRuns", 30)),
                at(9_005))
            .is(NEVER_DUE, "over maxRuns (30)", "last one is sub-task 29"),
        new Case(
                "over COUNT",
                task(Map.of("rrule", "FREQ=DAILY;COUNT=3", "startTime", "2027-01-05T09:00:00Z")),
                time("2027-01-08T09:00:00Z"))
            .is(NEVER_DUE, "over COUNT")
            .between(time("2027-01-07T09:00:00Z"), null),
        new Case(
                "after UNTIL",
                task(
                    Map.of(
                        "rrule", "FREQ=DAILY;UNTIL=20270107", "startTime", "2027-01-05T09:00:00Z")),
                time("2027-01-08T09:00:00Z"))
            .is(NEVER_DUE, "after UNTIL")
            .between(time("2027-01-07T09:00:00Z"), null),
        new Case("another time than the only one", task(Map.of("at", at(60).toString())), at(61))
            .is(NEVER_DUE, "not an instant")
            .between(at(60), null),
        new Case("after the last of a canceled task", task("PT10S").cancel(at(1)), at(1_005))
            .is(NEVER_DUE, "not an instant")
            .between(at(100), null));
  }

  private static TaskHistory shared() {
    return new TaskHistory(
        Tasks.every(Duration.ofSeconds(10)).toBuilder()
            .concurrency(Optional.of(new Concurrency("printer", 2)))
            .build());
  }

  static Stream<Case> toCome() {
    TaskHistory farAway = task("PT30H");
    TaskHistory jittered = task(Map.of("interval", "PT10S", "jitter", "PT9S"));
    SubTask second = jittered.task().subTask(1).orElseThrow();
    Instant farRun = runAt(jittered.task(), 49, at(500));
    return Stream.of(
        new Case("parked", task("PT10S"), at(10))
            .now(at(3))
            .is(
                PARKED,
                "Sub-task 0 (due 2027-01-04T08:00:10Z)",
                "in queue pending.0.1.1 at 2027-01-04T08:00:00Z",
                "cannot be known",
                "if none has by 2027-01-04T08:00:15Z, a sweep")
            .about(0)
            .until(at(10)),
        new Case("generated, behind others", task("PT10S"), at(30))
            .now(at(3))
            .is(GENERATED, "parked when it is the next", "turn of sub-task 0, which is PENDING")
            .about(2)
            .waitsFor(EARLIER_SUB_TASK),
        new Case("generated, beyond the horizon", farAway, at(108_000))
            .now(at(3))
            .is(GENERATED, "PT24H ahead at most (HORIZON", "A sweep parks it 2027-01-04T14:00:00Z")
            .about(0)
            .until(at(21_600)),
        new Case("beyond what is kept in memory", task("PT30H").inProcess(), at(108_000))
            .now(at(3))
            .is(GENERATED, "PT24H ahead at most (in memory, without RabbitMQ)")
            .about(0)
            .until(at(21_600)),
        new Case("parked in memory", task("PT10S").inProcess(), at(10))
            .now(at(3))
            .is(PARKED, "(in memory, which a restart forgets)")
            .about(0)
            .until(at(10)),
        new Case("not parked, memory full", task("PT10S").unpark(at(1)).inProcess(), at(10))
            .now(at(2))
            .withoutBroker()
            .is(GENERATED, "this process takes no notices", "parks it when it does again")
            .about(0)
            .waitsFor(BROKER),
        new Case("not parked yet", task("PT10S").unpark(at(1)), at(10))
            .now(at(2))
            .is(GENERATED, "The next sweep of a worker parks it")
            .about(0)
            .waitsFor(SWEEP),
        new Case("not parked, no broker", task("PT10S").unpark(at(1)), at(10))
            .now(at(2))
            .withoutBroker()
            .is(GENERATED, "RabbitMQ is away")
            .about(0)
            .waitsFor(BROKER),
        new Case("due, not claimed", task("PT10S"), at(10))
            .now(at(11))
            .is(
                WAITING,
                "is due since 2027-01-04T08:00:10Z and has not been claimed",
                "parked in queue pending.0.1.1",
                "waits for a worker",
                "parks it again 2027-01-04T08:00:15Z")
            .about(0)
            .waitsFor(WORKER)
            .until(at(15)),
        new Case("due, no broker", task("PT10S"), at(10))
            .now(at(11))
            .withoutBroker()
            .is(WAITING, "RabbitMQ is away")
            .about(0)
            .waitsFor(BROKER),
        new Case("due, not parked", task("PT10S").unpark(at(1)), at(10))
            .now(at(11))
            .is(WAITING, "it is not parked", "next sweep")
            .about(0)
            .waitsFor(SWEEP),
        new Case("due, in line", shared().waitInLine(at(10)), at(10))
            .now(at(11))
            .is(WAITING, "runs with the concurrency key \"printer\" are on as may be (2)")
            .about(0)
            .waitsFor(CONCURRENCY_KEY),
        new Case("due, behind one that runs", task("PT10S").start(at(10)), at(20))
            .now(at(25))
            .is(WAITING, "turn of sub-task 0, which is RUNNING", "misfire (run-all)")
            .about(1)
            .waitsFor(EARLIER_SUB_TASK),
        new Case("not generated", task("PT10S"), at(500))
            .now(at(1))
            .is(
                NOT_GENERATED,
                "Sub-task 49 is due then",
                "GENERATED_AHEAD",
                "next of them is sub-task 0")
            .waitsFor(EARLIER_SUB_TASK),
        new Case("due, but not even generated", task("PT10S").start(at(10)), at(500))
            .now(at(600))
            .is(WAITING, "Sub-task 49 is due then", "not generated yet")
            .waitsFor(EARLIER_SUB_TASK),
        new Case(
                "too far away to be counted",
                task(
                    Map.of(
                        "rrule",
                        "FREQ=SECONDLY;INTERVAL=7;BYHOUR=3",
                        "startTime",
                        "2027-01-05T00:00:00Z")),
                time("9000-01-01T03:00:02Z"))
            .now(at(1))
            .is(NOT_GENERATED, "A sub-task is due then")
            .waitsFor(EARLIER_SUB_TASK),
        new Case("by its due time", jittered, at(20))
            .now(at(1))
            .is(
                GENERATED,
                "(due 2027-01-04T08:00:20Z, by its jitter to run " + second.runAt() + ")")
            .about(1)
            .waitsFor(EARLIER_SUB_TASK),
        new Case("by its time with jitter", jittered, second.runAt())
            .now(at(1))
            .is(
                GENERATED,
                "(due 2027-01-04T08:00:20Z, by its jitter to run " + second.runAt() + ")")
            .about(1)
            .waitsFor(EARLIER_SUB_TASK),
        new Case("not generated, by its time with jitter", jittered, farRun)
            .now(at(1))
            .is(
                NOT_GENERATED,
                "Sub-task 49 is due 2027-01-04T08:08:20Z and to run then by its jitter")
            .waitsFor(EARLIER_SUB_TASK),
        new Case(
                "retried by request, paused",
                task("PT10S")
                    .start(at(10))
                    .complete(new Outcome.Failed("no", false), at(10))
                    .pause(at(11))
                    .retry(0, at(12)),
                at(10))
            .now(at(13))
            .is(PAUSED, "It runs when the task is resumed.")
            .about(0)
            .waitsFor(RESUME),
        new Case("paused", task("PT10S").pause(at(1)), at(10))
            .now(at(2))
            .is(PAUSED, "the task is paused", "runs at its time if the task is resumed before")
            .about(0)
            .waitsFor(RESUME),
        new Case("paused and overdue", task("PT10S").pause(at(1)), at(10))
            .now(at(20))
            .is(PAUSED, "When it is resumed, misfire (run-all) says")
            .about(0)
            .waitsFor(RESUME),
        new Case("paused and not generated", task("PT10S").pause(at(1)), at(500))
            .now(at(20))
            .is(NOT_GENERATED, "Sub-task 49 is due then, but the task is paused")
            .waitsFor(RESUME),
        new Case("paused and overdue and not generated", task("PT10S").pause(at(1)), at(500))
            .now(at(600))
            .is(PAUSED, "Sub-task 49 is due then, but the task is paused", "misfire")
            .waitsFor(RESUME));
  }

  private static Instant runAt(Task task, long index, Instant due) {
    String key = SubTask.idempotencyKey(task.id(), index);
    return due.plus(task.definition().schedule().jitterFor(key));
  }

  static Stream<Case> begun() {
    TaskHistory failedOnce = task("PT10S").fail("no answer", at(10));
    Instant again = failedOnce.task().live().orElseThrow().runAt();
    return Stream.of(
        new Case("running", task("PT10S").start(at(10).plusMillis(7)), at(10))
            .now(at(12))
            .is(
                RUNNING,
                "running since 2027-01-04T08:00:10.007Z (7 ms late), attempt 1",
                "worker worker-1 has claimed it until 2027-01-04T08:00:40.007Z",
                "interrupted if it takes until 2027-01-04T08:05:10.007Z")
            .about(0)
            .until(at(40).plusMillis(7)),
        new Case("running, its worker silent", task("PT10S").start(at(10)), at(10))
            .now(at(41))
            .is(RUNNING, "until 2027-01-04T08:00:40Z and fell silent", "next sweep")
            .about(0)
            .waitsFor(SWEEP),
        new Case("running, its task canceled", task("PT10S").start(at(10)).cancel(at(11)), at(10))
            .now(at(12))
            .is(RUNNING, "has been canceled: nothing follows")
            .about(0)
            .until(at(40)),
        new Case("running, its task paused", task("PT10S").start(at(10)).pause(at(11)), at(10))
            .now(at(12))
            .is(RUNNING, "nothing follows until it is resumed")
            .about(0)
            .until(at(40)),
        new Case("to be tried again", failedOnce, at(10))
            .now(at(11))
            .is(RETRYING, "1 attempt without success (no answer)", "starts " + again)
            .about(0)
            .until(again),
        new Case("by the time of its next attempt", failedOnce, again)
            .now(at(11))
            .is(RETRYING, "Sub-task 0 (due 2027-01-04T08:00:10Z)")
            .about(0)
            .until(again),
        new Case("next attempt not claimed", failedOnce, at(10))
            .now(again.plusSeconds(1))
            .is(WAITING, "1 attempt without success (no answer), is due since " + again)
            .about(0)
            .waitsFor(WORKER)
            .until(again.plus(TaskHistory.GRACE)),
        new Case("its worker was lost", task("PT10S").start(at(10)).wake(at(40)), at(10))
            .now(at(40))
            .is(WAITING, "worker worker-1 fell silent during attempt 1")
            .about(0)
            .waitsFor(WORKER)
            .until(at(45)),
        new Case(
                "its worker stopped",
                task("PT10S").start(at(10)).complete(new Outcome.HandedBack(), at(11)),
                at(10))
            .now(at(11))
            .is(WAITING, "handed back: worker-1 stopped")
            .about(0)
            .waitsFor(WORKER)
            .until(at(16)));
  }

  static Stream<Case> ended() {
    TaskHistory failed = task("PT10S");
    for (int i = 0; i < 3; i++) {
      failed.fail("no answer " + i, failed.task().live().orElseThrow().runAt());
    }
    TaskHistory twice = task("PT10S").fail("no answer", at(10));
    twice.succeed(1);
    return Stream.of(
        new Case("succeeded", task("PT10S").succeed(at(10).plusMillis(3)), at(10))
            .is(
                SUCCEEDED,
                "succeeded at 2027-01-04T08:00:10.003Z after 1 attempt (worker worker-1",
                "3 ms late",
                "Next is sub-task 1, due 2027-01-04T08:00:20Z")
            .about(0),
        new Case("succeeded at last", twice, at(10)).is(SUCCEEDED, "after 2 attempts").about(0),
        new Case("the last one", task(Map.of("interval", "PT10S", "maxRuns", 1)).succeed(1), at(10))
            .is(SUCCEEDED, "The task has finished.")
            .about(0),
        new Case("failed", failed, at(10))
            .is(
                FAILED,
                "after 3 attempts",
                ": no answer 2; it is not tried again",
                "Next is sub-task 1")
            .about(0),
        new Case("skipped", missed().resume(at(600)), at(10))
            .is(
                SKIPPED,
                "never started: misfire: not started by",
                "only the latest missed one is run")
            .about(0),
        new Case("canceled", task("PT10S").cancel(at(1)), at(20))
            .is(
                CANCELED,
                "canceled before it started: with its task, canceled at 2027-01-04T08:00:01Z",
                "The task has been canceled.")
            .about(1),
        new Case("canceled by itself", task("PT10S").cancelOne(1, at(1)), at(20))
            .is(CANCELED, "was canceled before it started: by itself. Next is sub-task 0")
            .about(1),
        new Case(
                "canceled by itself long before its task",
                task("PT10S").cancelOne(0, at(1)).succeed(1).cancel(at(25)),
                at(10))
            .is(CANCELED, "before it started: by itself.")
            .about(0),
        new Case(
                "canceled with its task, whose run went on",
                task("PT10S")
                    .start(at(10))
                    .cancel(at(11))
                    .complete(new Outcome.Succeeded(), at(12)),
                at(20))
            .is(CANCELED, "with its task, canceled by 2027-01-04T08:00:12Z")
            .about(1),
        new Case(
                "canceled between attempts",
                task("PT10S").fail("no answer", at(10)).cancel(at(11)),
                at(10))
            .is(
                CANCELED,
                "was canceled after 1 attempt: with its task, canceled at 2027-01-04T08:00:11Z.")
            .about(0),
        new Case("canceled before it was generated", task("PT10S").cancel(at(1)), at(500))
            .is(CANCELED, "The task has been canceled"),
        new Case("skipped at the end", pausedBeyondEnd(), at(20))
            .is(SKIPPED, "paused until after its end", "The task has finished.")
            .about(1),
        new Case("skipped at the end, never generated", pausedBeyondEnd(), at(300))
            .is(SKIPPED, "resumed after its end"),
        new Case("before creation", task(Map.of("cron", "* * * * *")), at(-60))
            .is(
                BEFORE_CREATION,
                "created at 2027-01-04T08:00:00Z",
                "after it is 2027-01-04T08:01:00Z")
            .between(null, at(60)),
        new Case("at creation", task(Map.of("cron", "* * * * *")), at(0))
            .is(BEFORE_CREATION, "what had passed by then")
            .between(null, at(60)),
        new Case("never due before creation", task(Map.of("cron", "* * * * *")), at(-61))
            .is(NEVER_DUE, "not an instant")
            .between(null, at(60)));
  }

  static Stream<Case> longAgo() {
    return Stream.of(
        new Case("archived", task("PT10S").succeed(500), at(10))
            .is(SUCCEEDED, "Sub-task 0 (due", "Next is sub-task 500")
            .about(0),
        new Case("archived, later", task("PT10S").succeed(500), at(3_330))
            .is(SUCCEEDED, "Sub-task 332 (due")
            .about(332),
        new Case("between two archived ones", task("PT10S").succeed(500), at(3_335))
            .is(NEVER_DUE, "not an instant")
            .between(at(3_330), at(3_340)),
        new Case(
                "archived, by its time with jitter",
                task(Map.of("interval", "PT10S", "jitter", "PT15S")).succeed(500),
                runAt(task(Map.of("interval", "PT10S", "jitter", "PT15S")).task(), 332, at(3_330)))
            .is(SUCCEEDED, "Sub-task 332 (due")
            .about(332),
        new Case("removed", task("PT10S").succeed(500).forgetBefore(300), at(100))
            .is(GONE, "RETENTION", "earliest that is kept was due 2027-01-04T08:50:10Z")
            .between(at(90), at(110)),
        new Case(
                "the last that was removed",
                task("PT10S").succeed(500).forgetBefore(300),
                at(3_000))
            .is(GONE, "not known any more")
            .between(at(2_990), at(3_010)),
        new Case("the first that is kept", task("PT10S").succeed(500).forgetBefore(300), at(3_010))
            .is(SUCCEEDED, "Sub-task 300")
            .about(300),
        new Case(
                "all of the archive removed",
                task("PT10S").succeed(500).forgetBefore(10_000),
                at(100))
            .is(GONE, "not known any more")
            .between(at(90), at(110)),
        new Case("between two removed ones", task("PT10S").succeed(500).forgetBefore(300), at(105))
            .is(NEVER_DUE, "not an instant of this schedule")
            .between(at(100), at(110)),
        new Case(
                "between two removed ones of an edited task",
                task("PT10S").succeed(500).pause(at(5_001)).resume(at(5_001)).forgetBefore(300),
                at(105))
            .is(NEVER_DUE, "has been edited since it was created")
            .between(at(100), at(110)),
        new Case(
                "before creation of an old task",
                task("PT10S").succeed(500).forgetBefore(300),
                at(-5))
            .is(NEVER_DUE, "before the start"));
  }

  static Stream<Case> edited() {
    TaskDefinition hourly =
        Tasks.definition(Map.of("interval", "PT1H", "startTime", at(0).toString()));
    return Stream.of(
        new Case(
                "run by the former schedule", task("PT10S").succeed(3).edit(hourly, at(31)), at(20))
            .is(SUCCEEDED, "Sub-task 1 (due", "Next is sub-task 3, due 2027-01-04T09:00:00Z")
            .about(1),
        new Case(
                "planned by the former schedule only",
                task("PT10S").succeed(3).edit(hourly, at(31)),
                at(40))
            .is(
                NEVER_DUE,
                "not an instant of this schedule",
                "(it is at revision 2): an earlier schedule may have had this instant")
            .between(at(30), at(3_600)),
        new Case(
                "of the schedule as it is now only",
                task("PT1H").succeed(3).edit(Tasks.every(Duration.ofSeconds(10)), at(10_801)),
                at(4_000))
            .is(FORMER_SCHEDULE, "(revision 2), but not as it was then")
            .between(at(3_600), at(7_200)),
        new Case(
                "of the schedule as it is now, before the first",
                task("PT1H").edit(Tasks.every(Duration.ofSeconds(10)), at(95)),
                at(50))
            .is(FORMER_SCHEDULE, "not as it was then")
            .between(null, at(100)));
  }

  private static TaskHistory missed() {
    TaskDefinition plain = Tasks.every(Duration.ofSeconds(10));
    return new TaskHistory(plain.toBuilder().misfire(MisfirePolicy.DEFAULT).build()).pause(at(1));
  }

  private static TaskHistory pausedBeyondEnd() {
    return task(Map.of("interval", "PT10S", "endTime", at(1_000).toString()))
        .pause(at(1))
        .resume(at(2_000));
  }

  @Test
  void aLongArchiveTakesFewLooks() {
    TaskHistory history = task("PT1S").succeed(5_000);

    for (int due = 1; due < 4_900; due += 97) {
      int before = history.looks();
      assertThat(history.explain(at(due), at(5_000), true).subTask().orElseThrow().index())
          .isEqualTo(due - 1);
      assertThat(history.looks() - before).isLessThan(20);
    }
    int before = history.looks();
    assertThat(history.explain(at(5_000), at(5_000), true).state()).isEqualTo(SUCCEEDED);
    assertThat(history.looks()).as("what is in the window costs none").isEqualTo(before);
  }

  private static TaskHistory task(String interval) {
    return task(Map.of("interval", interval));
  }

  private static TaskHistory task(Map<String, Object> schedule) {
    return new TaskHistory(Tasks.definition(schedule));
  }

  private static Instant at(long seconds) {
    return Tasks.NOW.plusSeconds(seconds);
  }

  private static Instant time(String text) {
    return Instant.parse(text);
  }
}
