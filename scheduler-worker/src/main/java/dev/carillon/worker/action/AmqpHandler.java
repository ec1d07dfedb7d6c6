package dev.carillon.worker.action;

import dev.carillon.rabbit.AmqpMessage;
import dev.carillon.rabbit.PublishAnswer;
import dev.carillon.rabbit.PublishAnswer.NoSuchExchange;
import dev.carillon.rabbit.PublishAnswer.Published;
import dev.carillon.rabbit.PublishAnswer.Unroutable;
import dev.carillon.rabbit.RabbitMessagePublisher;
import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import dev.carillon.task.MessageProperty;
import dev.carillon.task.Outcome;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Publishes messages; success is that the broker has confirmed that it is in a queue. All failures
 * are worth another attempt: a queue or exchange that is missing may be declared meanwhile.
 */
public final class AmqpHandler implements ActionHandler<Action.Amqp> {

  /**
   * Publishing cannot be interrupted; so it is short enough that an attempt which is handed back
   * still ends in time.
   */
  static final Duration PATIENCE = Duration.ofSeconds(4);

  /** The same for every attempt of a sub-task, whatever the message id says. */
  static final String IDEMPOTENCY_KEY = "X-Carillon-Idempotency-Key";

  private final Supplier<RabbitMessagePublisher> publisher;

  /**
   * @param publisher asked for when the first message is to be published
   */
  public AmqpHandler(Supplier<RabbitMessagePublisher> publisher) {
    this.publisher = publisher;
  }

  @Override
  public Outcome handle(Action.Amqp action, Attempt attempt) {
    Map<String, Object> headers = new LinkedHashMap<>(action.headers());
    headers.putAll(attempt.headers());
    headers.put(IDEMPOTENCY_KEY, attempt.idempotencyKey());
    AmqpMessage message =
        new AmqpMessage(
            action.exchange(),
            action.routingKey(),
            properties(action, attempt),
            headers,
            action.body());
    Duration patience = attempt.timeout().compareTo(PATIENCE) < 0 ? attempt.timeout() : PATIENCE;
    PublishAnswer answer = publisher.get().publish(message, patience);
    if (answer instanceof Published) {
      return new Outcome.Succeeded();
    }
    return new Outcome.Failed(
        "message to exchange \"%s\" with routing key \"%s\" %s: %s"
            .formatted(action.exchange(), action.routingKey(), describe(answer), answer.reason()),
        true);
  }

  private static Map<MessageProperty, String> properties(Action.Amqp action, Attempt attempt) {
    if (action.verbatim()) {
      return action.properties();
    }
    Map<MessageProperty, String> properties = new EnumMap<>(MessageProperty.class);
    properties.put(
        MessageProperty.CONTENT_TYPE,
        action.body().map(Body::contentType).orElse("application/octet-stream"));
    properties.put(MessageProperty.MESSAGE_ID, attempt.idempotencyKey());
    properties.putAll(action.properties());
    return properties;
  }

  private static String describe(PublishAnswer answer) {
    if (answer instanceof Unroutable) {
      return "reaches no queue";
    }
    return answer instanceof NoSuchExchange
        ? "has no exchange to go to"
        : "was not confirmed by the broker";
  }
}
