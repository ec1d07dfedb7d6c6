package dev.carillon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.rabbitmq.RabbitMQContainer;

/** A broker in a container, which ends with the JVM. */
final class ContainerBroker implements TestBroker {

  private final RabbitMQContainer container;
  private final String version;

  private ContainerBroker(RabbitMQContainer container, String version) {
    this.container = container;
    this.version = version;
  }

  static ContainerBroker start(Map<String, String> environment) throws ServerUnavailableException {
    RabbitMQContainer container =
        Containers.start(
            environment, "TEST_RABBITMQ_IMAGE", "rabbitmq:4-management", RabbitMQContainer::new);
    try {
      return new ContainerBroker(container, BrokerVersion.of(uri(container)));
    } catch (IOException | TimeoutException exception) {
      container.stop();
      throw new ServerUnavailableException(
          "the broker in its container can't be reached: " + exception, exception);
    }
  }

  @Override
  public String uri() {
    return uri(container);
  }

  private static String uri(RabbitMQContainer container) {
    return "amqp://%s:%s@%s:%d"
        .formatted(
            container.getAdminUsername(),
            container.getAdminPassword(),
            container.getHost(),
            container.getAmqpPort());
  }

  @Override
  public String description() {
    return "container of "
        + container.getDockerImageName()
        + ", version "
        + version
        + ", on port "
        + container.getAmqpPort();
  }

  @Override
  public String ctl(String... arguments) {
    String[] command =
        Stream.concat(Stream.of("rabbitmqctl", "--silent"), Stream.of(arguments))
            .toArray(String[]::new);
    ExecResult result;
    try {
      result = container.execInContainer(command);
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while running rabbitmqctl", interrupted);
    }
    if (result.getExitCode() != 0) {
      throw new IllegalStateException(
          "%s exited with %d: %s%s"
              .formatted(
                  String.join(" ", command),
                  result.getExitCode(),
                  result.getStdout(),
                  result.getStderr()));
    }
    return result.getStdout();
  }
}
