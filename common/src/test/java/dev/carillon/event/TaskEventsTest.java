package dev.carillon.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.definition.DefinitionEdit;
import dev.carillon.definition.DefinitionReader;
import dev.carillon.form.Form;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Over what the chain really does. */
final class TaskEventsTest {

  private static final Instant START = Instant.parse("2027-01-04T08:00:00Z");

  private final Chain chain = new Chain(Tasks.parking(Duration.ofHours(1)), Chain.Settings.DEFAULT);

  private Task created(Map<String, Object> more) {
    Map<String, Object> form = new java.util.HashMap<>(more);
    form.put("name", "n");
    form.putIfAbsent("interval", "PT10S");
    TaskDefinition definition = DefinitionReader.readNew(Form.of(form), START).orElseThrow();
    return chain.create(TaskId.create(START, new Random(1)), definition, START).orElseThrow();
  }

  private static Task started(Task task) {
    return startedAt(task, task.live().orElseThrow().runAt());
  }

  private static Task startedAt(Task task, Instant at) {
    Claim claim = new Claim(task.id(), task.token(), "w", "w/1");
    return Chain.start(task, claim, at, at.plusSeconds(30));
  }

  private static List<String> types(List<TaskEvent> events) {
    return events.stream()
        .map(event -> event.type() + event.subTask().map(one -> " " + one.index()).orElse(""))
        .toList();
  }

  private List<String> completed(Task running, Outcome outcome) {
    Task next = chain.complete(running, outcome, running.updatedAt().plusSeconds(1));
    return types(TaskEvents.between(running, next));
  }

  @Test
  void aLifeFromCreationToItsEnd() {
    Task task = created(Map.of("maxRuns", 2));
    assertThat(types(TaskEvents.ofNew(task))).containsExactly("task.created");

    Task first = started(task);
    assertThat(types(TaskEvents.ofClaimed(first))).containsExactly("sub-task.started 0");
    assertThat(completed(first, new Outcome.Succeeded())).containsExactly("sub-task.succeeded 0");

    Task second =
        started(chain.complete(first, new Outcome.Succeeded(), first.updatedAt().plusSeconds(1)));
    assertThat(completed(second, new Outcome.Failed("no", false)))
        .containsExactly("sub-task.failed 1", "task.finished");
  }

  @Test
  void anAttemptThatIsRepeatedIsSaidToBeSo() {
    Task running = started(created(Map.of()));

    assertThat(completed(running, new Outcome.Failed("no", true)))
        .containsExactly("sub-task.retrying 0");
    assertThat(completed(running, new Outcome.HandedBack())).containsExactly("sub-task.retrying 0");
    Task lost = chain.wake(running, running.wakeAt().orElseThrow());
    assertThat(types(TaskEvents.between(running, lost))).containsExactly("sub-task.retrying 0");
  }

  @Test
  void whatWasMissedHasNotStartedAndIsSkipped() {
    Task late = startedAt(created(Map.of()), START.plusSeconds(131));

    assertThat(TaskEvents.ofClaimed(late)).isEmpty();
    assertThat(completed(late, new Outcome.Missed()))
        .startsWith("sub-task.skipped 0", "sub-task.skipped 1")
        .allMatch(type -> type.startsWith("sub-task.skipped"));
  }

  @Test
  void whatUsersDoIsTold() {
    Task task = created(Map.of("maxRuns", 2));
    Task canceled = chain.cancel(task, START.plusSeconds(1));
    assertThat(types(TaskEvents.between(task, canceled)))
        .containsExactly("sub-task.cancelled 0", "sub-task.cancelled 1", "task.cancelled");

    TaskDefinition same = task.definition();
    Task paused = chain.edit(task, same, true, START.plusSeconds(1));
    assertThat(types(TaskEvents.between(task, paused))).containsExactly("task.paused");
    Task resumed = chain.edit(paused, same, false, START.plusSeconds(2));
    assertThat(types(TaskEvents.between(paused, resumed))).containsExactly("task.resumed");

    TaskDefinition other =
        new DefinitionEdit(Map.of("interval", "PT20S")).applyTo(same, START).definition().get();
    Task edited = chain.edit(task, other, false, START.plusSeconds(1));
    assertThat(types(TaskEvents.between(task, edited))).containsExactly("task.updated");
  }

  @Test
  void armingIsNobodysConcern() {
    Task task = created(Map.of("interval", "PT2H"));

    assertThat(TaskEvents.between(task, chain.wake(task, task.wakeAt().orElseThrow()))).isEmpty();
  }

  @Test
  void idsAreUniqueAndStable() {
    Task task = created(Map.of("maxRuns", 2));
    Task canceled = chain.cancel(task, START.plusSeconds(1));

    List<String> ids = TaskEvents.between(task, canceled).stream().map(TaskEvent::id).toList();

    assertThat(ids).doesNotHaveDuplicates().hasSize(3);
    assertThat(TaskEvents.between(task, canceled)).extracting(TaskEvent::id).isEqualTo(ids);
  }
}
