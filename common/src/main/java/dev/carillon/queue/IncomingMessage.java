package dev.carillon.queue;

import dev.carillon.task.Action;
import java.util.Objects;
import java.util.Optional;

/**
 * A message that a publisher wants delivered later, and what has become of it so far. It is
 * answered once, by whoever takes it in; it is delivered again until then. Thread-safe.
 */
public final class IncomingMessage {

  /** What has become of it. */
  public sealed interface Answer {

    /** It is safe, or has done what it was for. */
    record Taken() implements Answer {}

    /**
     * Nobody will ever be able to deal with it; it is to be put aside.
     *
     * @param reason for people
     */
    record Refused(String reason) implements Answer {

      public Refused {
        Objects.requireNonNull(reason, "reason");
      }
    }
  }

  private final Action.Amqp message;
  private volatile Optional<Answer> answer = Optional.empty();

  /**
   * @param message verbatim, to the exchange that it is for in the end, with all its headers
   */
  public IncomingMessage(Action.Amqp message) {
    this.message = Objects.requireNonNull(message, "message");
  }

  public Action.Amqp message() {
    return message;
  }

  /** It is safe, or has done what it was for. */
  public void take() {
    answer = Optional.of(new Answer.Taken());
  }

  /** Nobody will ever be able to deal with it. */
  public void refuse(String reason) {
    answer = Optional.of(new Answer.Refused(reason));
  }

  /** Empty as long as it is to be dealt with. */
  public Optional<Answer> answer() {
    return answer;
  }
}
