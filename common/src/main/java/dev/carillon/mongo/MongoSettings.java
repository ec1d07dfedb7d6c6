package dev.carillon.mongo;

import com.mongodb.ConnectionString;
import java.time.Duration;
import java.util.Objects;

/**
 * Where the store is and how it is used.
 *
 * @param uri a MongoDB connection string that names the database in its path. What it says about
 *     timeouts wins over {@code timeout}.
 * @param applicationName how this process is called in the server's logs
 * @param timeout for one operation, with everything that belongs to it: finding the primary,
 *     connecting, repeating after a lost connection
 * @param archiveRetention how long sub-tasks are kept after they have ended and left their task's
 *     window
 */
public record MongoSettings(
    String uri, String applicationName, Duration timeout, Duration archiveRetention) {

  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
  public static final Duration DEFAULT_ARCHIVE_RETENTION = Duration.ofDays(30);

  /** The server keeps retention times as seconds in 31 bits. */
  private static final Duration LONGEST_RETENTION = Duration.ofSeconds(Integer.MAX_VALUE);

  /**
   * @throws IllegalArgumentException when something is wrong; the message says what, and contains
   *     nothing secret
   */
  public MongoSettings {
    Objects.requireNonNull(applicationName, "applicationName");
    if (databaseOf(uri) == null) {
      throw new IllegalArgumentException(
          "the URI must name a database in its path, such as mongodb://localhost:27017/carillon");
    }
    if (timeout.toMillis() < 1) {
      throw new IllegalArgumentException("the timeout must be positive");
    }
    if (archiveRetention.toSeconds() < 1 || archiveRetention.compareTo(LONGEST_RETENTION) > 0) {
      throw new IllegalArgumentException(
          "the retention time must be at least one second and at most " + LONGEST_RETENTION);
    }
  }

  /** Settings with the default times. */
  public static MongoSettings of(String uri, String applicationName) {
    return new MongoSettings(uri, applicationName, DEFAULT_TIMEOUT, DEFAULT_ARCHIVE_RETENTION);
  }

  /** The name of the database. */
  public String database() {
    return databaseOf(uri);
  }

  /** Where the store is, for people: hosts and database, without credentials. */
  public String address() {
    return "mongodb://" + String.join(",", new ConnectionString(uri).getHosts()) + "/" + database();
  }

  private static String databaseOf(String uri) {
    return new ConnectionString(uri).getDatabase();
  }

  /** Without the URI, which may contain a password. */
  @Override
  public String toString() {
    return "MongoSettings[hosts="
        + new ConnectionString(uri).getHosts()
        + ", database="
        + database()
        + ", timeout="
        + timeout
        + ", archiveRetention="
        + archiveRetention
        + "]";
  }
}
