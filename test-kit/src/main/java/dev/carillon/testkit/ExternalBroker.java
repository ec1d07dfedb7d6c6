package dev.carillon.testkit;

import java.io.IOException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** The broker that {@code TEST_AMQP_URI} names: used as it is, neither administered nor stopped. */
final class ExternalBroker implements TestBroker {

  private static final Pattern USER_INFO = Pattern.compile("//[^@/]*@");

  private final String uri;
  private final String version;

  private ExternalBroker(String uri, String version) {
    this.uri = uri;
    this.version = version;
  }

  /**
   * @throws IllegalStateException if it does not answer: who names a broker wants no other one
   */
  static ExternalBroker at(String uri) {
    try {
      return new ExternalBroker(uri, BrokerVersion.of(uri));
    } catch (IOException | TimeoutException exception) {
      throw new IllegalStateException("No connection to the broker of TEST_AMQP_URI", exception);
    }
  }

  @Override
  public String uri() {
    return uri;
  }

  @Override
  public String description() {
    return "version "
        + version
        + " at "
        + USER_INFO.matcher(uri).replaceFirst("//")
        + " (TEST_AMQP_URI), test classes share its virtual host";
  }

  @Override
  public String freshVhost() {
    return uri;
  }

  @Override
  public String ctl(String... arguments) {
    throw new UnsupportedOperationException(
        "rabbitmqctl can't be run on the broker of TEST_AMQP_URI; unset it to let the tests start"
            + " their own");
  }
}
