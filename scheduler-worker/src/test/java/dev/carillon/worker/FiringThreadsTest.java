package dev.carillon.worker;

import static dev.carillon.worker.Running.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.queue.Notice;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class FiringThreadsTest {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");

  private final FiringThreads threads = new FiringThreads(4, 2);
  private final List<String> begun = new CopyOnWriteArrayList<>();
  private final Semaphore slowMayEnd = new Semaphore(0);

  @AfterEach
  void close() {
    slowMayEnd.release(1_000);
    threads.closeNow();
  }

  private static Notice notice(TaskId task, long index) {
    return new Notice(task, index, 1, index, NOW.plusSeconds(index), "queue", NOW);
  }

  private static TaskId task(int seed) {
    return TaskId.create(NOW, new Random(seed));
  }

  private void slow(long index) {
    threads.execute(
        notice(task(1), index),
        attemptIsOver -> {
          begun.add("slow " + index);
          slowMayEnd.acquireUninterruptibly();
        });
  }

  @Test
  void aSlowTaskLeavesRoomForOthers() {
    for (int i = 0; i < 50; i++) {
      slow(i);
    }
    soon().until(() -> begun.size() == 2);

    for (int i = 0; i < 100; i++) {
      int number = i;
      threads.execute(notice(task(2 + i), 0), attemptIsOver -> begun.add("quick " + number));
    }

    soon().until(() -> begun.size() == 102);
    assertThat(begun.stream().filter(what -> what.startsWith("slow"))).hasSize(2);
    slowMayEnd.release(50);
    soon().until(() -> begun.size() == 150);
    assertThat(begun).doesNotHaveDuplicates();
  }

  @Test
  void whatHasFailedMakesRoomAsWell() {
    TaskId task = task(1);
    for (int i = 0; i < 10; i++) {
      int number = i;
      threads.execute(
          notice(task, i),
          attemptIsOver -> {
            begun.add("failing " + number);
            throw new IllegalStateException("expected");
          });
    }

    soon().dontCatchUncaughtExceptions().until(() -> begun.size() == 10);
  }

  /** So that the next one begins while the outcome of this is being recorded. */
  @Test
  void whoseAttemptIsOverLeavesItsPlaceToOthers() {
    for (int i = 0; i < 4; i++) {
      threads.execute(
          notice(task(1 + i), 0),
          attemptIsOver -> {
            begun.add("over");
            attemptIsOver.run();
            attemptIsOver.run();
            slowMayEnd.acquireUninterruptibly();
          });
    }
    soon().until(() -> begun.size() == 4);

    for (int i = 0; i < 6; i++) {
      threads.execute(
          notice(task(11 + i), 0),
          attemptIsOver -> {
            begun.add("next");
            slowMayEnd.acquireUninterruptibly();
          });
    }

    soon().until(() -> begun.size() == 8);
    slowMayEnd.release(8);
    soon().until(() -> begun.size() == 10);
  }

  /** What is left to do piles up when the store is slow: then nothing more begins. */
  @Test
  void notAnyNumberGoesOnBesideTheAttempts() {
    for (int i = 0; i < 50; i++) {
      threads.execute(
          notice(task(1 + i), 0),
          attemptIsOver -> {
            attemptIsOver.run();
            begun.add("over");
            slowMayEnd.acquireUninterruptibly();
          });
    }

    soon().during(Duration.ofMillis(200)).until(() -> begun.size() == 16);
    slowMayEnd.release(50);
    soon().until(() -> begun.size() == 50);
  }

  @Test
  void theMostUrgentGoesFirst() {
    for (int i = 0; i < 4; i++) {
      threads.execute(notice(task(1 + i), 0), attemptIsOver -> slowMayEnd.acquireUninterruptibly());
    }
    for (int i = 9; i > 0; i--) {
      int number = i;
      threads.execute(notice(task(11 + i), i), attemptIsOver -> begun.add("due " + number));
    }

    slowMayEnd.release(1);

    soon().until(() -> begun.size() == 9);
    assertThat(begun).isSorted();
  }

  @Test
  void whatWaitsForOthersOfItsTaskDoesNotBeginAfterTheClose() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      slow(i);
    }
    soon().until(() -> begun.size() == 2);

    threads.close();
    slowMayEnd.release(3);

    assertThat(threads.awaitEnd(60_000)).isTrue();
    assertThat(begun).hasSize(2);
  }
}
