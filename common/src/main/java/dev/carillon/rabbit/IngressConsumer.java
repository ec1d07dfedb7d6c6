package dev.carillon.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import dev.carillon.ops.OutageLog;
import dev.carillon.ops.SparingLog;
import dev.carillon.ops.Threads;
import dev.carillon.queue.IncomingMessage;
import dev.carillon.queue.IncomingMessage.Answer.Refused;
import dev.carillon.queue.IncomingMessages;
import dev.carillon.task.Action;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages for one target from their queue, in batches: what arrives while one is being taken
 * in makes up the next. A batch is acknowledged as a whole, once all of it is safe. If the channel
 * is lost, what was not acknowledged arrives again, one at a time for a while: a message that the
 * driver cannot read takes the connection with it, over and over, until the broker's delivery limit
 * puts it aside, and those beside it must not be put aside with it. Thread-safe.
 */
final class IngressConsumer implements Resident, AutoCloseable {

  /** How many messages go together. */
  static final int BATCH = 1_000;

  private static final Logger log = LoggerFactory.getLogger(IngressConsumer.class);
  private static final int PREFETCH = 2 * BATCH;
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final RabbitConnection connection;
  private final String target;
  private final String queue;
  private final IncomingMessages taker;
  private final Aside aside;
  private final SparingLog strays = new SparingLog(log);
  private final OutageLog takingOutage;
  private final OutageLog asideOutage;
  private final Thread thread;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private volatile Optional<Consuming> current = Optional.empty();

  IngressConsumer(
      RabbitConnection connection,
      String target,
      String queue,
      IncomingMessages taker,
      Aside aside) {
    this.connection = connection;
    this.target = target;
    this.queue = queue;
    this.taker = taker;
    this.aside = aside;
    this.takingOutage = new OutageLog(log, "take in messages from " + queue);
    this.asideOutage = new OutageLog(log, "put messages from " + queue + " aside");
    this.thread = Threads.named("carillon-ingress-" + target).newThread(this::takeAll);
  }

  String queue() {
    return queue;
  }

  void start() {
    thread.start();
  }

  /** One consumer on one channel, and what has arrived through it. */
  private final class Consuming {

    private final Channel channel;
    private final BlockingQueue<Delivery> arrived = new LinkedBlockingQueue<>();
    private final boolean careful;
    private volatile boolean lost;
    private int taken; // changed by the thread only, and before lost is

    Consuming(Channel channel, boolean careful) {
      this.channel = channel;
      this.careful = careful;
    }

    /** Goes back to many at a time, once what was out with the one before has been taken in. */
    void hasTaken(int count) {
      taken += count;
      if (careful && taken >= PREFETCH) {
        lost = true;
        connection.restoreSoon();
      }
    }

    boolean startsCarefulNext() {
      return !(careful && taken >= PREFETCH);
    }

    boolean isActive() {
      return !lost && channel.isOpen();
    }

    void isLost() {
      lost = true;
      if (!isStopping()) {
        connection.restoreSoon();
      }
    }
  }

  @Override
  public void restore(Connection open) throws IOException {
    if (isStopping() || isActive()) {
      return;
    }
    boolean careful = current.map(Consuming::startsCarefulNext).orElse(false);
    if (current.isPresent()) {
      current.get().channel.abort();
    }
    Channel channel = open.openChannel().orElseThrow(() -> new IOException("no channel is left"));
    Consuming consuming = new Consuming(channel, careful);
    try {
      channel.addShutdownListener(signal -> consuming.isLost());
      channel.basicQos(careful ? 1 : PREFETCH);
      channel.basicConsume(
          queue,
          false,
          (tag, message) -> consuming.arrived.add(message),
          tag -> consuming.isLost());
    } catch (IOException | RuntimeException e) {
      channel.abort();
      throw e;
    }
    current = Optional.of(consuming);
  }

  @Override
  public void suspend(String reason) {
    // the channel tells by itself when it is lost
  }

  boolean isActive() {
    return current.filter(Consuming::isActive).isPresent();
  }

  private boolean isStopping() {
    return stopping.getCount() == 0;
  }

  private void takeAll() {
    try {
      while (!isStopping()) {
        Optional<Consuming> consuming = current.filter(Consuming::isActive);
        if (consuming.isEmpty()) {
          pause(LOOK);
        } else {
          take(consuming.get());
        }
      }
    } catch (InterruptedException e) {
      log.debug("stopped; what was not taken in from {} is delivered again", queue, e);
    }
  }

  private void pause(Duration time) throws InterruptedException {
    boolean unused = stopping.await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void take(Consuming consuming) throws InterruptedException {
    Delivery first = consuming.arrived.poll(LOOK.toMillis(), TimeUnit.MILLISECONDS);
    if (first == null) {
      return;
    }
    List<Delivery> batch = new ArrayList<>();
    batch.add(first);
    consuming.arrived.drainTo(batch, BATCH - 1);
    List<IncomingMessage> messages = batch.stream().map(this::incoming).toList();
    if (isTaken(messages, consuming) && isPutAside(batch, messages, consuming)) {
      acknowledge(batch.get(batch.size() - 1), batch.size(), consuming);
    }
  }

  private IncomingMessage incoming(Delivery delivery) {
    return new IncomingMessage(
        new Action.Amqp(
            Topology.exchangeOf(target),
            delivery.getEnvelope().getRoutingKey(),
            MessageForm.headersOf(delivery.getProperties()),
            MessageForm.propertiesOf(delivery.getProperties()),
            Optional.of(MessageForm.bodyOf(delivery.getBody())),
            true));
  }

  /** Whether all of them have been answered before they will arrive again. */
  private boolean isTaken(List<IncomingMessage> messages, Consuming consuming)
      throws InterruptedException {
    List<IncomingMessage> open = messages;
    while (consuming.isActive() && !isStopping()) {
      try {
        taker.take(open);
        takingOutage.succeeded();
        return true;
      } catch (RuntimeException | Error e) { // whatever it is, the next batch must have its turn
        takingOutage.failed(e);
        open = open.stream().filter(message -> message.answer().isEmpty()).toList();
        pause(PAUSE);
      }
    }
    return false;
  }

  private boolean isPutAside(
      List<Delivery> batch, List<IncomingMessage> messages, Consuming consuming)
      throws InterruptedException {
    for (int i = 0; i < batch.size(); i++) {
      if (messages.get(i).answer().get() instanceof Refused refused
          && !isPutAside(batch.get(i), refused.reason(), consuming)) {
        return false;
      }
    }
    return true;
  }

  private boolean isPutAside(Delivery message, String reason, Consuming consuming)
      throws InterruptedException {
    Posting posting = aside.form(message, reason);
    while (consuming.isActive() && !isStopping()) {
      PublishAnswer answer = aside.put(posting);
      if (answer instanceof PublishAnswer.Published) {
        asideOutage.succeeded();
        strays.warn("a message to {} makes no sense ({}); it is put aside", queue, reason);
        return true;
      }
      asideOutage.failed(new IOException(answer.reason()));
      pause(PAUSE);
    }
    return false;
  }

  private void acknowledge(Delivery last, int count, Consuming consuming) {
    try {
      consuming.channel.basicAck(last.getEnvelope().getDeliveryTag(), true);
      consuming.hasTaken(count);
    } catch (IOException | ShutdownSignalException e) {
      log.debug("not acknowledged; what was taken in from {} is delivered again", queue, e);
    }
  }

  @Override
  public void close() {
    stopping.countDown();
    connection.remove(this);
    try {
      thread.join(STOP_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt();
  }
}
