package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import dev.carillon.queue.BrokerAwayException;
import dev.carillon.queue.GivenUp;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.ParkedBusyException;
import dev.carillon.queue.ParkedListing;
import dev.carillon.queue.ParkedMessage;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.task.Priority;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What was put aside, in a queue. A queue cannot be searched: it is looked through by {@link
 * ParkedLook}, by one at a time, and what is not acted on is given back. Thread-safe.
 */
final class ParkedQueue implements ParkedMessages, Resident {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Aside aside;
  private final Topology topology;
  private final Runnable topologyIsDamaged;

  /** For this process; the others are kept away by the look's own means. */
  private final ReentrantLock turn = new ReentrantLock();

  private volatile Optional<Connection> connection = Optional.empty();
  private volatile String suspended = "not connected yet";

  /**
   * @param aside puts messages there
   */
  ParkedQueue(Aside aside, Topology topology, Runnable topologyIsDamaged) {
    this.aside = aside;
    this.topology = topology;
    this.topologyIsDamaged = topologyIsDamaged;
  }

  @Override
  public void restore(Connection open) {
    connection = Optional.of(open);
  }

  @Override
  public void suspend(String reason) {
    suspended = reason;
    connection = Optional.empty();
  }

  @Override
  public ParkAnswer park(GivenUp givenUp) {
    PublishAnswer answer = aside.put(aside.form(givenUp));
    return answer instanceof PublishAnswer.Published
        ? new ParkAnswer.Parked()
        : new ParkAnswer.NotParked(answer.reason());
  }

  @Override
  public ParkedListing look(int limit) {
    Comparator<ParkedMessage> byAge =
        Comparator.comparing(message -> message.parkedAt().orElse(Instant.MIN));
    return look(
        look -> {
          List<ParkedMessage> listed =
              look.messages().stream().map(ParkedForm::read).sorted(byAge).limit(limit).toList();
          int unlisted = look.messages().size() - listed.size();
          return new ParkedListing(listed, unlisted + look.beyondReach(), look.beyondReach());
        });
  }

  @Override
  public RetryAnswer retry(String id) {
    return look(
        look -> {
          Optional<GetResponse> found = look.find(id);
          if (found.isEmpty()) {
            return RetryAnswer.UNKNOWN;
          }
          if (ParkedForm.isGivenUp(found.get())) {
            return RetryAnswer.GIVEN_UP;
          }
          PublishAnswer answer = aside.publish(sentBack(found.get()));
          if (!(answer instanceof PublishAnswer.Published)) {
            throw new BrokerAwayException(answer.reason(), null);
          }
          look.take(found.get());
          return RetryAnswer.SENT_BACK;
        });
  }

  private Posting sentBack(GetResponse message) {
    String exchange = ParkedForm.exchangeOf(message);
    return topology.isIngress(exchange)
        ? ParkedForm.sentBack(message, exchange, ParkedForm.routingKeyOf(message))
        : ParkedForm.sentBack(
            message, topology.workExchange(), topology.workRoutingKey(Priority.NORMAL));
  }

  @Override
  public boolean drop(String id) {
    return look(
        look -> {
          Optional<GetResponse> found = look.find(id);
          if (found.isPresent()) {
            look.take(found.get());
          }
          return found.isPresent();
        });
  }

  /** What is done while nobody else looks. */
  private interface Doing<T> {
    T with(ParkedLook look) throws IOException;
  }

  private <T> T look(Doing<T> doing) {
    Deadline deadline = Deadline.after(PATIENCE);
    if (!takesTurn(deadline)) {
      throw new ParkedBusyException();
    }
    try {
      Connection open = connection.orElseThrow(() -> new BrokerAwayException(suspended, null));
      try (ParkedLook look = ParkedLook.begin(open, topology, deadline)) {
        return doing.with(look);
      }
    } catch (IOException | ShutdownSignalException e) {
      BrokerProblem problem = BrokerProblem.of(e);
      if (problem.hasCode(AMQP.NOT_FOUND)) {
        topologyIsDamaged.run();
      }
      throw new BrokerAwayException(problem.reason(), e);
    } finally {
      turn.unlock();
    }
  }

  private boolean takesTurn(Deadline deadline) {
    try {
      return turn.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
