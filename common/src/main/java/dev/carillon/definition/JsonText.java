package dev.carillon.definition;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.UncheckedIOException;

/** Trees of plain values as the text of their JSON, with all digits of their numbers. */
final class JsonText {

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private JsonText() {}

  static String write(Object tree) {
    try {
      return JSON.writeValueAsString(tree);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("a tree of plain values has a JSON form", impossible);
    }
  }

  /** Reads what {@link #write} wrote. */
  static Object read(String json) {
    try {
      return JSON.readValue(json, Object.class);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("it was written as JSON", impossible);
    }
  }
}
