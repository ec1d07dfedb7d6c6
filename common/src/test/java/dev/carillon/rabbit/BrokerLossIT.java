package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.Inbox;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.ParkAnswer.NotParked;
import dev.carillon.queue.ParkAnswer.Parked;
import dev.carillon.queue.WorkQueue.Subscription;
import dev.carillon.task.Action.Body;
import dev.carillon.testkit.PrivateBroker;
import dev.carillon.testkit.TestBroker;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The broker goes and comes back, in all the ways it can. */
final class BrokerLossIT extends RabbitTest {

  /** How soon after the broker all is to be back. */
  /** On a machine that does nothing else it is two seconds. */
  private static final Duration BACK_WITHIN = Duration.ofSeconds(30);

  private static PrivateBroker broker;

  @BeforeAll
  static void startBroker() {
    broker = TestBroker.startPrivate();
  }

  @AfterAll
  static void endBroker() {
    broker.close();
  }

  @BeforeEach
  void haveBroker() {
    if (!broker.isRunning()) {
      broker.start();
    }
  }

  @Override
  URI uri() {
    return URI.create(broker.uri());
  }

  private static void assertParks(RabbitQueues queues, Notice notice) {
    assertThat(queues.park(List.of(notice))).containsExactly(new Parked());
  }

  @Test
  void theBrokerMayComeAfterTheQueues() {
    broker.stop();
    Instant began = Instant.now();
    RabbitQueues queues = start(settings());
    Inbox inbox = new Inbox();
    Subscription subscription = queues.subscribe(10, inbox);
    Notice early = notice(queues, FAR);
    List<ParkAnswer> answers = queues.park(List.of(early));
    queues.remove(List.of(early.queue()));
    assertThat(Duration.between(began, Instant.now())).isLessThan(Duration.ofSeconds(4));
    assertThat(answers).singleElement().isInstanceOf(NotParked.class);
    assertThat(queues.isAvailable()).isFalse();
    assertThat(subscription.isActive()).isFalse();
    await()
        .atMost(Inbox.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(queues.state())
                    .hasToString("not connected: ConnectException: Connection refused"));

    broker.start();

    await().atMost(BACK_WITHIN).until(() -> queues.isAvailable() && subscription.isActive());
    Notice notice = notice(queues, SOON);
    assertParks(queues, notice);
    inbox.await(notice).ack();
    assertThat(queues.state()).hasToString("connected");
  }

  /**
   * What was just parked is not asked for: a broker that is killed may forget the queue that it
   * declared last, although it has confirmed the message in it. A sweep finds that.
   */
  @Test
  void aKilledBrokerIsUsedAgainAsSoonAsItIsBack() {
    RabbitQueues queues = connect();
    Inbox inbox = new Inbox();
    Subscription subscription = subscribe(queues, inbox);
    Notice inHand = notice(queues, Duration.ZERO);
    assertParks(queues, inHand);
    inbox.await(inHand);

    broker.kill9();
    await().atMost(BACK_WITHIN).until(() -> !queues.isAvailable() && !subscription.isActive());
    assertThat(queues.park(List.of(notice(queues, SOON))))
        .singleElement()
        .isInstanceOf(NotParked.class);
    broker.start();

    await().atMost(BACK_WITHIN).until(() -> queues.isAvailable() && subscription.isActive());
    Notice after = notice(queues, SOON);
    assertParks(queues, after);
    inbox.await(after).ack();
    inbox.await(inHand, 1).ack(); // through a channel that is gone: no effect
    Delivery again = inbox.await(inHand, 2);
    assertThat(again.isRedelivered()).isTrue();
    again.ack();
  }

  /**
   * What falls due while the broker is down is not asked for: when it comes up again, pending
   * queues let go of their notices before a work queue of type quorum is there to take them.
   */
  @Test
  void whatIsParkedSurvivesARestart() throws Exception {
    RabbitQueues queues = connect();
    Notice waiting = notice(queues, FAR);
    assertParks(queues, waiting);

    broker.stop();
    broker.start();

    await().atMost(BACK_WITHIN).until(queues::isAvailable);
    try (RawBroker raw = new RawBroker(uri())) {
      assertThat(raw.take(waiting.queue()).getProps().getMessageId()).isEqualTo(waiting.queue());
    }
  }

