package dev.carillon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * A RabbitMQ node that belongs to one test or to one JVM: a process of the user who runs the tests,
 * on free ports of loopback, with its data in a temporary folder. It can be stopped, killed, wiped
 * and started again under the same URI.
 *
 * <p>Safe for use by several threads. Neither the process nor its folder outlives {@link #close} or
 * the JVM, even if that is killed.
 */
public final class PrivateBroker implements TestBroker, AutoCloseable {

  private static final Duration STOP_LIMIT = Duration.ofMinutes(1);

  private final RabbitInstallation installation;
  private final NodeFolder folder;
  private final ExitGuard guard;
  private Process node;
  private String version;

  private PrivateBroker(RabbitInstallation installation, NodeFolder folder, ExitGuard guard) {
    this.installation = installation;
    this.folder = folder;
    this.guard = guard;
  }

  static PrivateBroker start(RabbitInstallation installation, String... settings)
      throws ServerUnavailableException {
    PrivateBroker broker;
    try {
      NodeFolder folder = NodeFolder.create(settings);
      broker = new PrivateBroker(installation, folder, ExitGuard.over(folder.path()));
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
    try {
      broker.startPortMapper();
      broker.start();
      return broker;
    } catch (RuntimeException | ServerUnavailableException exception) {
      broker.close();
      throw exception;
    }
  }

  /** Erlang's port mapper, of our own: the one that a node starts by itself would stay behind. */
  private void startPortMapper() throws ServerUnavailableException {
    Process epmd;
    try {
      epmd =
          run(
              "epmd",
              "-port",
              Integer.toString(folder.epmdPort()),
              "-address",
              NodeFolder.LOOPBACK);
    } catch (IOException exception) {
      throw new ServerUnavailableException(
          "RabbitMQ is installed, but Erlang's epmd can't be run", exception);
    }
    guard.watch("epmd", epmd);
    Readiness.await(
        "epmd",
        epmd,
        folder,
        () -> new Socket(InetAddress.getLoopbackAddress(), folder.epmdPort()).close());
  }

  /**
   * Starts the node again after {@link #stop} or {@link #kill9}, with the same URI and the data
   * that are there, and returns when it is up.
   *
   * @throws IllegalStateException if it is running, or if it does not start, with the end of its
   *     log
   */
  public synchronized void start() {
    require(!isRunning(), "is running");
    try {
      node = run(installation.server().toString());
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
    guard.watch("node", node);
    Readiness.await("RabbitMQ", node, folder, () -> version = BrokerVersion.of(uri()));
    // Connections are accepted somewhat earlier. A new node that is killed in between forgets even
    // durable queues.
    ctl("await_startup");
  }

  /**
   * Stops the node in good order, as an operator would, and returns when it has gone.
   *
   * @throws IllegalStateException if it is not running, or does not stop within a minute; it is
   *     killed then
   */
  public synchronized void stop() {
    require(isRunning(), "is not running");
    node.destroy();
    if (!Command.endsWithin(STOP_LIMIT, node)) {
      kill9();
      throw new IllegalStateException("RabbitMQ did not stop and was killed:\n" + folder.logTail());
    }
    guard.forget("node");
  }

  /**
   * Kills the node with SIGKILL, as a crash would, and returns when it has gone.
   *
   * @throws IllegalStateException if it is not running
   */
  public synchronized void kill9() {
    require(isRunning(), "is not running");
    node.destroyForcibly();
    if (!Command.endsWithin(STOP_LIMIT, node)) {
      throw new IllegalStateException("RabbitMQ could not be killed: process " + node.pid());
    }
    guard.forget("node");
  }

  /**
   * Removes all data, so that the next {@link #start} brings up an empty broker.
   *
   * @throws IllegalStateException if it is running
   */
  public synchronized void wipe() {
    require(!isRunning(), "is running");
    folder.deleteData();
  }

  /** Whether the node's process is there. */
  public synchronized boolean isRunning() {
    return node != null && node.isAlive();
  }

  @Override
  public String uri() {
    return "amqp://guest:guest@" + NodeFolder.LOOPBACK + ":" + folder.amqpPort();
  }

  @Override
  public synchronized String description() {
    return "private process " + version + " on port " + folder.amqpPort();
  }

  @Override
  public String ctl(String... arguments) {
    String[] command =
        Stream.concat(Stream.of(installation.ctl().toString(), "--silent"), Stream.of(arguments))
            .toArray(String[]::new);
    return Command.output(folder.process(command));
  }

  /** Ends the node at once, data and all. Repeatable. */
  @Override
  public synchronized void close() {
    if (isRunning()) {
      kill9();
    } else {
      guard.forget("node");
    }
    guard.close();
  }

  NodeFolder folder() {
    return folder;
  }

  private Process run(String... command) throws IOException {
    return folder
        .process(command)
        .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
        .redirectErrorStream(true)
        .redirectOutput(Redirect.appendTo(folder.log().toFile()))
        .start();
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException("The broker " + otherwise);
    }
  }
}
