package dev.carillon.worker.action;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values in a request that may be secrets, since nobody can tell which of them are: what its
 * query, its headers and its body say. A receiver may repeat them in its answer, which is shown to
 * others than the request is. Used by one thread.
 */
final class RequestSecrets {

  private static final String MASK = "***";

  /** Shorter ones are no secrets, and would be found in any text. */
  private static final int MIN_LENGTH = 4;

  /** Headers that say nothing but how to talk. */
  private static final Set<String> HARMLESS =
      Set.of("accept", "accept-encoding", "accept-language", "content-type", "user-agent");

  private static final Pattern HEADER_PARTS = Pattern.compile("[\\s,;=]+");

  /** After the name in {@code name=value}, {@code name: value} and {@code <name>value</name>}. */
  private static final Pattern TEXT_VALUE = Pattern.compile("[=:>]\\s*[\"']?([^\"'<>&\\r\\n]+)");

  private static final ObjectReader JSON =
      new ObjectMapper().reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final List<String> longestFirst;

  private RequestSecrets(Collection<String> values) {
    longestFirst =
        values.stream()
            .filter(value -> value.length() >= MIN_LENGTH)
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
  }

  static RequestSecrets of(Action.Http request) {
    Set<String> values = new HashSet<>();
    request
        .headers()
        .forEach(
            (name, value) -> {
              if (!HARMLESS.contains(name.toLowerCase(Locale.ROOT))) {
                values.add(value.strip());
                values.addAll(List.of(HEADER_PARTS.split(value, -1)));
              }
            });
    String query = URI.create(request.url()).getRawQuery();
    if (query != null) {
      for (String field : query.split("&", -1)) {
        String value = field.substring(field.indexOf('=') + 1);
        values.add(value);
        values.add(decoded(value));
      }
    }
    request.body().ifPresent(body -> values.addAll(valuesOf(body)));
    return new RequestSecrets(values);
  }

  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException notEncoded) {
      return value;
    }
  }

  private static Collection<String> valuesOf(Body body) {
    List<String> values = new ArrayList<>();
    values.add(body.text().strip());
    try {
      addLeaves(JSON.readTree(body.text()), values);
    } catch (JsonProcessingException otherText) {
      Matcher matcher = TEXT_VALUE.matcher(body.text());
      while (matcher.find()) {
        values.add(matcher.group(1).strip());
        values.add(decoded(matcher.group(1).strip()));
      }
    }
    return values;
  }

  private static void addLeaves(JsonNode node, List<String> values) {
    if (node.isContainerNode()) {
      node.forEach(child -> addLeaves(child, values));
    } else if (node.isTextual() || node.isNumber()) {
      values.add(node.asText());
    }
  }

  /**
   * The text with every one of the values replaced.
   *
   * @param isCut whether the text may end in the middle of a value
   */
  String mask(String text, boolean isCut) {
    String masked = text;
    for (String value : longestFirst) {
      masked = masked.replace(value, MASK);
    }
    return isCut ? maskBegun(masked) : masked;
  }

  /** Takes away what may be the beginning of a value at the end of the text. */
  private String maskBegun(String text) {
    int begun = 0;
    for (String value : longestFirst) {
      int longest = Math.min(value.length() - 1, text.length());
      for (int length = longest; length > begun; length--) {
        if (text.regionMatches(text.length() - length, value, 0, length)) {
          begun = length;
        }
      }
    }
    return begun < MIN_LENGTH ? text : text.substring(0, text.length() - begun) + MASK;
  }
}
