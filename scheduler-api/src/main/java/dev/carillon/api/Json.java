package dev.carillon.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;

/** Writes answers. */
final class Json {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  /** The body in UTF-8; nothing when there is none. */
  static byte[] write(Answer answer) {
    if (answer.body().isEmpty()) {
      return new byte[0];
    }
    try {
      return MAPPER.writeValueAsBytes(answer.body().get());
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("answers are trees of plain values", impossible);
    }
  }
}
