package dev.carillon.api;

import dev.carillon.form.Problem;
import dev.carillon.task.KeyedRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The header by which a client may repeat a request without having it carried out twice.
 *
 * @param values what was sent, usually nothing or one value
 */
record IdempotencyKey(List<String> values) {

  static final IdempotencyKey NONE = new IdempotencyKey(List.of());

  private static final String HEADER = "Idempotency-Key";
  private static final Pattern SHAPE = Pattern.compile("[!-~]{1,200}");

  static IdempotencyKey of(HttpServletRequest request) {
    return new IdempotencyKey(Collections.list(request.getHeaders(HEADER)));
  }

  /**
   * The request as one that may be repeated; empty when there is no key.
   *
   * @param request all by which it is told from others
   * @throws RefusedException when the header cannot be used
   */
  Optional<KeyedRequest> request(byte[] request, Instant now) {
    if (problem().isPresent()) {
      throw new RefusedException(Problems.invalid(List.of(problem().get())));
    }
    return values.stream().findFirst().map(key -> new KeyedRequest(key, fingerprint(request), now));
  }

  /** Whether there is one that can be used. */
  boolean isGiven() {
    return !values.isEmpty() && problem().isEmpty();
  }

  String value() {
    return values.get(0);
  }

  /** What is wrong with the header; empty also when there is none. */
  Optional<Problem> problem() {
    if (values.size() > 1) {
      return Optional.of(new Problem(HEADER, "must be given only once"));
    }
    return values.stream()
        .filter(value -> !SHAPE.matcher(value).matches())
        .map(value -> new Problem(HEADER, "must be 1 to 200 visible ASCII characters, no spaces"))
        .findFirst();
  }

  /** What is answered when the key has been used with another body, or for something else. */
  static Answer usedWithAnotherBody() {
    return Problems.answer(
        409,
        "this Idempotency-Key has been used with another body, or for something else; it can be"
            + " used with that one only, until 24 hours after its first use");
  }

  /** The same for the same body, byte by byte. */
  static String fingerprint(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JVM has SHA-256", impossible);
    }
  }
}
