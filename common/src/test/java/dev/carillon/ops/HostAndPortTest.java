package dev.carillon.ops;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostAndPortTest {

  @ParameterizedTest
  @CsvSource({
    "localhost, localhost:80",
    "127.0.0.1, 127.0.0.1:80",
    "::1, [::1]:80",
    "[::1], [::1]:80",
    "fe80::1%eth0, [fe80::1%eth0]:80"
  })
  void anIpv6AddressHasBrackets(String host, String expected) {
    assertThat(HostAndPort.of(host, 80)).isEqualTo(expected);
  }
}
