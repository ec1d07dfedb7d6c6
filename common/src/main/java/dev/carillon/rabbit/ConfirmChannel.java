package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import dev.carillon.rabbit.PublishAnswer.NoSuchExchange;
import dev.carillon.rabbit.PublishAnswer.NotConfirmed;
import dev.carillon.rabbit.PublishAnswer.Published;
import dev.carillon.rabbit.PublishAnswer.Refused;
import dev.carillon.rabbit.PublishAnswer.Unroutable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A channel that tells of each message what became of it. Used by one thread at a time, while the
 * broker's answers come in on the connection's own.
 *
 * <p>Once something has gone wrong with it, it is no longer usable and is to be replaced: answers
 * that are still to come could not be told from answers to what is sent next.
 */
final class ConfirmChannel {

  /**
   * How many messages may be under way. Enough to hide the way to the broker and back, few enough
   * to fit into the sockets' buffers when the broker does not read.
   */
  private static final int WINDOW = 128;

  private final Channel channel;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final NavigableMap<Long, Integer> unconfirmed = new TreeMap<>();
  private final Map<String, Deque<String>> returned = new HashMap<>();
  private boolean busy;
  private String[] addresses = {};
  private PublishAnswer[] answers = {};
  private PublishAnswer failure;
  private volatile boolean writing;

  private ConfirmChannel(Channel channel) {
    this.channel = channel;
  }

  /**
   * @param whenClosed is told when the broker closes the channel
   */
  static ConfirmChannel open(Connection connection, Runnable whenClosed) throws IOException {
    Channel channel =
        connection.openChannel().orElseThrow(() -> new IOException("no channel is left"));
    ConfirmChannel opened = new ConfirmChannel(channel);
    channel.addReturnListener(
        back ->
            opened.isReturned(
                Posting.address(back.getExchange(), back.getRoutingKey(), back.getProperties()),
                back.getReplyText()));
    channel.addConfirmListener(
        (tag, multiple) -> opened.isAnswered(tag, multiple, true),
        (tag, multiple) -> opened.isAnswered(tag, multiple, false));
    channel.confirmSelect();
    channel.addShutdownListener(
        signal -> {
          opened.fail(answerTo(signal));
          if (!signal.isInitiatedByApplication()) {
            whenClosed.run();
          }
        });
    return opened;
  }

  /**
   * Publishes and waits until there is an answer to each message or the deadline is over.
   *
   * @param postings each is asked for when it is sent
   */
  List<PublishAnswer> publish(List<? extends Supplier<Posting>> postings, Deadline deadline) {
    begin(postings.size());
    try {
      for (int i = 0; i < postings.size() && await(this::hasRoom, deadline); i++) {
        send(i, postings.get(i).get());
      }
    } catch (IOException | ShutdownSignalException e) {
      fail(answerTo(e));
    } catch (RuntimeException e) {
      fail(new NotConfirmed("another message could not be sent: " + e));
      throw e;
    } finally {
      writing = false;
    }
    if (!await(unconfirmed::isEmpty, deadline)) {
      fail(new NotConfirmed("the broker did not confirm in time"));
    }
    return end();
  }

  private void begin(int size) {
    lock.lock();
    try {
      busy = true;
      addresses = new String[size];
      answers = new PublishAnswer[size];
      returned.clear();
    } finally {
      lock.unlock();
    }
  }

  private void send(int position, Posting posting) throws IOException {
    lock.lock();
    try {
      addresses[position] = posting.address();
      unconfirmed.put(channel.getNextPublishSeqNo(), position);
    } finally {
      lock.unlock();
    }
    writing = true;
    posting.send(channel);
    writing = false;
  }

  private boolean hasRoom() {
    return unconfirmed.size() < WINDOW;
  }

  /** Whether it is so before the deadline is over or the channel fails. */
  private boolean await(BooleanSupplier condition, Deadline deadline) {
    lock.lock();
    try {
      return deadline.await(changed, () -> failure != null || condition.getAsBoolean())
          && failure == null;
    } finally {
      lock.unlock();
    }
  }

  private List<PublishAnswer> end() {
    lock.lock();
    try {
      busy = false;
      for (int i = 0; i < answers.length; i++) {
        if (answers[i] == null) {
          answers[i] = failure;
        }
      }
      return Arrays.asList(answers);
    } finally {
      lock.unlock();
    }
  }

  private void isReturned(String address, String why) {
    lock.lock();
    try {
      returned.computeIfAbsent(address, unused -> new ArrayDeque<>()).add(why);
    } finally {
      lock.unlock();
    }
  }

  /** A returned message is confirmed as well, but after it was returned. */
  private void isAnswered(long tag, boolean upTo, boolean taken) {
    lock.lock();
    try {
      Map<Long, Integer> positions = unconfirmed.subMap(upTo ? 0 : tag, true, tag, true);
      for (int position : positions.values()) {
        Deque<String> back = returned.get(addresses[position]);
        if (back != null && !back.isEmpty()) {
          answers[position] = new Unroutable(back.remove());
        } else {
          answers[position] = taken ? new Published() : new Refused("nacked by the broker");
        }
      }
      positions.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whoever waits for answers gets this one at once. */
  void giveUp(String reason) {
    lock.lock();
    try {
      if (busy) {
        fail(new NotConfirmed(reason));
      }
    } finally {
      lock.unlock();
    }
  }

  private void fail(PublishAnswer answer) {
    lock.lock();
    try {
      if (failure == null) {
        failure = answer;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private static PublishAnswer answerTo(Exception e) {
    BrokerProblem problem = BrokerProblem.of(e);
    if (problem.hasCode(AMQP.NOT_FOUND)) {
      return new NoSuchExchange(problem.reason());
    }
    boolean refused =
        problem.hasCode(AMQP.PRECONDITION_FAILED)
            || problem.hasCode(AMQP.ACCESS_REFUSED)
            || problem.hasCode(AMQP.CONTENT_TOO_LARGE);
    return refused ? new Refused(problem.reason()) : new NotConfirmed(problem.reason());
  }

  boolean isUsable() {
    lock.lock();
    try {
      return failure == null && channel.isOpen();
    } finally {
      lock.unlock();
    }
  }

  /** Whether a thread is just now handing something to the socket. */
  boolean isWriting() {
    return writing;
  }

  /** Closes the channel, whatever its state. */
  void abort() throws IOException {
    channel.abort();
  }
}
