package dev.carillon.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Docker engine, asked in its own protocol whether it is there and which images it has.
 *
 * <p>Testcontainers could be asked as well, but on a machine without Docker it takes long to find
 * that out and logs an error for each way it tried, and it repeats a hopeless pull for two minutes.
 */
final class DockerEngine {

  private static final String OK = "HTTP/1.0 200";
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(2);
  private static final Duration PULL_LIMIT = Duration.ofMinutes(10);

  private final SocketAddress address;

  private DockerEngine(SocketAddress address) {
    this.address = address;
  }

  /**
   * The engine at {@code DOCKER_HOST} if that is set, or else at one of the usual sockets.
   *
   * @throws ServerUnavailableException if none answers within two seconds
   */
  static DockerEngine find(Map<String, String> environment) throws ServerUnavailableException {
    for (SocketAddress candidate : candidates(environment)) {
      DockerEngine engine = new DockerEngine(candidate);
      if (engine.request("GET", "/_ping", ANSWER_LIMIT).startsWith(OK)) {
        return engine;
      }
    }
    throw new ServerUnavailableException("no Docker engine answers");
  }

  private static List<SocketAddress> candidates(Map<String, String> environment)
      throws ServerUnavailableException {
    String host = environment.get("DOCKER_HOST");
    if (host != null && !host.isBlank()) {
      return List.of(address(host));
    }
    Path home = Path.of(environment.getOrDefault("HOME", "/"));
    return Stream.of(
            Path.of("/var/run/docker.sock"),
            Path.of(environment.getOrDefault("XDG_RUNTIME_DIR", "/nowhere"), "docker.sock"),
            home.resolve(".docker/run/docker.sock"),
            home.resolve(".docker/desktop/docker.sock"))
        .filter(Files::exists)
        .<SocketAddress>map(UnixDomainSocketAddress::of)
        .toList();
  }

  private static SocketAddress address(String dockerHost) throws ServerUnavailableException {
    URI uri = URI.create(dockerHost);
    if ("unix".equals(uri.getScheme())) {
      return UnixDomainSocketAddress.of(uri.getPath());
    }
    if ("tcp".equals(uri.getScheme()) && uri.getPort() > 0) {
      return new InetSocketAddress(uri.getHost(), uri.getPort());
    }
    throw new ServerUnavailableException(
        "DOCKER_HOST is neither unix:///path nor tcp://host:port: " + dockerHost);
  }

  /**
   * Returns when the engine has the image, pulling it without credentials if it has not.
   *
   * @param image full name, with its tag or digest
   * @throws ServerUnavailableException if it can't be pulled
   */
  void requireImage(String image) throws ServerUnavailableException {
    if (has(image)) {
      return;
    }
    System.out.println("Docker pulls " + image + " for tests");
    String answer =
        request("POST", "/images/create?fromImage=" + URLEncoder.encode(image, UTF_8), PULL_LIMIT);
    if (!has(image)) {
      throw new ServerUnavailableException(
          "image " + image + " is not there and can't be pulled: " + lastLine(answer));
    }
  }

  private boolean has(String image) {
    return request("GET", "/images/" + image + "/json", ANSWER_LIMIT).startsWith(OK);
  }

  /** The whole answer as it came, or why there was none. */
  private String request(String method, String path, Duration limit) {
    return CompletableFuture.supplyAsync(() -> exchange(method, path), DockerEngine::inBackground)
        .completeOnTimeout("no answer within " + limit, limit.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  private String exchange(String method, String path) {
    // Version 1.0 of HTTP, so that the answer is neither chunked nor kept open.
    String request = method + " " + path + " HTTP/1.0\r\nHost: docker\r\n\r\n";
    try (SocketChannel channel = SocketChannel.open(address)) {
      channel.write(ByteBuffer.wrap(request.getBytes(US_ASCII)));
      return new String(Channels.newInputStream(channel).readAllBytes(), UTF_8);
    } catch (IOException exception) {
      return exception.toString();
    }
  }

  private static void inBackground(Runnable exchange) {
    Thread thread = new Thread(exchange, "docker-request");
    thread.setDaemon(true);
    thread.start();
  }

  private static String lastLine(String text) {
    String trimmed = text.strip();
    return trimmed.substring(trimmed.lastIndexOf('\n') + 1);
  }
}
