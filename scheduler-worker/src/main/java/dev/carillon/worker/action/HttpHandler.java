package dev.carillon.worker.action;

import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import dev.carillon.task.Outcome;
import dev.carillon.worker.action.LimitedBody.Beginning;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Sends HTTP requests. Any 2xx answer is success. Connection errors, timeouts, answers that are no
 * HTTP, and the answers 408, 425, 429 and 5xx are worth another attempt; other answers are not,
 * since the same request would get the same answer. Redirects are not followed: 3xx is not success.
 *
 * <p>Errors show the beginning of the answer, but neither the query of the URL nor anything else
 * that may be a secret of the request. Thread-safe.
 */
public final class HttpHandler implements ActionHandler<Action.Http> {

  /** In bytes. More than is shown, so that secrets are found although the answer is cut off. */
  private static final int KEPT_OF_ANSWER = 4_096;

  /** In characters. */
  private static final int SHOWN_OF_ANSWER = 300;

  private static final Pattern BLANKS = Pattern.compile("[\\s\\p{Cntrl}]+");

  private final HttpClient client;
  private final InstantSource clock;

  public HttpHandler() {
    this(InstantSource.system());
  }

  /**
   * @param clock what a date in {@code Retry-After} is compared with
   */
  HttpHandler(InstantSource clock) {
    this.clock = clock;
    // HTTP/1.1: an upgrade to HTTP/2 without TLS is refused by many servers
    this.client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  @Override
  public Outcome handle(Action.Http action, Attempt attempt) throws InterruptedException {
    HttpRequest request;
    try {
      request = request(action, attempt);
    } catch (IllegalArgumentException e) { // whose message repeats what it does not accept
      return new Outcome.Failed(target(action) + ": the URL or a header is not usable", false);
    }
    CompletableFuture<HttpResponse<Beginning>> exchange =
        client.sendAsync(request, answer -> new LimitedBody(KEPT_OF_ANSWER));
    try {
      HttpResponse<Beginning> answer =
          exchange.get(action.timeout().toMillis(), TimeUnit.MILLISECONDS);
      return outcome(action, answer);
    } catch (TimeoutException e) {
      return new Outcome.Failed(target(action) + ": no answer within " + action.timeout(), true);
    } catch (ExecutionException e) {
      String what = shown(action, describe(e.getCause()), false);
      return new Outcome.Failed(target(action) + ": " + what, true);
    } finally {
      exchange.cancel(true);
    }
  }

  private static HttpRequest request(Action.Http action, Attempt attempt) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(action.url()));
    BodyPublisher body =
        action
            .body()
            .map(Body::bytes)
            .map(BodyPublishers::ofByteArray)
            .orElseGet(BodyPublishers::noBody);
    request.method(action.method(), body);
    action.body().ifPresent(b -> request.setHeader("Content-Type", b.contentType()));
    request.setHeader("User-Agent", "Carillon");
    action.headers().forEach(request::setHeader);
    attempt.headers().forEach(request::setHeader);
    request.setHeader("Idempotency-Key", attempt.idempotencyKey());
    return request.build();
  }

  private Outcome outcome(Action.Http action, HttpResponse<Beginning> answer) {
    int status = answer.statusCode();
    if (status >= 200 && status < 300) {
      return new Outcome.Succeeded();
    }
    boolean retryable =
        status == 408 || status == 425 || status == 429 || (status >= 500 && status < 600);
    String shown = shown(action, answer.body().text(), answer.body().isCut());
    return new Outcome.Failed(
        target(action) + " answered " + status + (shown.isEmpty() ? "" : ": " + shown),
        retryable,
        status == 429 || status == 503 ? retryAfter(answer) : Optional.empty());
  }

  private Optional<Duration> retryAfter(HttpResponse<?> answer) {
    return answer
        .headers()
        .firstValue("Retry-After")
        .flatMap(header -> RetryAfter.read(header, clock.instant()));
  }

  /** In one line, without secrets, and not too long. */
  private static String shown(Action.Http action, String text, boolean isCut) {
    String masked = RequestSecrets.of(action).mask(text, isCut);
    String line = BLANKS.matcher(masked).replaceAll(" ").strip();
    return line.length() > SHOWN_OF_ANSWER ? line.substring(0, SHOWN_OF_ANSWER) + "…" : line;
  }

  /**
   * In words for people, not in names of classes. The JDK says little of what it could not connect
   * to, and hides much of the rest in causes.
   */
  private static String describe(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (root instanceof UnresolvedAddressException || root instanceof UnknownHostException) {
      return "the host name is unknown";
    }
    if (failure instanceof ConnectException) {
      boolean isMute = failure.getMessage() == null;
      return "cannot connect: " + (isMute ? "refused, or nobody is there" : failure.getMessage());
    }
    if (failure instanceof SSLException) {
      return "TLS: " + root.getMessage();
    }
    if (root instanceof EOFException || root instanceof ClosedChannelException) {
      return "the connection was closed " + when(failure);
    }
    if (root instanceof SocketException) {
      return "the connection broke: " + root.getMessage();
    }
    if (root instanceof ProtocolException || root instanceof NumberFormatException) {
      return "the answer is no HTTP: " + root.getMessage();
    }
    if (root instanceof IOException && root.getMessage() != null) {
      return root.getMessage();
    }
    return root.toString();
  }

  private static String when(Throwable failure) {
    boolean isBefore =
        failure.getMessage() == null || failure.getMessage().contains("received no bytes");
    return isBefore ? "before the answer" : "before the end of the answer";
  }

  /** Method and place, without the query: it may hold secrets. */
  private static String target(Action.Http action) {
    URI url = URI.create(action.url());
    String port = url.getPort() < 0 ? "" : ":" + url.getPort();
    return action.method()
        + " "
        + url.getScheme()
        + "://"
        + url.getHost()
        + port
        + url.getRawPath();
  }
}
