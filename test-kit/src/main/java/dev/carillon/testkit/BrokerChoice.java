package dev.carillon.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Decides which broker the tests of this JVM use. */
final class BrokerChoice {

  static final OncePerJvm<TestBroker> SHARED =
      new OncePerJvm<>(() -> announced(choose(System.getenv())));

  private BrokerChoice() {}

  /**
   * @throws IllegalStateException if there is no broker to be had, or if an installed one does not
   *     start
   */
  static TestBroker choose(Map<String, String> environment) {
    String uri = environment.get("TEST_AMQP_URI");
    if (uri != null && !uri.isBlank()) {
      return ExternalBroker.at(uri);
    }
    List<String> reasons = new ArrayList<>();
    try {
      return ContainerBroker.start(environment);
    } catch (ServerUnavailableException unavailable) {
      reasons.add(unavailable.getMessage());
      System.out.println("RabbitMQ for tests: no container, because " + unavailable.getMessage());
    }
    try {
      PrivateBroker broker = PrivateBroker.start(RabbitInstallation.find(environment));
      Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "close-shared-broker"));
      return broker;
    } catch (ServerUnavailableException unavailable) {
      reasons.add(unavailable.getMessage());
    }
    throw new IllegalStateException(
        "No RabbitMQ for tests. Install one, or set TEST_AMQP_URI. Tried: "
            + String.join("; ", reasons));
  }

  private static TestBroker announced(TestBroker broker) {
    System.out.println("RabbitMQ for tests: " + broker.description());
    return broker;
  }
}
