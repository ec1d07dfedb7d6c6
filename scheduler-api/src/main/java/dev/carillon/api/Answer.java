package dev.carillon.api;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What is sent back.
 *
 * @param headers besides those that every answer has
 * @param body a tree that is sent as JSON
 */
record Answer(int status, String contentType, Map<String, String> headers, Optional<Object> body) {

  static final String JSON = "application/json";
  static final String PROBLEM = "application/problem+json";

  static Answer json(int status, Object body) {
    return new Answer(status, JSON, Map.of(), Optional.of(body));
  }

  static Answer empty(int status) {
    return new Answer(status, JSON, Map.of(), Optional.empty());
  }

  Answer with(String header, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new Answer(status, contentType, more, body);
  }
}
