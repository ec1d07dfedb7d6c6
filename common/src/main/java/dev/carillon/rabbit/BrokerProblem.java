package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLException;

/**
 * What is the matter with a connection or channel; the one place that reads driver exceptions.
 *
 * @param reason the broker's own words where it had any
 * @param replyCode the broker's code, if the broker closed something
 * @param needsOperator whether it will hardly go away by itself. It is tried again all the same:
 *     somebody may put it right.
 */
record BrokerProblem(String reason, Optional<Integer> replyCode, boolean needsOperator) {

  private static final Set<Integer> FOR_OPERATORS =
      Set.of(AMQP.INVALID_PATH, AMQP.ACCESS_REFUSED, AMQP.PRECONDITION_FAILED, AMQP.NOT_ALLOWED);

  static BrokerProblem of(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ShutdownSignalException signal && signal.getReason() != null) {
        return of(signal.getReason());
      }
      if (cause instanceof AuthenticationFailureException || cause instanceof SSLException) {
        return new BrokerProblem(describe(cause), Optional.empty(), true);
      }
    }
    return new BrokerProblem(describe(root(failure)), Optional.empty(), false);
  }

  private static BrokerProblem of(Method close) {
    if (close instanceof AMQP.Channel.Close channel) {
      return of(channel.getReplyCode(), channel.getReplyText());
    }
    if (close instanceof AMQP.Connection.Close connection) {
      return of(connection.getReplyCode(), connection.getReplyText());
    }
    return new BrokerProblem(close.protocolMethodName(), Optional.empty(), false);
  }

  private static BrokerProblem of(int code, String text) {
    return new BrokerProblem(text, Optional.of(code), FOR_OPERATORS.contains(code));
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  private static String describe(Throwable failure) {
    String name = failure.getClass().getSimpleName();
    return failure.getMessage() == null ? name : name + ": " + failure.getMessage();
  }

  boolean hasCode(int code) {
    return replyCode.filter(c -> c == code).isPresent();
  }
}
