package dev.carillon.ops;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health and metrics of a process that has no HTTP server otherwise: {@code GET /health/live}
 * (always 200), {@code GET /health/ready} (200 or 503, with the state of each dependency) and
 * {@code GET /metrics}. Thread-safe.
 */
public final class OpsServer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(OpsServer.class);
  private static final int THREADS = 4;
  private static final String JSON = "application/json";
  private static final String LONGEST_REQUEST = "sun.net.httpserver.maxReqTime";

  static {
    // seconds; otherwise a client that never ends its request would keep a thread for ever
    if (System.getProperty(LONGEST_REQUEST) == null) {
      System.setProperty(LONGEST_REQUEST, "10");
    }
  }

  private record Answer(int status, String contentType, String body) {}

  private final Health health;
  private final PrometheusMetrics metrics;
  private final InetSocketAddress address;
  private final ExecutorService threads;
  private HttpServer server;

  /**
   * @param port 0 for any free one
   */
  public OpsServer(Health health, PrometheusMetrics metrics, String host, int port) {
    this.health = health;
    this.metrics = metrics;
    this.address = new InetSocketAddress(host, port);
    this.threads = Executors.newFixedThreadPool(THREADS, Threads.numbered("ops-http"));
  }

  /**
   * Binds the port and answers from now on.
   *
   * @throws UncheckedIOException when the port cannot be had
   */
  public synchronized void start() {
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot listen on " + address + ", as HEALTH_HOST and HEALTH_PORT say", e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
    log.info("health and metrics on port {}", server.getAddress().getPort());
  }

  /** The port that is listened on, once it is started. */
  public synchronized int port() {
    return server.getAddress().getPort();
  }

  /** Idempotent. */
  @Override
  public synchronized void close() {
    if (server != null) {
      server.stop(0);
    }
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer;
      try {
        answer = answer(exchange);
      } catch (RuntimeException e) {
        log.error("{} could not be answered", exchange.getRequestURI().getPath(), e);
        answer = new Answer(500, JSON, "{\"status\":500}");
      }
      send(exchange, answer);
    }
  }

  private Answer answer(HttpExchange exchange) {
    String method = exchange.getRequestMethod();
    if (!(method.equals("GET") || method.equals("HEAD"))) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      return new Answer(405, JSON, "{\"status\":405}");
    }
    return switch (exchange.getRequestURI().getPath()) {
      case "/health/live" -> new Answer(200, JSON, "{\"status\":\"UP\"}");
      case "/health/ready" -> ready(health.report());
      case "/metrics" -> new Answer(200, PrometheusMetrics.CONTENT_TYPE, metrics.scrape());
      default -> new Answer(404, JSON, "{\"status\":404}");
    };
  }

  private static Answer ready(HealthReport report) {
    return new Answer(report.isUp() ? 200 : 503, JSON, report.toJson());
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", answer.contentType());
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    boolean isHead = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(answer.status(), isHead ? -1 : body.length);
    if (!isHead) {
      exchange.getResponseBody().write(body);
    }
  }
}
