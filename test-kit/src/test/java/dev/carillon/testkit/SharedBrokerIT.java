package dev.carillon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SharedBrokerIT {

  private final TestBroker broker = TestBroker.shared();

  @Test
  void isTheSameForAllTests() {
    assertThat(TestBroker.shared()).isSameAs(broker);
  }

  @Test
  void hasFreshVirtualHosts() throws Exception {
    String uri = broker.freshVhost();

    Amqp.publishPersistent(uri, "queue", "arrives");

    assertThat(Amqp.take(uri, "queue")).contains("arrives");
  }

  @Test
  void worksAsABrokerThatTheEnvironmentNames() throws Exception {
    TestBroker named = BrokerChoice.choose(Map.of("TEST_AMQP_URI", broker.freshVhost()));

    Amqp.publishPersistent(named.freshVhost(), "queue", "arrives");

    assertThat(Amqp.take(named.uri(), "queue")).contains("arrives");
    assertThat(named.description()).contains("TEST_AMQP_URI").doesNotContain("guest");
    assertThatThrownBy(() -> named.ctl("status")).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void failsWhenTheBrokerThatTheEnvironmentNamesIsAway() {
    String uri = "amqp://guest:guest@127.0.0.1:" + FreePort.next();

    assertThatThrownBy(() -> BrokerChoice.choose(Map.of("TEST_AMQP_URI", uri)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("TEST_AMQP_URI");
  }
}
