package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.Inbox;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.InstantSource;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsTest {

  private static final char[] PASSWORD = "password".toCharArray();

  @TempDir Path folder;

  @Test
  void aCertificateThatNobodyVouchesForIsRefused() throws Exception {
    try (SSLServerSocket server = serverWithItsOwnCertificate();
        LogCapture log = new LogCapture(RabbitConnection.class)) {
      Thread handshakes = new Thread(() -> shakeHands(server));
      handshakes.setDaemon(true);
      handshakes.start();
      URI uri = URI.create("amqps://guest:guest@127.0.0.1:" + server.getLocalPort());
      try (RabbitQueues queues =
          new RabbitQueues(
              RabbitSettings.of(uri, "carillon test"),
              InstantSource.system(),
              SchedulerMetrics.NONE)) {
        queues.start();

        await()
            .atMost(Inbox.PATIENCE)
            .untilAsserted(
                () ->
                    assertThat(queues.state().toString())
                        .startsWith("not connected: SSLHandshakeException"));
        assertThat(log.messages(Level.ERROR)).hasSize(1);
      }
    }
  }

  private static void shakeHands(SSLServerSocket server) {
    while (!server.isClosed()) {
      try (SSLSocket client = (SSLSocket) server.accept()) {
        client.startHandshake();
      } catch (IOException e) {
        // what the test is about, or its end
      }
    }
  }

  private SSLServerSocket serverWithItsOwnCertificate() throws Exception {
    Path keys = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                keys.toString(),
                "-storepass",
                new String(PASSWORD))
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keys)) {
      store.load(in, PASSWORD);
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return (SSLServerSocket)
        context
            .getServerSocketFactory()
            .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }
}
