package dev.carillon.ops;

import java.util.List;

/** The settings cannot be used. The message names every problem and what is accepted instead. */
public final class ConfigurationException extends RuntimeException {

  private final List<String> problems;

  ConfigurationException(List<String> problems) {
    super(
        "the configuration has "
            + (problems.size() == 1 ? "a problem" : problems.size() + " problems")
            + ":\n  - "
            + String.join("\n  - ", problems));
    this.problems = List.copyOf(problems);
  }

  /** One line for each problem; no secret is in any of them. */
  public List<String> problems() {
    return problems;
  }
}
