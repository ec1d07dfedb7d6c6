package dev.carillon.worker.action;

import dev.carillon.worker.action.LimitedBody.Beginning;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.regex.Pattern;

/** Reads an answer to its end and keeps its beginning, however long it is. */
final class LimitedBody implements BodySubscriber<Beginning> {

  /**
   * How an answer begins.
   *
   * @param text read as UTF-8
   * @param isCut whether it goes on
   */
  record Beginning(String text, boolean isCut) {}

  private static final Pattern HALF_CHARACTER = Pattern.compile("\uFFFD+$");

  private final int limit;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private final CompletableFuture<Beginning> body = new CompletableFuture<>();
  private boolean cut;

  /**
   * @param limit how many bytes are kept
   */
  LimitedBody(int limit) {
    this.limit = limit;
  }

  @Override
  public CompletionStage<Beginning> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> parts) {
    for (ByteBuffer part : parts) {
      byte[] bytes = new byte[Math.min(part.remaining(), limit - kept.size())];
      part.get(bytes);
      kept.writeBytes(bytes);
      cut |= part.hasRemaining();
    }
  }

  @Override
  public void onError(Throwable error) {
    body.completeExceptionally(error);
  }

  @Override
  public void onComplete() {
    String text = kept.toString(StandardCharsets.UTF_8);
    if (cut) {
      text = HALF_CHARACTER.matcher(text).replaceFirst("");
    }
    body.complete(new Beginning(text, cut));
  }
}
