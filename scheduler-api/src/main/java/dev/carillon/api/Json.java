package dev.carillon.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes answers. */
final class Json {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  /**
   * The body in UTF-8; nothing when there is none. Half a surrogate pair, which a user's text that
   * is quoted or cut may have, becomes a question mark.
   */
  static byte[] write(Answer answer) {
    if (answer.body().isEmpty()) {
      return new byte[0];
    }
    try {
      return MAPPER.writeValueAsString(answer.body().get()).getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("answers are trees of plain values", impossible);
    }
  }
}
