package dev.carillon.worker.action;

import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import dev.carillon.task.Outcome;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends HTTP requests. Any 2xx answer is success. Connection errors, timeouts and the answers 408,
 * 425, 429 and 5xx are worth another attempt; other answers are not, since the same request would
 * get the same answer. Redirects are not followed: 3xx is not success.
 */
public final class HttpHandler implements ActionHandler<Action.Http> {

  private static final int SHOWN_OF_ANSWER = 300;

  private final HttpClient client;

  public HttpHandler() {
    // HTTP/1.1: an upgrade to HTTP/2 without TLS is refused by many servers
    this.client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  @Override
  public Outcome handle(Action.Http action, Attempt attempt) throws InterruptedException {
    CompletableFuture<HttpResponse<String>> exchange =
        client.sendAsync(request(action, attempt), answer -> new LimitedBody(SHOWN_OF_ANSWER));
    try {
      HttpResponse<String> answer =
          exchange.get(action.timeout().toMillis(), TimeUnit.MILLISECONDS);
      return outcome(action, answer.statusCode(), answer.body());
    } catch (TimeoutException e) {
      return new Outcome.Failed(target(action) + ": no answer within " + action.timeout(), true);
    } catch (ExecutionException e) {
      return failed(action, e.getCause());
    } finally {
      exchange.cancel(true);
    }
  }

  private static HttpRequest request(Action.Http action, Attempt attempt) {
    HttpRequest.Builder request = HttpRequest.newBuilder(action.url());
    BodyPublisher body =
        action
            .body()
            .map(Body::text)
            .map(BodyPublishers::ofString)
            .orElseGet(BodyPublishers::noBody);
    request.method(action.method(), body);
    action.body().ifPresent(b -> request.setHeader("Content-Type", b.contentType()));
    request.setHeader("User-Agent", "Carillon");
    action.headers().forEach(request::setHeader);
    attempt.headers().forEach(request::setHeader);
    request.setHeader("Idempotency-Key", attempt.idempotencyKey());
    return request.build();
  }

  private static Outcome outcome(Action.Http action, int status, String answer) {
    if (status >= 200 && status < 300) {
      return new Outcome.Succeeded();
    }
    boolean retryable = status == 408 || status == 425 || status == 429 || status >= 500;
    String shown = answer.isBlank() ? "" : ": " + answer.strip();
    return new Outcome.Failed(target(action) + " answered " + status + shown, retryable);
  }

  private static Outcome failed(Action.Http action, Throwable cause) {
    boolean retryable = cause instanceof IOException;
    return new Outcome.Failed(target(action) + ": " + describe(cause), retryable);
  }

  private static String describe(Throwable cause) {
    String name = cause.getClass().getSimpleName();
    return cause.getMessage() == null ? name : name + ": " + cause.getMessage();
  }

  /** Method and place, without the query: it may hold secrets. */
  private static String target(Action.Http action) {
    URI url = action.url();
    String path = url.getRawPath() == null ? "" : url.getRawPath();
    return action.method() + " " + url.getScheme() + "://" + url.getRawAuthority() + path;
  }
}
