package dev.carillon.worker.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.rabbit.RabbitQueues;
import dev.carillon.rabbit.RabbitSettings;
import dev.carillon.task.Action;
import dev.carillon.task.Outcome;
import dev.carillon.task.Outcome.Failed;
import dev.carillon.worker.action.ActionHandler.Attempt;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Without a broker. */
final class AmqpHandlerTest {

  private static final Attempt ATTEMPT = Attempts.attempt(4, 1, Duration.ofMinutes(5));

  @Test
  void whileTheBrokerIsAwayAMessageHasFailedAndMayBeTriedAgain() {
    RabbitSettings nobody = RabbitSettings.of(URI.create("amqp://127.0.0.1:1"), "test");
    try (RabbitQueues queues =
        new RabbitQueues(nobody, InstantSource.system(), SchedulerMetrics.NONE)) {
      AmqpHandler handler = new AmqpHandler(queues::messagePublisher);

      Outcome outcome =
          handler.handle(
              new Action.Amqp(
                  "orders", "new", Map.of("secret", "s3cr3t"), Map.of(), Optional.empty(), false),
              ATTEMPT);

      assertThat(outcome).isInstanceOf(Failed.class);
      Failed failed = (Failed) outcome;
      assertThat(failed.retryable()).isTrue();
      assertThat(failed.error())
          .startsWith(
              "message to exchange \"orders\" with routing key \"new\" was not confirmed by the"
                  + " broker: ")
          .doesNotContain("s3cr3t");
    }
  }

  @Test
  void nobodyConnectsBeforeTheFirstMessage() {
    new AmqpHandler(
        () -> {
          throw new AssertionError("asked for");
        });
  }

  @Test
  void anAttemptThatIsHandedBackEndsWithinTheTimeForIt() {
    assertThat(AmqpHandler.PATIENCE).isLessThan(Duration.ofSeconds(5));
  }
}
