package dev.carillon.testkit;

import static java.util.Locale.ROOT;

import com.mongodb.ConnectionString;

/** Puts another database into a MongoDB connection string. */
final class DatabaseUri {

  private DatabaseUri() {}

  /**
   * The same servers, credentials and options, with that database, or none if empty. Credentials go
   * on being checked where they were before.
   *
   * @throws IllegalArgumentException if it is not a connection string
   */
  static String withDatabase(String uri, String database) {
    ConnectionString parsed = new ConnectionString(uri);
    int optionsAt = uri.indexOf('?');
    String beforeOptions = optionsAt < 0 ? uri : uri.substring(0, optionsAt);
    String options = optionsAt < 0 ? "" : uri.substring(optionsAt + 1);
    int hostsAt = uri.indexOf("://") + "://".length();
    int slash = beforeOptions.indexOf('/', hostsAt);
    String servers = slash < 0 ? beforeOptions : beforeOptions.substring(0, slash);

    // Without this option, the driver would look for the user in the new database.
    if (parsed.getCredential() != null && !options.toLowerCase(ROOT).contains("authsource=")) {
      String authSource = "authSource=" + parsed.getCredential().getSource();
      options = options.isEmpty() ? authSource : options + "&" + authSource;
    }
    return servers + "/" + database + (options.isEmpty() ? "" : "?" + options);
  }
}
