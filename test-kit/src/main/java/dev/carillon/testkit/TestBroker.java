package dev.carillon.testkit;

import java.util.UUID;

/**
 * A running RabbitMQ broker for tests. Safe for use by several threads.
 *
 * <p>Most tests take {@link #shared()} and a {@link #freshVhost() virtual host of their own}. Tests
 * that stop, kill or wipe a broker, or need settings of its own, {@link #startPrivate start one}.
 */
public sealed interface TestBroker permits PrivateBroker, ContainerBroker, ExternalBroker {

  /**
   * The broker of this JVM: started on the first call, the same on every later one, gone when the
   * JVM exits.
   *
   * @throws IllegalStateException if there is no way to get a broker; the message says what to
   *     install
   */
  static TestBroker shared() {
    return BrokerChoice.SHARED.get();
  }

  /**
   * Starts a broker that belongs to the caller, as a process on this machine and whatever {@link
   * #shared()} is, and returns when it accepts connections.
   *
   * @param settings lines for its {@code rabbitmq.conf}, such as {@code consumer_timeout = 10000}
   * @throws IllegalStateException if RabbitMQ is not installed, with what to install, or if it does
   *     not start, with the end of its log
   */
  static PrivateBroker startPrivate(String... settings) {
    try {
      return PrivateBroker.start(RabbitInstallation.find(System.getenv()), settings);
    } catch (ServerUnavailableException unavailable) {
      throw new IllegalStateException(
          "This test needs a broker process of its own: " + unavailable.getMessage(), unavailable);
    }
  }

  /** The AMQP URI of the broker's default virtual host, with credentials. */
  String uri();

  /** What this broker is, for people: how it runs, which version, where. */
  String description();

  /**
   * Creates an empty virtual host and returns the AMQP URI for it.
   *
   * <p>The one exception is the broker of {@code TEST_AMQP_URI}: it can't be administered from
   * here, so every call answers with its own virtual host, which test classes then share. Names
   * that must be unique have to be unique on their own.
   */
  default String freshVhost() {
    String vhost = "test-" + UUID.randomUUID();
    ctl("add_vhost", vhost);
    ctl("set_permissions", "-p", vhost, "guest", ".*", ".*", ".*");
    return uri() + "/" + vhost;
  }

  /**
   * Runs {@code rabbitmqctl} on the broker and returns its standard output, without headings. For
   * example {@code ctl("list_queues", "-p", vhost, "name", "messages", "arguments")} answers one
   * line a queue, columns separated by tabs (RabbitMQ 4 lists {@code x-queue-type} among the
   * arguments even if it was not given). Takes about half a second.
   *
   * @throws IllegalStateException if it exits with an error, with what it said
   * @throws UnsupportedOperationException on the broker of {@code TEST_AMQP_URI}; tests that can't
   *     do without use {@link #startPrivate}
   */
  String ctl(String... arguments);
}
