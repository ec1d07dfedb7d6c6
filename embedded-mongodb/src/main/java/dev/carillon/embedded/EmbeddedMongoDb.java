package dev.carillon.embedded;

import de.bwaldvogel.mongo.MongoServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server that speaks MongoDB's protocol and keeps its data in a folder.
 *
 * <p>An acknowledged write survives the death of the process. Other clients see all of what a
 * command does or nothing, also after such a death. One process at a time may use a folder.
 *
 * <p>Instances are safe for use by several threads. Close the clients before the server; its
 * threads keep the JVM alive until then.
 */
public final class EmbeddedMongoDb implements AutoCloseable {

  /** What an acknowledged write survives. */
  public enum Durability {
    /**
     * The death of the process, also by kill -9: a write is handed to the operating system before
     * it is acknowledged. A power failure may lose the last writes and damage the file.
     */
    COMMIT,
    /** Power failure too: a write is forced to the disk before it is acknowledged. */
    FSYNC
  }

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedMongoDb.class);

  /**
   * Connections are spread over these threads, and one whose write waits for its commit holds up
   * the others on its thread: more threads make fuller group commits.
   */
  private static final int CONNECTION_THREADS = 32;

  private final MongoServer server;
  private final InetSocketAddress address;
  private final AtomicBoolean closed = new AtomicBoolean();

  private EmbeddedMongoDb(MongoServer server) {
    this.server = server;
    this.address = server.getLocalAddress();
  }

  /**
   * Starts a server with {@link Durability#COMMIT}.
   *
   * @see #start(String, int, Path, Durability)
   */
  public static EmbeddedMongoDb start(String host, int port, Path dataFolder) throws IOException {
    return start(host, port, dataFolder, Durability.COMMIT);
  }

  /**
   * Starts a server on the data in a folder; indexes that were declared in an earlier run work at
   * once.
   *
   * @param host a loopback address or a name of one, such as {@code 127.0.0.1}
   * @param port the port to listen on; 0 takes any free one
   * @param dataFolder where the data is kept; created, with its parents, if it is missing
   * @param durability what an acknowledged write survives
   * @throws IllegalArgumentException if the host is not a loopback address
   * @throws java.nio.file.FileSystemException if the folder cannot be written, or its file is in
   *     use by another process or damaged; the message names the file and says what to do
   * @throws BindException if the port is in use
   */
  public static EmbeddedMongoDb start(String host, int port, Path dataFolder, Durability durability)
      throws IOException {
    InetSocketAddress address = new InetSocketAddress(loopback(host), port);
    EmbeddedMongoDb started = listen(address, DataFile.open(dataFolder, durability));
    LOG.info("Embedded database at {}, data in {}", started.connectionString(), dataFolder);
    return started;
  }

  /**
   * Starts a server on any free port of 127.0.0.1 that keeps its data in memory and otherwise
   * behaves the same: for tests.
   */
  public static EmbeddedMongoDb startInMemory() {
    try {
      return listen(new InetSocketAddress(loopback("127.0.0.1"), 0), DataFile.inMemory());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InetAddress loopback(String host) throws IOException {
    InetAddress address = InetAddress.getByName(host);
    if (!address.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          host
              + " is not a loopback address: the embedded database has no authentication and"
              + " listens on loopback only, such as 127.0.0.1");
    }
    return address;
  }

  private static EmbeddedMongoDb listen(InetSocketAddress address, DurableBackend backend)
      throws IOException {
    MongoServer server = new MongoServer(backend);
    try {
      server.bind(address, 1, CONNECTION_THREADS);
      return new EmbeddedMongoDb(server);
    } catch (Exception e) { // Netty throws a BindException without declaring it
      server.shutdownNow();
      if (e instanceof BindException) {
        throw portInUse(address, e);
      }
      throw e;
    }
  }

  private static BindException portInUse(InetSocketAddress address, Exception cause) {
    BindException inUse =
        new BindException(
            address
                + " cannot be listened on ("
                + cause.getMessage()
                + "): stop the process that uses the port, or choose another port");
    inUse.initCause(cause);
    return inUse;
  }

  /** The port that the server listens on, also when any free one was asked for. */
  public int port() {
    return address.getPort();
  }

  /**
   * What a MongoDB driver connects with. Retryable writes are off, because the server has no
   * sessions.
   */
  public String connectionString() {
    String host = address.getAddress().getHostAddress();
    return "mongodb://"
        + (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host)
        + ":"
        + port()
        + "/?directConnection=true&retryWrites=false";
  }

  /**
   * Disconnects the clients, lets the commands that are being carried out finish, and closes the
   * file. Closing again does nothing.
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      server.shutdownNow();
    }
  }
}
