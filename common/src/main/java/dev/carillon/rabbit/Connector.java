package dev.carillon.rabbit;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.SocketConfigurators;
import com.rabbitmq.client.impl.DefaultExceptionHandler;
import dev.carillon.ops.Threads;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections to the broker, one at a time. Neither the driver's recovery of connections nor
 * that of topology is used: see {@link RabbitConnection}.
 */
final class Connector {

  private static final Logger log = LoggerFactory.getLogger(Connector.class);
  private static final int HEARTBEAT_SECONDS = 10;
  private static final int TIMEOUT_MILLIS = 5_000;

  private final ConnectionFactory factory;
  private final String name;
  private volatile Socket socket;

  /**
   * @param purpose what the connection is for, as part of its name and of its threads' names
   * @throws IllegalArgumentException if the URI cannot be understood
   */
  Connector(RabbitSettings settings, String purpose) {
    this.name = settings.connectionName() + " " + purpose;
    this.factory = new ConnectionFactory();
    factory.setRequestedHeartbeat(HEARTBEAT_SECONDS);
    factory.setConnectionTimeout(TIMEOUT_MILLIS);
    factory.setHandshakeTimeout(2 * TIMEOUT_MILLIS); // the driver waits for half of it at a time
    factory.setChannelRpcTimeout(TIMEOUT_MILLIS);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    factory.setExceptionHandler(new QuietExceptionHandler());
    factory.setSocketConfigurator(
        SocketConfigurators.defaultConfigurator().andThen(opened -> socket = opened));
    try {
      factory.setUri(settings.uri());
      if (settings.uri().getScheme().equalsIgnoreCase("amqps")) {
        // unless told so, the driver trusts every certificate
        factory.useSslProtocol(SSLContext.getDefault());
        factory.enableHostnameVerification();
      }
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM cannot do TLS", e);
    }
    factory.setThreadFactory(Threads.numbered("carillon-rabbit-" + purpose));
  }

  Connection open() throws IOException, TimeoutException {
    return factory.newConnection(name);
  }

  /**
   * Ends the latest connection without a word, so that threads that are stuck in writing to it come
   * free: the driver has no limit for that.
   */
  void cut() {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      log.debug("{} was closed already", name, e);
    }
  }

  String name() {
    return name;
  }

  /** The supervisor reports lost connections, once each; the driver would each time. */
  private static final class QuietExceptionHandler extends DefaultExceptionHandler {
    @Override
    public void handleUnexpectedConnectionDriverException(Connection lost, Throwable exception) {
      log.debug("driver: {}", exception.toString());
    }
  }
}
