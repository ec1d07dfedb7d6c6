package dev.carillon.mongo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/** Only what has changed is written. */
final class TaskChangesTest {

  private static final Instant DUE = Tasks.NOW.plusSeconds(60);

  private final Chain chain =
      new Chain(
          Tasks.parking(Duration.ofDays(1)), new Chain.Settings(Duration.ofSeconds(5), 6, 1, 3));
  private final Task waiting =
      chain.create(Tasks.id(1), Tasks.every(Duration.ofMinutes(1)), Tasks.NOW).orElseThrow();
  private final Task running = start(waiting, DUE);

  private static Task start(Task task, Instant now) {
    Claim claim = new Claim(task.id(), task.token(), "w", "c");
    return Chain.start(task, claim, now, now.plusSeconds(30));
  }

  private Task complete(Task task, Instant now) {
    return chain.complete(task, new Outcome.Succeeded(), now);
  }

  private static Document update(Task before, Task after) {
    return (Document) TaskChanges.update(new Exchange(before, after));
  }

  private static Document set(Task before, Task after) {
    return update(before, after).get("$set", Document.class);
  }

  @Test
  void anOutcomeAndTheNextArmingChangeTwoSubTasks() {
    Document update = update(running, complete(running, DUE.plusMillis(5)));

    assertThat(update.get("$set", Document.class))
        .containsOnlyKeys(
            "updatedAt",
            "cursor",
            "counts",
            "version",
            "token",
            "wakeAt",
            "subTasks.0",
            "subTasks.1");
    assertThat(update.get("$unset", Document.class)).containsOnlyKeys("claim", "claims");
  }

  @Test
  void aShiftedWindowIsWrittenAsAWhole() {
    Task before = running;
    Task after = complete(before, DUE);
    Instant due = DUE;
    while (after.subTasks().get(0).index() == 0) {
      due = due.plusSeconds(60);
      before = start(after, due);
      after = complete(before, due);
    }

    assertThat(set(before, after)).containsKey("subTasks").doesNotContainKey("subTasks.0");
  }

  @Test
  void theWakeUpTimeIsWrittenEvenIfItSeemsToBeTheSame() {
    Task woken = chain.wake(waiting, waiting.wakeAt().orElseThrow().minusSeconds(5));

    assertThat(woken.wakeAt()).isEqualTo(waiting.wakeAt());
    assertThat(set(waiting, woken))
        .containsEntry("wakeAt", Date.from(waiting.wakeAt().orElseThrow()));
  }

  @Test
  void theLeaseOfAClaimThatGoesOnIsNotWritten() {
    Document update = update(running, chain.cancel(running, DUE));

    assertThat(update.get("$set", Document.class)).doesNotContainKeys("claims", "claims.t1");
    assertThat(update).doesNotContainKey("$unset");
  }

  @Test
  void theWakeUpTimeIsTakenAwayFromWhatIsOver() {
    Document update = update(waiting, chain.cancel(waiting, Tasks.NOW));

    assertThat(update.get("$unset", Document.class)).containsOnlyKeys("wakeAt");
  }

  @Test
  void theFilterNamesTaskAndVersionAndTheEndOfALeaseThatIsToBeEnded() {
    Instant end = running.wakeAt().orElseThrow();

    assertThat(TaskChanges.filter(new Exchange(running, complete(running, end.minusMillis(1)))))
        .isEqualTo(new Document("_id", running.id().value()).append("version", 2L));
    assertThat(TaskChanges.filter(new Exchange(running, chain.wake(running, end))))
        .isEqualTo(
            new Document("_id", running.id().value())
                .append("version", 2L)
                .append(
                    "claims.t1.leaseUntil",
                    new Document("$in", Arrays.asList(Date.from(end), null))));
  }
}
