package dev.carillon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.ops.ConfigurationException;
import dev.carillon.ops.Environment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IngressSettingsTest {

  private static List<String> read(Map<String, String> variables) {
    Environment environment = Environment.of(variables);
    List<String> names = IngressSettings.read(environment);
    environment.check();
    return names;
  }

  @Test
  void exchangesAreSeparatedByCommas() {
    assertThat(read(Map.of())).isEmpty();
    assertThat(read(Map.of("INGRESS_EXCHANGES", " orders, amq.default ,")))
        .containsExactly("orders", "amq.default");
  }

  @ParameterizedTest
  @ValueSource(strings = {"orders,orders", "or ders"})
  void whatIsNoListOfThemIsRefused(String text) {
    assertThatThrownBy(() -> read(Map.of("INGRESS_EXCHANGES", text)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("INGRESS_EXCHANGES");
  }
}
