package dev.carillon.ops;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a process and everything it depends on is.
 *
 * @param states by the names of the dependencies
 */
public record HealthReport(Map<String, HealthState> states) {

  private static final ObjectMapper JSON = new ObjectMapper();

  public HealthReport {
    states = Collections.unmodifiableMap(new LinkedHashMap<>(states));
  }

  /** Whether every dependency is up. */
  public boolean isUp() {
    return states.values().stream().allMatch(HealthState::isUp);
  }

  /**
   * As JSON: {@code {"status":"UP","checks":{"mongodb":{"status":"UP","detail":"…"}}}}, with {@code
   * DOWN} for what is not up.
   */
  public String toJson() {
    Map<String, Object> checks = new LinkedHashMap<>();
    states.forEach(
        (name, state) -> {
          Map<String, Object> check = new LinkedHashMap<>();
          check.put("status", word(state.isUp()));
          check.put("detail", state.detail());
          checks.put(name, check);
        });
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("status", word(isUp()));
    report.put("checks", checks);
    try {
      return JSON.writeValueAsString(report);
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("maps of text have a JSON form", impossible);
    }
  }

  private static String word(boolean isUp) {
    return isUp ? "UP" : "DOWN";
  }
}
