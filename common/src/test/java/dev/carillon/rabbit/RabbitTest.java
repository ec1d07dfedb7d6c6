package dev.carillon.rabbit;

import static org.awaitility.Awaitility.await;

import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.Inbox;
import dev.carillon.queue.Notice;
import dev.carillon.queue.WorkQueue.Subscription;
import dev.carillon.rabbit.PendingShape.Mode;
import dev.carillon.task.Parking.Arming;
import dev.carillon.task.TaskId;
import dev.carillon.task.Tasks;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;

/** What tests of the adapter against a broker have in common. */
abstract class RabbitTest {

  static final Duration SOON = Duration.ofMillis(500);
  static final Duration FAR = Duration.ofHours(1);

  /** Each test has queues of its own. */
  final String prefix = "test-" + UUID.randomUUID();

  final AtomicInteger messagesParked = new AtomicInteger();
  private final SchedulerMetrics metrics =
      new SchedulerMetrics() {
        @Override
        public void messageParked() {
          messagesParked.incrementAndGet();
        }
      };
  private final List<RabbitQueues> started = new ArrayList<>();
  private final Random random = new Random();

  abstract URI uri();

  RabbitSettings settings() {
    return RabbitSettings.of(uri(), "carillon test")
        .withPrefix(prefix)
        .withShape(PendingShape.DEFAULT.withMode(Mode.OWN));
  }

  /** Started, but perhaps not connected yet. */
  RabbitQueues start(RabbitSettings settings) {
    RabbitQueues queues = new RabbitQueues(settings, InstantSource.system(), metrics);
    started.add(queues);
    queues.start();
    return queues;
  }

  /** Ready to be used. */
  RabbitQueues connect() {
    RabbitQueues queues = start(settings());
    await().atMost(Inbox.PATIENCE).until(queues::isAvailable);
    return queues;
  }

  static Subscription subscribe(RabbitQueues queues, Inbox inbox) {
    Subscription subscription = queues.subscribe(50, inbox);
    await().atMost(Inbox.PATIENCE).until(subscription::isActive);
    return subscription;
  }

  Notice notice(RabbitQueues queues, Duration in) {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    TaskId task = TaskId.create(now, random);
    Instant runAt = now.plus(in);
    return new Notice(
        task, 0, 1, 1, runAt, Tasks.queue(queues, new Arming(task, 0, 1, runAt, 1), now), now);
  }

  @AfterEach
  void closeQueues() {
    started.forEach(RabbitQueues::close);
  }
}