  @Test
  void aBrokerThatLostItsDataGetsWhatIsNeeded() {
    RabbitQueues queues = connect();
    Inbox inbox = new Inbox();
    Subscription subscription = subscribe(queues, inbox);
    Notice lost = notice(queues, Duration.ofSeconds(12));
    assertParks(queues, lost);

    broker.stop();
    broker.wipe();
    broker.start();

    await().atMost(BACK_WITHIN).until(() -> queues.isAvailable() && subscription.isActive());
    Notice notice = notice(queues, SOON);
    assertParks(queues, notice);
    inbox.await(notice).ack();
    assertParks(queues, lost);
    inbox.await(lost).ack();
  }

  @Test
  void aBrokerShortOfMemoryIsNotPressed() {
    RabbitQueues queues = connect();
    Inbox inbox = new Inbox();
    subscribe(queues, inbox);

    broker.ctl("set_vm_memory_high_watermark", "0.00001");
    try {
      Instant began = Instant.now();
      assertThat(queues.park(List.of(notice(queues, FAR))))
          .singleElement()
          .isInstanceOfSatisfying(
              NotParked.class,
              answer -> assertThat(answer.reason()).isEqualTo("blocked: low on memory"));
      assertThat(Duration.between(began, Instant.now()))
          .isLessThan(RabbitSettings.DEFAULT_CONFIRM_DEADLINE);
      assertThat(queues.isAvailable()).isFalse();
      assertThat(queues.state()).hasToString("blocked: low on memory");

      began = Instant.now();
      for (int i = 0; i < 100; i++) {
        queues.park(List.of(notice(queues, FAR)));
      }
      assertThat(Duration.between(began, Instant.now())).isLessThan(Duration.ofSeconds(10));
    } finally {
      broker.ctl("set_vm_memory_high_watermark", "0.4");
    }

    await().atMost(BACK_WITHIN).until(queues::isAvailable);
    Notice notice = notice(queues, SOON);
    assertParks(queues, notice);
    inbox.await(notice).ack();
  }

  @Test
  void manyThreadsAreToldWithinTheDeadlineWhenTheBrokerFallsSilent() throws Exception {
    try (StallingProxy proxy = new StallingProxy(uri())) {
      Duration deadline = Duration.ofSeconds(1);
      RabbitQueues queues =
          start(
              RabbitSettings.of(proxy.uri(), "carillon test")
                  .withPrefix(prefix)
                  .withConfirmDeadline(deadline));
      await().atMost(Inbox.PATIENCE).until(queues::isAvailable);

      proxy.stall();
      List<Thread> threads = new ArrayList<>();
      List<ParkAnswer> answers = Collections.synchronizedList(new ArrayList<>());
      for (int i = 0; i < 20; i++) {
        Notice notice = notice(queues, FAR);
        Thread thread = new Thread(() -> answers.addAll(queues.park(List.of(notice))));
        thread.start();
        threads.add(thread);
      }

      for (Thread thread : threads) {
        thread.join(deadline.plusSeconds(4).toMillis());
      }
      assertThat(answers).hasSize(20).allMatch(NotParked.class::isInstance);
      proxy.goOn();
      await().atMost(Inbox.PATIENCE).until(queues::isAvailable);
      await()
          .atMost(Inbox.PATIENCE)
          .until(() -> queues.park(List.of(notice(queues, FAR))).get(0) instanceof Parked);
    }
  }

