package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the exchanges exist that messages are for in the end. They are not Carillon's, so it does
 * not declare them. Looked for with each new connection, and when somebody asks and the latest look
 * is some seconds old. Thread-safe.
 */
final class TargetExchanges implements Resident {

  /** Each look takes a request to the broker for each of them. */
  static final Duration FRESHNESS = Duration.ofSeconds(5);

  private static final Logger log = LoggerFactory.getLogger(TargetExchanges.class);

  private final List<String> names;
  private final LongSupplier nanos;
  private volatile Optional<Connection> connection = Optional.empty();
  private Optional<Connection> lookedAt = Optional.empty(); // guarded by this, as are those below
  private long lookedAtNanos;
  private List<String> missing = List.of();

  /**
   * @param targets as in the settings; the default exchange is always there
   * @param nanos elapsed time, as {@link System#nanoTime} has it
   */
  TargetExchanges(List<String> targets, LongSupplier nanos) {
    this.names = targets.stream().filter(target -> !Topology.exchangeOf(target).isEmpty()).toList();
    this.nanos = nanos;
  }

  /**
   * Those that the broker did not have when it was asked last, at most {@link #FRESHNESS} ago while
   * it can be asked. Waits for the broker if it has to be asked.
   */
  synchronized List<String> missing() {
    Optional<Connection> open = connection;
    boolean isFresh =
        lookedAt.equals(open) && nanos.getAsLong() - lookedAtNanos < FRESHNESS.toNanos();
    if (open.isPresent() && !isFresh) {
      look(open.get());
    }
    return missing;
  }

  private void look(Connection open) {
    lookedAt = Optional.of(open);
    try {
      List<String> found = ask(open);
      report(found);
      missing = found;
    } catch (IOException | ShutdownSignalException e) {
      log.debug("could not ask for the target exchanges; asking again when it is needed", e);
    } finally {
      lookedAtNanos = nanos.getAsLong();
    }
  }

  /** On channels of their own: one that is asked for what is not there is closed. */
  private List<String> ask(Connection open) throws IOException {
    List<String> absent = new ArrayList<>();
    Channel channel = newChannel(open);
    try {
      for (String name : names) {
        try {
          channel.exchangeDeclarePassive(name);
        } catch (IOException e) {
          if (!BrokerProblem.of(e).hasCode(AMQP.NOT_FOUND)) {
            throw e;
          }
          absent.add(name);
          channel = newChannel(open);
        }
      }
    } finally {
      channel.abort();
    }
    return List.copyOf(absent);
  }

  private static Channel newChannel(Connection open) throws IOException {
    return open.openChannel().orElseThrow(() -> new IOException("no channel is left"));
  }

  /** What has changed since the latest look. */
  private void report(List<String> found) {
    Set<String> gone = new HashSet<>(found);
    missing.forEach(gone::remove);
    gone.forEach(
        name ->
            log.warn(
                "RabbitMQ has no exchange {}: messages for it are taken in all the same, but fail"
                    + " when they are due, and are tried again; declare it",
                name));
    Set<String> back = new HashSet<>(missing);
    found.forEach(back::remove);
    back.forEach(name -> log.info("RabbitMQ has the exchange {} now", name));
  }

  /** Never fails: whether they exist does not keep messages from being taken in. */
  @Override
  public void restore(Connection open) {
    boolean isNew = !connection.equals(Optional.of(open));
    connection = Optional.of(open);
    if (isNew) {
      List<String> unused = missing();
    }
  }

  @Override
  public void suspend(String reason) {
    connection = Optional.empty();
  }
}
