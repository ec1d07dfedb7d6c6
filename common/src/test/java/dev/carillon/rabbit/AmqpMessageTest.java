package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.task.MessageProperty;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class AmqpMessageTest {

  private static AmqpMessage message(String routingKey, Map<String, Object> headers) {
    return new AmqpMessage("", routingKey, Map.of(), headers, Optional.empty());
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
  void propertiesAreBoundedLikeNames() {
    assertThatThrownBy(
            () ->
                new AmqpMessage(
                    "",
                    "",
                    Map.of(MessageProperty.CORRELATION_ID, "c".repeat(256)),
                    Map.of(),
                    Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("correlationId has 256 bytes, 255 are allowed");
  }
}
