package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

final class BrokerProblemTest {

  private static Method channelClosed(int code, String text) {
    return new AMQP.Channel.Close.Builder().replyCode(code).replyText(text).build();
  }

  private static Method connectionClosed(int code, String text) {
    return new AMQP.Connection.Close.Builder().replyCode(code).replyText(text).build();
  }

  private static BrokerProblem wrapped(Method close) {
    return BrokerProblem.of(
        new IOException(new ShutdownSignalException(false, false, close, null)));
  }

  @Test
  void theBrokersOwnWordsAreKept() {
    assertThat(wrapped(channelClosed(406, "PRECONDITION_FAILED - inequivalent arg")))
        .isEqualTo(
            new BrokerProblem("PRECONDITION_FAILED - inequivalent arg", Optional.of(406), true));
    assertThat(wrapped(connectionClosed(530, "NOT_ALLOWED - vhost x not found")))
        .isEqualTo(new BrokerProblem("NOT_ALLOWED - vhost x not found", Optional.of(530), true));
  }

  @Test
  void aBrokerThatShutsDownComesBackByItself() {
    assertThat(wrapped(connectionClosed(320, "CONNECTION_FORCED - shutdown")).needsOperator())
        .isFalse();
    assertThat(wrapped(channelClosed(404, "NOT_FOUND - no exchange")).needsOperator()).isFalse();
  }

  @Test
  void wrongCredentialsDoNot() {
    BrokerProblem problem =
        BrokerProblem.of(new AuthenticationFailureException("ACCESS_REFUSED - Login was refused"));
    assertThat(problem.needsOperator()).isTrue();
    assertThat(problem.reason()).contains("ACCESS_REFUSED - Login was refused");
  }

  @Test
  void aCertificateThatIsNotTrustedDoesNot() {
    assertThat(BrokerProblem.of(new SSLHandshakeException("PKIX")).needsOperator()).isTrue();
  }

  @Test
  void otherFailuresAreNamedByTheirCause() {
    assertThat(BrokerProblem.of(new IOException(new ConnectException("Connection refused"))))
        .isEqualTo(
            new BrokerProblem("ConnectException: Connection refused", Optional.empty(), false));
    assertThat(BrokerProblem.of(new TimeoutException()).reason()).isEqualTo("TimeoutException");
    assertThat(
            BrokerProblem.of(
                    new ShutdownSignalException(true, false, null, null)
                        .initCause(new EOFException()))
                .reason())
        .isEqualTo("EOFException");
  }
}
