package dev.carillon.rabbit;

import java.util.Objects;

/** What became of a message that was to be published. */
public sealed interface PublishAnswer {

  /** What happened, in the broker's own words where it had any. */
  String reason();

  /** It is in at least one queue, and safe there. */
  record Published() implements PublishAnswer {
    @Override
    public String reason() {
      return "published";
    }
  }

  /** The exchange leads it to no queue. */
  record Unroutable(String reason) implements PublishAnswer {

    public Unroutable {
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** There is no such exchange. */
  record NoSuchExchange(String reason) implements PublishAnswer {

    public NoSuchExchange {
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** The broker does not take it: a queue is full, or the message or its sender is not allowed. */
  record Refused(String reason) implements PublishAnswer {

    public Refused {
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** The broker is away, blocked or slow. It may have been published all the same. */
  record NotConfirmed(String reason) implements PublishAnswer {

    public NotConfirmed {
      Objects.requireNonNull(reason, "reason");
    }
  }
}
