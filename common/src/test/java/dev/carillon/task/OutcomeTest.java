package dev.carillon.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class OutcomeTest {

  private static String kept(String error) {
    return new Outcome.Failed(error, true).error();
  }

  @Test
  void anErrorIsKeptUpToItsLimit() {
    String longest = "x".repeat(Outcome.Failed.MAX_ERROR_LENGTH);

    assertThat(kept(longest)).isEqualTo(longest);
    assertThat(kept(longest + "y"))
        .hasSize(Outcome.Failed.MAX_ERROR_LENGTH)
        .startsWith("xxx")
        .endsWith("x…");
  }

  @Test
  void anErrorIsNotCutInTheMiddleOfACharacter() {
    String rose = "\uD83C\uDF39";
    String error = "x".repeat(Outcome.Failed.MAX_ERROR_LENGTH - 2) + rose + rose;

    assertThat(kept(error)).hasSize(Outcome.Failed.MAX_ERROR_LENGTH - 1).endsWith("x…");
  }
}
