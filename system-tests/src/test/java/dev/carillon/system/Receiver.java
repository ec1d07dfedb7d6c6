package dev.carillon.system;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** The other side of http actions: writes down every run that reaches it. */
final class Receiver implements AutoCloseable {

  /** A run as it was received. */
  record Run(
      Instant at,
      String key,
      String taskId,
      long index,
      int attempt,
      Instant dueAt,
      long fencingToken) {}

  /** What a run is answered with. */
  record Answer(int status, Map<String, String> headers) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Run> runs = Collections.synchronizedList(new ArrayList<>());
  private volatile Function<Run, Answer> answer = run -> new Answer(204, Map.of());

  Receiver() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/run", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Run run =
          new Run(
              Instant.now(),
              header(exchange, "Idempotency-Key"),
              header(exchange, "X-Carillon-Task-Id"),
              Long.parseLong(header(exchange, "X-Carillon-Index")),
              Integer.parseInt(header(exchange, "X-Carillon-Attempt")),
              Instant.parse(header(exchange, "X-Carillon-Due-At")),
              Long.parseLong(header(exchange, "X-Carillon-Fencing-Token")));
      exchange.getRequestBody().readAllBytes();
      runs.add(run);
      Answer given = answer.apply(run);
      given.headers().forEach(exchange.getResponseHeaders()::set);
      exchange.sendResponseHeaders(given.status(), -1);
    }
  }

  private static String header(HttpExchange exchange, String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }

  /** Decides on the status of each answer; may take its time. */
  void answerWith(Function<Run, Integer> status) {
    answer = run -> new Answer(status.apply(run), Map.of());
  }

  /** Decides on each answer; may take its time. */
  void giveAnswers(Function<Run, Answer> answers) {
    answer = answers;
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/run";
  }

  List<Run> runs() {
    synchronized (runs) {
      return List.copyOf(runs);
    }
  }

  List<Run> runsOf(String taskId) {
    return runs().stream().filter(run -> run.taskId().equals(taskId)).toList();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
