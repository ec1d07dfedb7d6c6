package dev.carillon.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.definition.DefinitionReader;
import dev.carillon.form.Form;
import dev.carillon.inprocess.InProcessBroker;
import dev.carillon.inprocess.InProcessQueues;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Takes tasks through lives that chance decides on, and looks at them after every step. */
final class TaskViewTest {

  private static final Instant START = Instant.parse("2027-01-01T00:00:00Z");

  @Test
  void countsAddUpToTheTotalAllTheTime() {
    long seed = System.nanoTime();
    System.out.println("lives of tasks: seed " + seed);
    Random random = new Random(seed);
    try (InProcessBroker broker = new InProcessBroker(() -> START);
        InProcessQueues queues = broker.connect()) {
      for (int i = 0; i < 200; i++) {
        Chain.Settings settings =
            new Chain.Settings(Duration.ofSeconds(5), 1 + random.nextInt(8), random.nextInt(4), 3);
        live(new Chain(queues, settings), random);
      }
    }
  }

  private static void live(Chain chain, Random random) {
    int total = 1 + random.nextInt(40);
    Instant now = START;
    Task task = chain.create(TaskId.create(now, random), definition(total), now).orElseThrow();
    check(task, total);
    while (!(task.status().isFinal() && task.claim().isEmpty())) {
      if (random.nextInt(60) == 0 && !task.status().isFinal()) {
        task = chain.cancel(task, now);
      } else if (task.claim().isPresent()) {
        task = chain.complete(task, outcome(random), now);
      } else if (task.live().orElseThrow().parked().isPresent()) {
        now = later(now, task.live().orElseThrow().runAt());
        Claim claim = new Claim(task.id(), task.token(), "worker", "claim");
        task = Chain.start(task, claim, now, now.plusSeconds(30));
      } else {
        now = later(now, task.wakeAt().orElseThrow());
        task = chain.wake(task, now);
      }
      check(task, total);
    }
    assertThat(task.status()).isIn(TaskStatus.FINISHED, TaskStatus.CANCELED);
  }

  private static Outcome outcome(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> new Outcome.Failed("no", true);
      case 1 -> new Outcome.HandedBack();
      default -> new Outcome.Succeeded();
    };
  }

  private static void check(Task task, int total) {
    Map<String, Object> view = TaskView.of(task);
    assertThat(view).containsEntry("totalSubTasks", (long) total);
    Map<?, ?> counts = (Map<?, ?>) view.get("counts");
    assertThat(counts).hasSize(7);
    assertThat(counts.values().stream().mapToLong(count -> (Long) count).sum())
        .as(counts.toString())
        .isEqualTo(total);
    assertThat(counts.values()).allMatch(count -> (Long) count >= 0);
  }

  private static TaskDefinition definition(int total) {
    Form form =
        Form.of(
            Map.of(
                "name", "x", "interval", 1, "endTime", START.plusSeconds(60L * total).toString()));
    return DefinitionReader.readNew(form, START).orElseThrow();
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }
}
