package dev.carillon.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.ops.Environment;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ApiSettingsTest {

  @Test
  void defaults() {
    assertThat(ApiSettings.read(Environment.of(Map.of())))
        .isEqualTo(new ApiSettings("0.0.0.0", 8080, 32, Duration.ofSeconds(15)));
  }

  @Test
  void allCanBeSet() {
    Environment environment =
        Environment.of(
            Map.of(
                "HTTP_HOST", "::1",
                "HTTP_PORT", "0",
                "HTTP_THREADS", "4",
                "REQUEST_TIMEOUT", "PT1S"));

    assertThat(ApiSettings.read(environment))
        .isEqualTo(new ApiSettings("::1", 0, 4, Duration.ofSeconds(1)));
  }

  @Test
  void whatCannotBeUsedIsAProblem() {
    Environment environment =
        Environment.of(Map.of("HTTP_PORT", "65536", "HTTP_THREADS", "0", "REQUEST_TIMEOUT", "1"));

    ApiSettings.read(environment);

    assertThatThrownBy(environment::check)
        .hasMessageContaining("HTTP_PORT")
        .hasMessageContaining("HTTP_THREADS")
        .hasMessageContaining("REQUEST_TIMEOUT");
  }
}
