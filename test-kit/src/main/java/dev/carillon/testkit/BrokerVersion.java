package dev.carillon.testkit;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;

/** Asks a broker for its version, which also shows that it accepts connections and credentials. */
final class BrokerVersion {

  private BrokerVersion() {}

  static String of(String uri) throws IOException, TimeoutException {
    ConnectionFactory connections = new ConnectionFactory();
    connections.setAutomaticRecoveryEnabled(false);
    try {
      connections.setUri(uri);
    } catch (URISyntaxException | GeneralSecurityException exception) {
      throw new IllegalArgumentException("Not an AMQP URI", exception);
    }
    try (Connection connection = connections.newConnection("test-kit")) {
      return connection.getServerProperties().get("version").toString();
    }
  }
}
