package dev.carillon.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Talks to an engine of the test's own, which knows one image and can pull one more. */
@Timeout(120)
class DockerEngineTest {

  @TempDir private Path folder;
  private Path socket;
  private ServerSocketChannel server;
  private final List<String> images = new CopyOnWriteArrayList<>(List.of("example.org/here:1"));

  @BeforeEach
  void listen() throws IOException {
    socket = folder.resolve("docker.sock");
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
  }

  @AfterEach
  void stopListening() throws IOException {
    server.close();
  }

  @Test
  void findsTheEngineOfDockerHost() throws ServerUnavailableException {
    serve();

    assertThat(DockerEngine.find(dockerHost(socket))).isNotNull();
  }

  @Test
  void saysQuicklyWhenThereIsNone() {
    long before = System.nanoTime();

    assertThatThrownBy(() -> DockerEngine.find(dockerHost(folder.resolve("absent"))))
        .isInstanceOf(ServerUnavailableException.class)
        .hasMessage("no Docker engine answers");
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(20));
  }

  @Test
  void doesNotWaitForAnEngineThatHangs() {
    assertThatThrownBy(() -> DockerEngine.find(dockerHost(socket)))
        .isInstanceOf(ServerUnavailableException.class)
        .hasMessage("no Docker engine answers");
  }

  @Test
  void doesNotTakeALeftOverSocketForAnEngine() throws IOException {
    server.close();
    assertThat(Files.exists(socket)).isTrue();

    assertThatThrownBy(() -> DockerEngine.find(dockerHost(socket)))
        .isInstanceOf(ServerUnavailableException.class);
  }

  @Test
  void refusesADockerHostOfAnotherKind() {
    assertThatThrownBy(() -> DockerEngine.find(Map.of("DOCKER_HOST", "ssh://builder")))
        .isInstanceOf(ServerUnavailableException.class)
        .hasMessageContaining("ssh://builder");
  }

  @Test
  void isContentWithAnImageThatIsThere() throws ServerUnavailableException {
    serve();

    DockerEngine.find(dockerHost(socket)).requireImage("example.org/here:1");
  }

  @Test
  void pullsAnImageThatIsNot() throws ServerUnavailableException {
    serve();

    DockerEngine.find(dockerHost(socket)).requireImage("example.org/remote:1");

    assertThat(images).contains("example.org/remote:1");
  }

  @Test
  void passesOnWhyAnImageCantBePulled() throws ServerUnavailableException {
    serve();
    DockerEngine engine = DockerEngine.find(dockerHost(socket));

    assertThatThrownBy(() -> engine.requireImage("example.org/nowhere:1"))
        .isInstanceOf(ServerUnavailableException.class)
        .hasMessageContaining("example.org/nowhere:1")
        .hasMessageContaining("registry is away");
  }

  private static Map<String, String> dockerHost(Path socket) {
    return Map.of("DOCKER_HOST", "unix://" + socket);
  }

  private void serve() {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  try (SocketChannel channel = server.accept()) {
                    ByteBuffer request = ByteBuffer.allocate(1024);
                    channel.read(request);
                    channel.write(UTF_8.encode(answer(UTF_8.decode(request.flip()).toString())));
                  }
                }
              } catch (ClosedChannelException endOfTest) {
                return;
              } catch (IOException exception) {
                throw new AssertionError("The engine of this test failed", exception);
              }
            },
            "docker-engine");
    thread.setDaemon(true);
    thread.start();
  }

  private String answer(String request) {
    if (request.startsWith("GET /_ping ")) {
      return "HTTP/1.0 200 OK\r\n\r\nOK";
    }
    if (request.startsWith("POST /images/create?fromImage=example.org%2Fremote%3A1 ")) {
      images.add("example.org/remote:1");
      return "HTTP/1.0 200 OK\r\n\r\n{\"status\":\"Download complete\"}";
    }
    if (request.startsWith("POST ")) {
      return "HTTP/1.0 200 OK\r\n\r\n{\"status\":\"Pulling\"}\r\n{\"error\":\"registry is away\"}\r\n";
    }
    boolean known =
        images.stream().anyMatch(image -> request.startsWith("GET /images/" + image + "/json "));
    return known ? "HTTP/1.0 200 OK\r\n\r\n{}" : "HTTP/1.0 404 Not Found\r\n\r\n{}";
  }
}
