package dev.carillon.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON without any leniency: UTF-8 only, no field twice, nothing after the value, not too
 * deep. The result is a tree of maps, lists, strings, integers, longs, big integers, big decimals,
 * booleans and nulls. Pure.
 */
final class StrictJson {

  static final int MAX_DEPTH = 100;

  private static final int MAX_NAME_LENGTH = 5_000;
  private static final int MAX_NUMBER_LENGTH = 1_000;

  /** How the parser's message of it begins; there is no exception of its own for it. */
  private static final String DUPLICATE = "Duplicate ";

  private static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxNameLength(MAX_NAME_LENGTH)
                          .maxNumberLength(MAX_NUMBER_LENGTH)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private StrictJson() {}

  /**
   * The object that a body holds.
   *
   * @throws RefusedException when there is no body, when it is not JSON, or no object
   */
  static Map<?, ?> object(byte[] body) {
    return read(body, Map.class, "a JSON object");
  }

  /**
   * The array that a body holds.
   *
   * @throws RefusedException when there is no body, when it is not JSON, or no array
   */
  static List<?> array(byte[] body) {
    return read(body, List.class, "a JSON array");
  }

  private static <T> T read(byte[] body, Class<T> type, String wanted) {
    String text = decode(body);
    if (text.isBlank()) {
      throw RefusedException.malformed("must be " + wanted + ", but there is none");
    }
    Object value = parse(text);
    if (!type.isInstance(value)) {
      throw RefusedException.malformed("must be " + wanted);
    }
    return type.cast(value);
  }

  private static String decode(byte[] body) {
    ByteBuffer bytes = ByteBuffer.wrap(body);
    CharBuffer text = CharBuffer.allocate(body.length); // never more characters than bytes
    CoderResult result =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .decode(bytes, text, true);
    if (result.isError()) {
      throw RefusedException.malformed("is not UTF-8 from byte " + bytes.position() + " on");
    }
    return text.flip().toString();
  }

  private static Object parse(String text) {
    try {
      return MAPPER.readValue(text, Object.class);
    } catch (JsonProcessingException malformed) {
      throw RefusedException.malformed(what(malformed) + where(malformed.getLocation()));
    }
  }

  /** In our words: the parser's own speak of its classes and options to people who use neither. */
  private static String what(JsonProcessingException malformed) {
    if (malformed instanceof StreamConstraintsException) {
      return "is nested deeper than %d levels, or has a name of more than %d or a number of more than %d characters"
          .formatted(MAX_DEPTH, MAX_NAME_LENGTH, MAX_NUMBER_LENGTH);
    }
    if (malformed instanceof JsonEOFException) {
      return "is not JSON: it ends before it is complete,";
    }
    if (malformed instanceof MismatchedInputException) {
      return "has something after its end";
    }
    if (malformed.getOriginalMessage().startsWith(DUPLICATE)) {
      return "has a field twice in the same object";
    }
    return "is not JSON";
  }

  private static String where(JsonLocation location) {
    return location == null
        ? ""
        : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
  }
}
