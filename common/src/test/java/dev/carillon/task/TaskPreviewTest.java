package dev.carillon.task;

import static dev.carillon.task.Tasks.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.schedule.Preview;
import dev.carillon.schedule.Preview.Firing;
import dev.carillon.schedule.Preview.Missing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A preview of a stored task says the same as the task. */
final class TaskPreviewTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Chain chain =
      new Chain(
          Tasks.parking(Duration.ofHours(24)), new Chain.Settings(Duration.ofSeconds(5), 10, 2, 3));

  private Task create(TaskDefinition definition) {
    return chain.create(Tasks.id(1), definition, NOW).orElseThrow();
  }

  private static Instant at(long seconds) {
    return NOW.plusSeconds(seconds);
  }

  /** Runs what comes next, which takes no time. */
  private Task run(Task task) {
    SubTask next = task.next().orElseThrow();
    Claim claim = new Claim(task.id(), task.token(), "worker", "claim-" + task.token());
    Task running = Chain.start(task, claim, next.runAt(), next.runAt().plusSeconds(30));
    return chain.complete(running, new Outcome.Succeeded(), next.runAt());
  }

  private Task run(Task task, int times) {
    Task after = task;
    for (int i = 0; i < times; i++) {
      after = run(after);
    }
    return after;
  }

  private Task cancelOne(Task task, long index) {
    return chain.cancelOne(task, index, task.updatedAt()).orElseThrow();
  }

  private static Preview preview(Task task, long fromSecond, int count) {
    return TaskPreview.of(task, new Preview.Range(at(fromSecond), Optional.empty(), count));
  }

  private static List<Instant> instants(Preview preview) {
    return preview.instants().stream().map(Firing::at).toList();
  }

  private static List<String> reasons(Preview preview) {
    return preview.missing().stream()
        .map(missing -> Duration.between(NOW, missing.at()).toSeconds() + " " + missing.reason())
        .toList();
  }

  @Test
  void whatWasCanceledAloneDoesNotFireAndTheOthersAllDo() {
    Task task = cancelOne(create(Tasks.every(SECOND, 4)), 0);
    assertThat(instants(preview(task, 0, 10))).containsExactly(at(2), at(3), at(4));
    assertThat(reasons(preview(task, 0, 5))).containsExactly("1 canceled", "5 over maxRuns");

    Preview another = preview(cancelOne(task, 2), 0, 5);
    assertThat(instants(another)).containsExactly(at(2), at(4));
    assertThat(reasons(another)).containsExactly("1 canceled", "3 canceled", "5 over maxRuns");
  }

  @Test
  void whatIsPastDoesNotUseUpWhatIsLeft() {
    Task task = run(create(Tasks.every(SECOND, 6)), 3);
    for (int from : List.of(0, 1)) {
      Preview preview = preview(task, from, 7);
      assertThat(instants(preview)).containsExactly(at(1), at(2), at(3), at(4), at(5), at(6));
      assertThat(reasons(preview)).containsExactly("7 over maxRuns");
    }
    assertThat(instants(preview(task, 6, 7))).containsExactly(at(6));
  }

  @Test
  void runsAreCountedBeyondWhatIsGeneratedAndFromAfterThat() {
    Task task = run(create(Tasks.every(SECOND, 40)), 30);
    assertThat(task.subTask(0)).as("let go of").isEmpty();

    Preview all = preview(task, 0, 41);
    assertThat(instants(all)).hasSize(40).endsWith(at(40));
    assertThat(reasons(all)).containsExactly("41 over maxRuns");
    assertThat(instants(preview(create(Tasks.every(SECOND, 40)), 39, 41)))
        .containsExactly(at(39), at(40));
  }

  @Test
  void whatAnEarlierScheduleDidNotHaveDidNotFire() {
    Task task = run(create(Tasks.every(SECOND.multipliedBy(5), 8)), 4);
    TaskDefinition faster =
        Tasks.definition(Map.of("interval", "PT2S", "startTime", NOW.toString(), "maxRuns", 7));
    task = chain.edit(task, faster, false, at(20));

    Preview preview = preview(task, 7, 12);

    assertThat(instants(preview)).containsExactly(at(10), at(20), at(22), at(24), at(26));
    assertThat(preview.missing())
        .extracting(Missing::at)
        .containsExactly(at(8), at(12), at(14), at(16), at(18), at(28), at(30));
    assertThat(preview.missing())
        .extracting(Missing::reason)
        .startsWith(TaskPreview.NOT_PLANNED)
        .endsWith("over maxRuns", "over maxRuns");
  }

  @Test
  void ofATaskThatIsCanceledNothingIsToCome() {
    Task canceled = chain.cancel(run(create(Tasks.every(SECOND)), 1), at(1));
    Preview preview = preview(canceled, 0, 30);

    assertThat(instants(preview)).containsExactly(at(1));
    assertThat(preview.missing()).hasSize(29);
    assertThat(preview.missing()).extracting(Missing::reason).containsOnly("the task is canceled");
  }

  @Test
  void ofATaskThatIsFinishedNothingIsToCome() {
    Preview preview = preview(run(create(Tasks.every(SECOND, 2)), 2), 0, 4);

    assertThat(instants(preview)).containsExactly(at(1), at(2));
    assertThat(reasons(preview))
        .containsExactly("3 the task is finished", "4 the task is finished");
  }

  @Test
  void whatWasSkippedIsMissingWithItsReason() {
    TaskDefinition plain = Tasks.every(SECOND, 200);
    Task task = create(plain.toBuilder().misfire(MisfirePolicy.DEFAULT).build());
    task = chain.wake(task, at(100));

    Preview preview = preview(task, 1, 3);
    assertThat(instants(preview)).doesNotContain(at(38));
    assertThat(reasons(preview(task, 38, 2)).get(0)).startsWith("38 skipped: ");
  }
}
