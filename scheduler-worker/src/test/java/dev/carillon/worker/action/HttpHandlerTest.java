package dev.carillon.worker.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import dev.carillon.task.Outcome;
import dev.carillon.task.Outcome.Failed;
import dev.carillon.task.Outcome.Succeeded;
import dev.carillon.worker.action.ActionHandler.Attempt;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Timeout(180) // what hangs has failed
final class HttpHandlerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final String SECRET = "s3cr3t-value";
  private static final Attempt ATTEMPT = Attempts.attempt(4, 1, Duration.ofMinutes(5));

  /** What came in. */
  private record Received(
      String method, String uri, Map<String, List<String>> headers, String body) {

    String header(String name) {
      return headers.getOrDefault(name, List.of("(none)")).get(0);
    }
  }

  private interface Answer {
    void give(HttpExchange exchange) throws IOException;
  }

  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final HttpHandler handler = new HttpHandler();
  private volatile Answer answer = exchange -> exchange.sendResponseHeaders(204, -1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  @BeforeEach
  void startServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      received.add(
          new Received(
              exchange.getRequestMethod(),
              exchange.getRequestURI().toString(),
              Map.copyOf(exchange.getRequestHeaders()),
              body));
      answer.give(exchange);
    }
  }

  @AfterEach
  void stopServer() {
    server.stop(0);
    threads.shutdownNow();
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private static Answer answering(int status, String text) {
    return exchange -> {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    };
  }

  private static Action.Http request(String method, String url) {
    return new Action.Http(
        method, url, Map.of(), Optional.empty(), Action.Http.DEFAULT_TIMEOUT, false);
  }

  private static Action.Http post(String url, Map<String, String> headers, Body body) {
    return new Action.Http(
        "POST", url, headers, Optional.of(body), Action.Http.DEFAULT_TIMEOUT, false);
  }

  private static Action.Http within(Duration timeout, String url) {
    return new Action.Http("GET", url, Map.of(), Optional.empty(), timeout, false);
  }

  private Failed failure(Action.Http action) throws InterruptedException {
    Outcome outcome = handler.handle(action, ATTEMPT);
    assertThat(outcome).isInstanceOf(Failed.class);
    return (Failed) outcome;
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
  void everyMethodIsSentAsItIs(String method) throws InterruptedException {
    assertThat(handler.handle(request(method, url() + "/hook?a=1"), ATTEMPT))
        .isEqualTo(new Succeeded());

    assertThat(received).hasSize(1);
    assertThat(received.get(0).method()).isEqualTo(method);
    assertThat(received.get(0).uri()).isEqualTo("/hook?a=1");
    assertThat(received.get(0).body()).isEmpty();
  }

  @Test
  void everyAttemptCarriesTheSameKeyAndWhichOneItIs() throws InterruptedException {
    Attempt second = Attempts.attempt(4, 2, Duration.ofMinutes(5));

    handler.handle(request("POST", url()), ATTEMPT);
    handler.handle(request("POST", url()), second);

    assertThat(received)
        .extracting(one -> one.header("Idempotency-key"))
        .containsExactly(ATTEMPT.idempotencyKey(), ATTEMPT.idempotencyKey());
    assertThat(received)
        .extracting(one -> one.header("X-carillon-attempt"))
        .containsExactly("1", "2");
    assertThat(received).extracting(one -> one.header("X-carillon-index")).containsOnly("4");
    assertThat(received).extracting(one -> one.header("User-agent")).containsOnly("Carillon");
  }

  @Test
  void headersOfTheUserAreSentButThoseOfTheAttemptWin() throws InterruptedException {
    handler.handle(
        post(
            url(),
            Map.of(
                "Authorization", "Bearer abc", "User-Agent", "mine", "x-carillon-index", "forged"),
            Body.text("hello")),
        ATTEMPT);

    assertThat(received.get(0).header("Authorization")).isEqualTo("Bearer abc");
    assertThat(received.get(0).header("User-agent")).isEqualTo("mine");
    assertThat(received.get(0).headers().get("X-carillon-index")).containsExactly("4");
  }

  @Test
  void aBodyIsSentAsItIsWithItsType() throws InterruptedException {
    handler.handle(post(url(), Map.of(), Body.json("{\"name\":\"Zoë\"}")), ATTEMPT);
    handler.handle(post(url(), Map.of(), Body.text("Zoë")), ATTEMPT);
    handler.handle(post(url(), Map.of("content-type", "text/csv"), Body.text("a,b")), ATTEMPT);

    assertThat(received)
        .extracting(Received::body)
        .containsExactly("{\"name\":\"Zoë\"}", "Zoë", "a,b");
    assertThat(received)
        .extracting(one -> one.header("Content-type"))
        .containsExactly("application/json", "text/plain; charset=utf-8", "text/csv");
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 202, 204, 206, 299})
  void any2xxIsSuccess(int status) throws InterruptedException {
    answer = answering(status, status == 204 ? "" : "fine");

    assertThat(handler.handle(request("POST", url()), ATTEMPT)).isEqualTo(new Succeeded());
  }

  @ParameterizedTest
  @CsvSource({
    "400,false", "401,false", "403,false", "404,false", "407,false", "408,true", "409,false",
    "410,false", "418,false", "422,false", "425,true", "429,true", "500,true", "501,true",
    "502,true", "503,true", "504,true", "599,true", "600,false"
  })
  void otherAnswersAreFailuresThatMayBeWorthAnotherAttempt(int status, boolean retryable)
      throws InterruptedException {
    answer = answering(status, "for a reason");

    Failed failed = failure(request("POST", url() + "/hook?token=" + SECRET));

    assertThat(failed.retryable()).isEqualTo(retryable);
    assertThat(failed.error())
        .isEqualTo("POST " + url() + "/hook answered " + status + ": for a reason");
  }

  @ParameterizedTest
  @CsvSource({
    "429,7,PT7S",
    "503,7,PT7S",
    "429,'Mon, 04 Jan 2027 08:02:00 GMT',PT2M",
    "503,'Mon, 04 Jan 2027 07:00:00 GMT',PT0S",
    "429,soon,",
    "500,7,",
    "408,7,"
  })
  void theWishToBeLeftAloneIsPassedOnIfTheAnswerMayHaveIt(int status, String header, Duration wish)
      throws InterruptedException {
    HttpHandler atEight =
        new HttpHandler(InstantSource.fixed(Instant.parse("2027-01-04T08:00:00Z")));
    answer =
        exchange -> {
          exchange.getResponseHeaders().set("Retry-After", header);
          exchange.sendResponseHeaders(status, -1);
        };

    Outcome outcome = atEight.handle(request("POST", url()), ATTEMPT);

    assertThat(((Failed) outcome).retryable()).isTrue();
    assertThat(((Failed) outcome).retryAfter()).isEqualTo(Optional.ofNullable(wish));
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void redirectsAreNotFollowed(int status) throws InterruptedException {
    answer =
        exchange -> {
          exchange.getResponseHeaders().set("Location", url() + "/elsewhere");
          exchange.sendResponseHeaders(status, -1);
        };

    Failed failed = failure(request("POST", url()));

    assertThat(failed.retryable()).isFalse();
    assertThat(failed.error()).endsWith("answered " + status);
    assertThat(received).hasSize(1);
  }

  @Test
  void aRefusedConnectionIsNamedAndWorthAnotherAttempt() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }

    Failed failed = failure(request("GET", "http://127.0.0.1:" + port + "/hook"));

    assertThat(failed)
        .isEqualTo(
            new Failed(
                "GET http://127.0.0.1:"
                    + port
                    + "/hook: cannot connect: refused, or nobody is there",
                true));
  }

  @Test
  void anUnknownHostIsNamedAndWorthAnotherAttempt() throws InterruptedException {
    assertThat(failure(request("GET", "http://no-such-host.invalid")))
        .isEqualTo(new Failed("GET http://no-such-host.invalid: the host name is unknown", true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no HTTP at all\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\n"
      })
  void anAnswerThatIsNoneIsWorthAnotherAttempt(String text) throws Exception {
    try (RawServer raw =
        new RawServer(
            out -> {
              RawServer.text(text).writeTo(out);
              out.flush();
              out.close();
            })) {
      Failed failed = failure(request("POST", raw.url() + "/hook"));

      assertThat(failed.retryable()).isTrue();
      assertThat(failed.error()).startsWith("POST " + raw.url() + "/hook: ");
      assertThat(failed.error()).doesNotContain("null", "Exception", "java.");
    }
  }

  @Test
  void whatIsWrongWithAnAnswerIsToldInPlainWords() throws Exception {
    assertThat(errorOnAnswer("no HTTP at all\r\n\r\n"))
        .startsWith("the answer is no HTTP: Invalid status line");
    assertThat(errorOnAnswer("")).isEqualTo("the connection was closed before the answer");
    assertThat(errorOnAnswer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"))
        .isEqualTo("the connection was closed before the end of the answer");
  }

  /** Without the method and the place. */
  private String errorOnAnswer(String text) throws Exception {
    RawServer.Answer answerAndEnd =
        out -> {
          RawServer.text(text).writeTo(out);
          out.flush();
          out.close();
        };
    try (RawServer raw = new RawServer(answerAndEnd)) {
      String error = failure(request("GET", raw.url() + "/hook")).error();
      return error.substring(("GET " + raw.url() + "/hook: ").length());
    }
  }

  @Test
  void anAnswerThatDoesNotComeIsGivenUpAtTheTimeout() throws Exception {
    try (RawServer silent = new RawServer(out -> {})) {
      Failed failed = failure(within(SHORT, silent.url() + "/hook?token=" + SECRET));

      assertThat(failed)
          .isEqualTo(new Failed("GET " + silent.url() + "/hook: no answer within PT0.3S", true));
      await().atMost(PATIENCE).until(() -> silent.openConnections() == 0);
    }
  }

  @Test
  void anAnswerThatDripsIsGivenUpAtTheTimeoutToo() throws Exception {
    try (RawServer dripping =
        new RawServer(
            out -> {
              RawServer.text("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n").writeTo(out);
              while (true) {
                out.write('.');
                out.flush();
                LockSupport.parkNanos(10_000_000);
              }
            })) {
      Instant start = Instant.now();

      Failed failed = failure(within(SHORT, dripping.url()));

      assertThat(failed.retryable()).isTrue();
      assertThat(failed.error()).endsWith("no answer within PT0.3S");
      assertThat(Duration.between(start, Instant.now())).isGreaterThanOrEqualTo(SHORT);
      await().atMost(PATIENCE).until(() -> dripping.openConnections() == 0);
    }
  }

  @Test
  void neitherConnectionsNorThreadsPileUpWhenNobodyAnswers() throws Exception {
    try (RawServer silent = new RawServer(out -> {})) {
      long before = clientThreads();
      for (int i = 0; i < 40; i++) {
        failure(within(Duration.ofMillis(20), silent.url()));
      }

      assertThat(silent.requests()).isGreaterThan(0);
      await().atMost(PATIENCE).until(() -> silent.openConnections() == 0);
      assertThat(clientThreads() - before).isLessThan(10);
    }
  }

  private static long clientThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("HttpClient"))
        .count();
  }

  @Test
  void anInterruptionEndsTheExchange() throws Exception {
    try (RawServer silent = new RawServer(out -> {})) {
      CountDownLatch ended = new CountDownLatch(1);
      Future<?> running =
          threads.submit(
              () -> {
                assertThatThrownBy(() -> handler.handle(within(PATIENCE, silent.url()), ATTEMPT))
                    .isInstanceOf(InterruptedException.class);
                ended.countDown();
                return null;
              });
      await().atMost(PATIENCE).until(() -> silent.requests() == 1);
      Instant start = Instant.now();

      threads.shutdownNow();

      ended.await();
      assertThat(running.get()).isNull();
      assertThat(Duration.between(start, Instant.now())).isLessThan(PATIENCE.dividedBy(4));
      await().atMost(PATIENCE).until(() -> silent.openConnections() == 0);
    }
  }

  @Test
  void connectionsAreUsedAgainWhateverTheAnswer() throws Exception {
    List<InetSocketAddress> clients = new CopyOnWriteArrayList<>();
    answer =
        exchange -> {
          clients.add(exchange.getRemoteAddress());
          answering(clients.size() == 1 ? 500 : 200, "an answer").give(exchange);
        };

    handler.handle(request("GET", url()), ATTEMPT);
    handler.handle(request("GET", url()), ATTEMPT);
    handler.handle(request("GET", url()), ATTEMPT);

    assertThat(clients).hasSize(3).containsOnly(clients.get(0));
  }

  @Test
  void aHugeAnswerIsReadToItsEndAndOnlyItsBeginningKept() throws Exception {
    byte[] megabyte = "0123456789abcdef".repeat(65_536).getBytes(StandardCharsets.UTF_8);
    answer =
        exchange -> {
          exchange.sendResponseHeaders(500, 64L * megabyte.length);
          try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < 64; i++) {
              out.write(megabyte);
            }
          }
        };

    Failed failed = failure(request("GET", url()));

    assertThat(failed.error())
        .isEqualTo(
            "GET " + url() + " answered 500: " + "0123456789abcdef".repeat(18) + "0123456789ab…");
  }

  @Test
  void anAnswerIsShownInOneLine() throws InterruptedException {
    answer = answering(400, "\r\n first\n\tsecond \u0000\u001b[31m third\r\n");

    assertThat(failure(request("GET", url())).error())
        .endsWith("answered 400: first second [31m third");
  }

  @Test
  void aUrlThatCannotBeUsedIsNotTriedAgainNorShown() throws InterruptedException {
    Failed failed = failure(request("GET", "ftp://example.org/file?token=" + SECRET));

    assertThat(failed)
        .isEqualTo(
            new Failed("GET ftp://example.org/file: the URL or a header is not usable", false));
  }

  @Test
  void aHeaderThatCannotBeUsedIsNotTriedAgainNorShown() throws InterruptedException {
    Failed failed = failure(post(url(), Map.of("X-Key", SECRET + "\r\nX: y"), Body.text("x")));

    assertThat(failed.retryable()).isFalse();
    assertThat(failed.error()).doesNotContain(SECRET);
  }

  @Test
  void secretsOfARequestAreNeitherShownNorLogged() throws InterruptedException {
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Logger ours = (Logger) LoggerFactory.getLogger("dev.carillon");
    Level before = ours.getLevel();
    ours.setLevel(Level.TRACE);
    root.addAppender(logged);
    answer = HttpHandlerTest::echo;
    try {
      Failed failed =
          failure(
              post(
                  "http://"
                      + SECRET
                      + "0:"
                      + SECRET
                      + "1@127.0.0.1:"
                      + server.getAddress().getPort()
                      + "/hook?token="
                      + SECRET
                      + "2",
                  Map.of("Authorization", "Bearer " + SECRET + "3"),
                  Body.json("{\"password\":\"" + SECRET + "4\"}")));

      assertThat(received.get(0).uri()).as("it was sent").contains(SECRET);
      assertThat(failed.error()).startsWith("POST " + url() + "/hook answered 400: ");
      assertThat(failed.error()).contains("***").doesNotContain(SECRET);
      assertThat(logged.list)
          .allSatisfy(event -> assertThat(event.getFormattedMessage()).doesNotContain(SECRET));
    } finally {
      root.detachAppender(logged);
      ours.setLevel(before);
    }
  }

  /** Repeats everything that came in, as careless servers do in their errors. */
  private static void echo(HttpExchange exchange) throws IOException {
    String text =
        exchange.getRequestURI() + " " + exchange.getRequestHeaders().get("Authorization");
    answering(400, text).give(exchange);
  }

  @Test
  void secretsAreNotShownIfTheAnswerIsNoHttpEither() throws Exception {
    try (RawServer raw =
        new RawServer(RawServer.text("Sorry, token " + SECRET + " is unknown\r\n\r\n"))) {
      Failed failed = failure(request("GET", raw.url() + "?token=" + SECRET));

      assertThat(failed.error()).contains("***").doesNotContain(SECRET);
    }
  }
}
