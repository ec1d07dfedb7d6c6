package dev.carillon.worker.action;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;

/** Reads an answer to its end and keeps its beginning, however long it is. */
final class LimitedBody implements BodySubscriber<String> {

  private final int limit;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private final CompletableFuture<String> body = new CompletableFuture<>();

  LimitedBody(int limit) {
    this.limit = limit;
  }

  @Override
  public CompletionStage<String> getBody() {
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
    }
  }

  @Override
  public void onError(Throwable error) {
    body.completeExceptionally(error);
  }

  @Override
  public void onComplete() {
    body.complete(kept.toString(StandardCharsets.UTF_8));
  }
}
