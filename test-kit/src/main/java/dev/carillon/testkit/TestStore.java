package dev.carillon.testkit;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A running server for tests that speaks MongoDB's protocol. Which one it is matters for what a
 * passing test shows, hence {@link #kind()}. Safe for use by several threads.
 */
public final class TestStore {

  private final String uri;
  private final String kind;
  private final String prefix = "test_%s_".formatted(UUID.randomUUID().toString().substring(0, 8));
  private final AtomicInteger databases = new AtomicInteger();

  TestStore(String uri, String kind) {
    this.uri = DatabaseUri.withDatabase(uri, "");
    this.kind = kind;
  }

  /**
   * The store of this JVM: started on the first call, the same on every later one, gone when the
   * JVM exits.
   *
   * @throws IllegalStateException if {@code TEST_MONGODB_URI} is set and does not answer
   */
  public static TestStore shared() {
    return StoreChoice.SHARED.get();
  }

  /** The connection string of the server, without a database. */
  public String uri() {
    return uri;
  }

  /** What this server is, for people: MongoDB or something that stands in for it. */
  public String kind() {
    return kind;
  }

  /**
   * The connection string with a database that is in nobody else's use and does not exist yet. On
   * the server of {@code TEST_MONGODB_URI}, it is dropped when the JVM exits.
   */
  public String freshDatabase() {
    return DatabaseUri.withDatabase(uri, prefix + databases.incrementAndGet());
  }

  /** Whether {@link #freshDatabase} has made up that name. */
  boolean handedOut(String database) {
    return database.startsWith(prefix);
  }
}
