package dev.carillon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One broker for all of these tests, each of which leaves it running. */
class PrivateBrokerIT {

  private static PrivateBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = TestBroker.startPrivate("consumer_timeout = 61000");
  }

  @AfterAll
  static void closeBroker() {
    if (broker != null) {
      broker.close();
    }
  }

  @BeforeEach
  void isRunning() {
    assertThat(broker.isRunning()).isTrue();
  }

  @Test
  void keepsPersistentMessagesOverAKill() throws Exception {
    Amqp.publishPersistent(broker.uri(), "kept", "still here");

    broker.kill9();
    assertThat(broker.isRunning()).isFalse();
    broker.start();

    assertThat(Amqp.take(broker.uri(), "kept")).contains("still here");
  }

  @Test
  void isEmptyAfterAWipe() throws Exception {
    Amqp.publishPersistent(broker.uri(), "wiped", "gone soon");

    broker.stop();
    broker.wipe();
    broker.start();

    assertThat(broker.ctl("list_queues", "name")).isEmpty();
  }

  @Test
  void listsQueuesWithTheirArguments() throws Exception {
    String uri = broker.freshVhost();
    Amqp.publishPersistent(uri, "listed", "one");
    String vhost = uri.substring(uri.lastIndexOf('/') + 1);

    String listed = broker.ctl("list_queues", "-p", vhost, "name", "messages", "arguments");

    // RabbitMQ 4 adds the type of the queue to its arguments.
    assertThat(listed).startsWith("listed\t1\t[{\"x-expires\",3600000}").hasLineCount(1);
  }

  @Test
  void separatesVirtualHosts() throws Exception {
    String mine = broker.freshVhost();
    String yours = broker.freshVhost();
    Amqp.publishPersistent(mine, "same name", "mine");
    Amqp.publishPersistent(yours, "same name", "yours");

    assertThat(Amqp.take(mine, "same name")).contains("mine");
    assertThat(Amqp.take(yours, "same name")).contains("yours");
  }

  @Test
  void takesSettings() {
    assertThat(broker.ctl("eval", "application:get_env(rabbit, consumer_timeout)."))
        .contains("61000");
  }

  @Test
  void saysWhatRabbitmqctlComplainedAbout() {
    assertThatThrownBy(() -> broker.ctl("no_such_command"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no_such_command");
  }

  @Test
  void refusesWhatDoesNotFitItsState() {
    for (Runnable call : List.<Runnable>of(broker::start, broker::wipe)) {
      assertThatThrownBy(call::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("The broker is running");
    }
  }

  @Test
  void describesItself() {
    assertThat(broker.description()).matches("private process \\d+\\.\\d+\\.\\d+ on port \\d+");
  }
}
