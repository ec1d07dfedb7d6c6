package dev.carillon.rabbit;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.carillon.ops.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one connection to the broker and all that lives on it. There is a single way to get it and
 * to get it back: {@link #restore} opens what is missing, be it the very first connection, one that
 * was lost, a channel that the broker closed, a consumer that it canceled, or queues that went with
 * its data. It is tried until it works.
 *
 * <p>The driver's own recovery would do less: it needs a first connection, leaves closed channels
 * and canceled consumers alone, and remembers each pending queue ever declared to declare it again.
 *
 * <p>Thread-safe.
 */
final class RabbitConnection implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(RabbitConnection.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final Connector connector;
  private final String broker;
  private final List<Resident> residents = new CopyOnWriteArrayList<>();
  private final ScheduledThreadPoolExecutor supervisor;
  private final ScheduledThreadPoolExecutor guard;
  private final AtomicBoolean restoreIsDue = new AtomicBoolean();
  private volatile Connection connection;
  private volatile String problem = "not yet";
  private volatile String blocked;
  private volatile boolean closed;
  private volatile Duration pause = FIRST_PAUSE;
  private final Set<String> reported = new HashSet<>(); // used by the supervisor only

  RabbitConnection(RabbitSettings settings, String purpose) {
    this.connector = new Connector(settings, purpose);
    this.broker = settings.maskedUri();
    this.supervisor = Threads.scheduler("carillon-rabbit-" + purpose + "-supervisor");
    this.guard = Threads.scheduler("carillon-rabbit-" + purpose + "-guard");
  }

  /** Begins to connect, in the background. Idempotent. */
  void start() {
    restoreIn(Duration.ZERO);
  }

  /** Adds something that is kept alive from now on. They are restored in the order of adding. */
  void add(Resident resident) {
    residents.add(resident);
  }

  void remove(Resident resident) {
    residents.remove(resident);
  }

  /** Something was lost and is to be opened again soon, but not so soon that it could spin. */
  void restoreSoon() {
    restoreIn(pause);
  }

  private void restoreIn(Duration delay) {
    if (!closed && restoreIsDue.compareAndSet(false, true)) {
      try {
        Future<?> unused =
            supervisor.schedule(this::restore, delay.toNanos(), TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        log.debug("{} is being closed", connector.name());
      }
    }
  }

  private void restore() {
    restoreIsDue.set(false);
    if (closed || blocked != null) {
      return; // a blocked broker does not answer; it says when it does again
    }
    try {
      Connection open = connected();
      for (Resident resident : residents) {
        resident.restore(open);
      }
      problem = null;
      pause = FIRST_PAUSE;
      reported.clear();
    } catch (IOException | TimeoutException | RuntimeException e) {
      failed(e);
    }
    if (blocked != null) {
      suspendAll("blocked: " + blocked);
    }
  }

  private Connection connected() throws IOException, TimeoutException {
    Connection current = connection;
    if (current != null && current.isOpen()) {
      return current;
    }
    Connection fresh = connector.open();
    blocked = null;
    connection = fresh;
    if (closed) {
      fresh.abort((int) CLOSE_TIMEOUT.toMillis());
      throw new IOException("closed");
    }
    fresh.addBlockedListener(this::isBlocked, this::isUnblocked);
    fresh.addShutdownListener(signal -> isLost(fresh, signal));
    log.info("{}: connected to {}", connector.name(), broker);
    return fresh;
  }

  private void failed(Exception failure) {
    if (closed) {
      return;
    }
    BrokerProblem found = BrokerProblem.of(failure);
    problem = found.reason();
    suspendAll(problem);
    if (!reported.add(problem)) {
      log.debug("{}: still not usable: {}", connector.name(), problem);
    } else if (found.needsOperator()) {
      log.error(
          "{}: {} refuses, and somebody has to see to that; it is tried again until it works: {}",
          connector.name(),
          broker,
          problem);
    } else {
      log.warn(
          "{}: {} is not usable; it is tried again until it works: {}",
          connector.name(),
          broker,
          problem);
    }
    restoreSoon();
    pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private void isLost(Connection lost, ShutdownSignalException signal) {
    if (lost != connection || closed) {
      return;
    }
    problem = BrokerProblem.of(signal).reason();
    blocked = null;
    suspendAll(problem);
    log.warn("{}: connection lost; connecting again: {}", connector.name(), problem);
    restoreSoon();
  }

  private void isBlocked(String reason) {
    blocked = reason;
    suspendAll("blocked: " + reason);
    log.warn("{}: blocked by the broker: {}; waiting until it has room", connector.name(), reason);
  }

  private void isUnblocked() {
    blocked = null;
    log.info("{}: the broker takes messages again", connector.name());
    restoreIn(Duration.ZERO);
  }

  private void suspendAll(String reason) {
    residents.forEach(resident -> resident.suspend(reason));
  }

  RabbitState state() {
    String nowBlocked = blocked;
    String nowWrong = problem;
    if (closed) {
      return new RabbitState.NotConnected("closed");
    }
    if (nowBlocked != null) {
      return new RabbitState.Blocked(nowBlocked);
    }
    return nowWrong == null ? new RabbitState.Connected() : new RabbitState.NotConnected(nowWrong);
  }

  /**
   * Gives the connection up if a writer is still stuck in it so long after its deadline, as happens
   * when the broker does not read and all buffers are full. It is opened again.
   *
   * @return to be canceled by the writer
   */
  Future<?> cutAfter(Deadline deadline, Duration grace, BooleanSupplier isStuck) {
    try {
      return guard.schedule(
          () -> {
            if (isStuck.getAsBoolean()) {
              log.warn("{}: the broker does not read; cutting the connection", connector.name());
              connector.cut();
            }
          },
          deadline.remainingNanos() + grace.toNanos(),
          TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.completedFuture(null); // closed, and the writer soon free
    }
  }

  /** Closes the connection, with all that lives on it. Idempotent. */
  @Override
  public void close() {
    closed = true;
    supervisor.shutdownNow();
    suspendAll("closed");
    Connection current = connection;
    if (current != null) {
      current.abort((int) CLOSE_TIMEOUT.toMillis());
    }
    guard.shutdownNow();
  }
}
