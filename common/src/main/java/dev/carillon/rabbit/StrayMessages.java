package dev.carillon.rabbit;

import com.rabbitmq.client.Delivery;
import dev.carillon.ops.SparingLog;
import dev.carillon.ops.Threads;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts messages that are not notices {@link Aside}, in the background. Thread-safe. */
final class StrayMessages implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(StrayMessages.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final SparingLog strays = new SparingLog(log);
  private final Aside aside;
  private final ScheduledExecutorService executor = Threads.scheduler("carillon-rabbit-parked");

  StrayMessages(Aside aside) {
    this.aside = aside;
  }

  /**
   * Puts the message aside, in the background, and acknowledges it when it is safe there. Until
   * then it counts as in hand, which bounds how many there can be.
   */
  void park(Delivery message, String reason, Receipt receipt) {
    Posting posting = aside.form(message, reason);
    try {
      executor.execute(() -> attempt(posting, reason, receipt));
    } catch (RejectedExecutionException e) {
      log.debug("closed; an unreadable message is left in the work queue", e);
    }
  }

  private void attempt(Posting posting, String reason, Receipt receipt) {
    if (!receipt.isValid()) {
      return; // it is delivered again
    }
    PublishAnswer answer;
    try {
      answer = aside.put(posting);
    } catch (RuntimeException e) {
      log.error("an unreadable message cannot be put aside; it stays in the work queue", e);
      return;
    }
    if (answer instanceof PublishAnswer.Published) {
      receipt.ack();
      strays.warn("a message in the work queue is not a notice ({}); it is put aside", reason);
      return;
    }
    log.debug("an unreadable message cannot be put aside yet: {}", answer.reason());
    try {
      Future<?> unused =
          executor.schedule(
              () -> attempt(posting, reason, receipt), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("closed; an unreadable message is left in the work queue", e);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