  /** Nothing in the driver ends that. */
  @Test
  void aWriterThatIsStuckInTheSocketComesFree() throws Exception {
    try (StallingProxy proxy = new StallingProxy(uri());
        LogCapture log = new LogCapture(RabbitConnection.class)) {
      RabbitQueues queues =
          start(RabbitSettings.of(proxy.uri(), "carillon test").withPrefix(prefix));
      RabbitMessagePublisher publisher = queues.messagePublisher();
      AmqpMessage small =
          new AmqpMessage("", prefix + ".parked", Map.of(), Map.of(), Optional.empty());
      AmqpMessage large =
          new AmqpMessage(
              "",
              prefix + ".parked",
              Map.of(),
              Map.of(),
              Optional.of(Body.text("x".repeat(50_000_000))));
      Duration patience = Duration.ofSeconds(5);
      await()
          .atMost(Inbox.PATIENCE)
          .until(() -> publisher.publish(small, patience) instanceof PublishAnswer.Published);

      proxy.stall();
      Instant began = Instant.now();
      PublishAnswer answer = publisher.publish(large, Duration.ofSeconds(1));

      assertThat(answer).isInstanceOf(PublishAnswer.NotConfirmed.class);
      assertThat(Duration.between(began, Instant.now())).isLessThan(Duration.ofSeconds(30));
      assertThat(log.messages(Level.WARN))
          .anySatisfy(line -> assertThat(line).contains("does not read; cutting"));
      proxy.goOn();
      await()
          .atMost(Inbox.PATIENCE)
          .until(() -> publisher.publish(small, patience) instanceof PublishAnswer.Published);
    }
  }

  @Test
  void wrongCredentialsAreSaidOnceAndTriedOn() {
    try (LogCapture log = new LogCapture(RabbitConnection.class)) {
      String user = "user-" + prefix;
      URI uri = URI.create(broker.uri().replace("guest:guest", user + ":secret-word"));
      RabbitQueues queues = start(RabbitSettings.of(uri, "carillon test").withPrefix(prefix));

      await()
          .atMost(Inbox.PATIENCE)
          .untilAsserted(
              () -> assertThat(queues.state().toString()).contains("ACCESS_REFUSED - Login"));
      // it takes the driver a second to be sure each time
      await().during(Duration.ofSeconds(3)).until(() -> !queues.isAvailable());
      assertThat(log.messages(Level.ERROR))
          .singleElement()
          .asString()
          .contains("ACCESS_REFUSED")
          .contains("somebody has to see to that");

      broker.ctl("add_user", user, "secret-word");
      broker.ctl("set_permissions", user, ".*", ".*", ".*");
      await().atMost(Inbox.PATIENCE).until(queues::isAvailable);
      assertThat(log.messages(Level.ERROR).toString() + log.messages(Level.INFO))
          .doesNotContain("secret-word");
    }
  }

  @Test
  void aVirtualHostThatIsMissingIsSaidOnceAndTriedOn() {
    try (LogCapture log = new LogCapture(RabbitConnection.class)) {
      RabbitQueues queues =
          start(
              RabbitSettings.of(URI.create(broker.uri() + "/" + prefix), "carillon test")
                  .withPrefix(prefix));

      await()
          .atMost(Inbox.PATIENCE)
          .untilAsserted(
              () -> assertThat(queues.state().toString()).contains("NOT_ALLOWED", prefix));
      await().during(Duration.ofSeconds(2)).until(() -> !queues.isAvailable());
      assertThat(log.messages(Level.ERROR)).hasSize(1);

      broker.ctl("add_vhost", prefix);
      broker.ctl("set_permissions", "-p", prefix, "guest", ".*", ".*", ".*");
      await().atMost(Inbox.PATIENCE).until(queues::isAvailable);
    }
  }

  @Test
  void aConnectionThatAnOperatorClosesIsOpenedAgain() {
    RabbitQueues queues = connect();
    Inbox inbox = new Inbox();
    Subscription subscription = subscribe(queues, inbox);

    try (LogCapture log = new LogCapture(RabbitConnection.class)) {
      broker.ctl("close_all_connections", "test");

      await()
          .atMost(BACK_WITHIN)
          .untilAsserted(
              () ->
                  assertThat(log.messages(Level.WARN))
                      .filteredOn(line -> line.contains("connection lost"))
                      .hasSize(2));
    }
    await().atMost(BACK_WITHIN).until(() -> queues.isAvailable() && subscription.isActive());
    Notice notice = notice(queues, SOON);
    assertParks(queues, notice);
    inbox.await(notice).ack();
  }

