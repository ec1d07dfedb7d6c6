package dev.carillon.worker.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.worker.action.LimitedBody.Beginning;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow.Subscription;
import org.junit.jupiter.api.Test;

final class LimitedBodyTest {

  private static final Subscription SUBSCRIPTION =
      new Subscription() {
        @Override
        public void request(long n) {}

        @Override
        public void cancel() {}
      };

  private final LimitedBody body = new LimitedBody(8);

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private Beginning read(ByteBuffer... parts) {
    body.onSubscribe(SUBSCRIPTION);
    for (ByteBuffer part : parts) {
      body.onNext(List.of(part));
    }
    body.onComplete();
    return body.getBody().toCompletableFuture().join();
  }

  @Test
  void aShortBodyIsKeptAsAWhole() {
    assertThat(read(bytes("ab"), bytes("cdef"), bytes("gh")))
        .isEqualTo(new Beginning("abcdefgh", false));
  }

  @Test
  void anEmptyBodyIsEmpty() {
    assertThat(read()).isEqualTo(new Beginning("", false));
  }

  @Test
  void theBeginningOfALongBodyIsKept() {
    assertThat(read(bytes("abcdef"), bytes("ghijkl"), bytes("mnop")))
        .isEqualTo(new Beginning("abcdefgh", true));
  }

  @Test
  void aCharacterThatIsCutInTheMiddleIsLeftOut() {
    assertThat(read(bytes("abcdef€"))).isEqualTo(new Beginning("abcdef", true));
  }

  @Test
  void aBodyThatBreaksOffFails() {
    body.onSubscribe(SUBSCRIPTION);
    body.onNext(List.of(bytes("ab")));
    body.onError(new IOException("connection reset"));

    assertThatThrownBy(() -> body.getBody().toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .hasRootCauseMessage("connection reset");
  }
}
