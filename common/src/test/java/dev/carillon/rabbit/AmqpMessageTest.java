package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AmqpMessageTest {

  private static AmqpMessage message(String routingKey, Map<String, Object> headers) {
    return new AmqpMessage("", routingKey, "id", "text/plain", headers, "text");
  }

  @Test
  void namesMayHaveAsManyBytesAsAmqpHasForThem() {
    assertThat(message("k".repeat(255), Map.of()).routingKey()).hasSize(255);
    assertThatThrownBy(() -> message("k".repeat(256), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("routingKey has 256 bytes, 255 are allowed");
    assertThatThrownBy(() -> message("ü".repeat(128), Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> message("", Map.of("h".repeat(256), "x")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void headersAreSimpleValues() {
    Map<String, Object> headers = Map.of("a", "text", "b", 7L, "c", 7, "d", true);
    assertThat(message("", headers).headers()).isEqualTo(headers);
    assertThatThrownBy(() -> message("", Map.of("list", List.of())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("list");
  }
}