  @Test
  void aRemovalThatGoesWithItsConnectionIsMadeUpFor() throws Exception {
    try (StallingProxy proxy = new StallingProxy(uri())) {
      RabbitQueues queues =
          start(
              RabbitSettings.of(proxy.uri(), "carillon test")
                  .withPrefix(prefix)
                  .withShape(PendingShape.DEFAULT.withMode(PendingShape.Mode.OWN)));
      await().atMost(BACK_WITHIN).until(queues::isAvailable);
      Notice notice = notice(queues, FAR);
      assertParks(queues, notice);
      assertThat(broker.ctl("list_queues", "name")).contains(notice.queue());

      proxy.stall();
      queues.remove(List.of(notice.queue()));
      await().atMost(BACK_WITHIN).until(proxy::holdsSomething);
      broker.ctl("close_all_connections", "test");
      await().atMost(BACK_WITHIN).until(() -> !queues.isAvailable());
      proxy.goOn();

      await()
          .atMost(BACK_WITHIN)
          .until(() -> !broker.ctl("list_queues", "name").contains(notice.queue()));
    }
  }

  /** What is parked again meanwhile under the same name must not be deleted. */
  @Test
  void aRemovalThatGoesWithItsConnectionIsForgottenWhenTheQueueIsUsedAgain() throws Exception {
    try (StallingProxy proxy = new StallingProxy(uri())) {
      RabbitQueues queues =
          start(
              RabbitSettings.of(proxy.uri(), "carillon test")
                  .withPrefix(prefix)
                  .withShape(PendingShape.DEFAULT.withMode(PendingShape.Mode.OWN))
                  .withConfirmDeadline(Duration.ofMillis(200)));
      await().atMost(BACK_WITHIN).until(queues::isAvailable);
      Notice notice = notice(queues, FAR);
      assertParks(queues, notice);
      Notice other = notice(queues, FAR);
      assertParks(queues, other);

      proxy.stall();
      queues.remove(List.of(notice.queue()));
      await().atMost(BACK_WITHIN).until(proxy::holdsSomething);
      queues.remove(List.of(other.queue()));
      assertThat(queues.park(List.of(notice))).singleElement().isInstanceOf(NotParked.class);
      broker.ctl("close_all_connections", "test");
      await().atMost(BACK_WITHIN).until(() -> !queues.isAvailable());
      proxy.goOn();

      await()
          .atMost(BACK_WITHIN)
          .until(() -> !broker.ctl("list_queues", "name").contains(other.queue()));
      assertThat(broker.ctl("list_queues", "name")).contains(notice.queue());
    }
  }

  /** The broker closes the channel of a consumer that does not acknowledge in time. */
  @Test
  void aDeliveryThatTakesTooLongComesAgain() {
    broker.ctl(
        "eval",
        "application:set_env(rabbit, consumer_timeout, 1000),"
            + "application:set_env(rabbit, channel_tick_interval, 500).");
    try {
      RabbitQueues queues = connect();
      Inbox inbox = new Inbox();
      Subscription subscription = subscribe(queues, inbox);
      Notice notice = notice(queues, Duration.ZERO);
      assertParks(queues, notice);

      inbox.await(notice, 2);
      assertThat(inbox.await(notice, 2).isRedelivered()).isTrue();
      await().atMost(BACK_WITHIN).until(subscription::isActive);
    } finally {
      broker.ctl(
          "eval",
          "application:set_env(rabbit, consumer_timeout, 1800000),"
              + "application:set_env(rabbit, channel_tick_interval, 60000).");
    }
  }
}
