package dev.carillon.bench.peer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Connections to PostgreSQL. */
final class Database {

  /** For those that create and run at a time, beside the threads that run jobs. */
  private static final int MORE_CONNECTIONS = 10;

  private Database() {}

  /** A pool with a connection for each thread, and some. */
  static HikariDataSource pool(String jdbcUrl, int threads) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbcUrl + "&reWriteBatchedInserts=true");
    config.setMaximumPoolSize(threads + MORE_CONNECTIONS);
    return new HikariDataSource(config);
  }

  static void execute(HikariDataSource pool, String script) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(script);
    }
  }
}
