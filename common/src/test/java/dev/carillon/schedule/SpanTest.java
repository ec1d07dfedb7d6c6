package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpanTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          -PT1S                  | must not be negative or zero
          -P1D                   | must not be negative or zero
          PT-1S                  | must not be negative or zero
          P99999999999Y          | must not be longer than 9999 years
          P99999Y                | must not be longer than 9999 years
          PT99999999999999999H   | must not be longer than 9999 years
          P1DT12H                | must be either a calendar period
          5                      | "PT5S" is seconds, "PT5M" minutes, "P5D" days
          P                      | must be an ISO-8601 duration
          PT                     | must be an ISO-8601 duration
          P1DT                   | must be an ISO-8601 duration
          -5                     | must be an ISO-8601 duration
          PT5                    | must be an ISO-8601 duration
          """)
  void saysWhatIsWrong(String text, String message) {
    assertThatThrownBy(() -> Span.parse(text))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining(message);
  }
}
