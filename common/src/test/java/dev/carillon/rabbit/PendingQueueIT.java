package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.GetResponse;
import dev.carillon.queue.Inbox;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.ParkAnswer.NotParked;
import dev.carillon.queue.ParkAnswer.Parked;
import dev.carillon.testkit.TestBroker;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is on the broker while a notice waits. */
final class PendingQueueIT extends RabbitTest {

  private static URI uri;
  private static RawBroker broker;
  private RabbitQueues queues;

  @BeforeAll
  static void findBroker() throws Exception {
    uri = URI.create(TestBroker.shared().freshVhost());
    broker = new RawBroker(uri);
  }

  @AfterAll
  static void leaveBroker() throws Exception {
    broker.close();
  }

  @BeforeEach
  void connectFirst() {
    queues = connect();
  }

  @Override
  URI uri() {
    return uri;
  }

  private Map<String, Object> argumentsFor(Duration life) {
    return Map.of(
        "x-queue-type",
        "classic",
        "x-dead-letter-exchange",
        prefix + ".work",
        "x-dead-letter-routing-key",
        prefix + ".work",
        "x-expires",
        life.toMillis());
  }

  @Test
  void aQueueNamedAfterTheNoticeHoldsIt() throws Exception {
    Notice notice = notice(queues, FAR);

    assertThat(queues.park(List.of(notice))).containsExactly(new Parked());

    assertThat(notice.queue())
        .isEqualTo(
            "%s.pending.%s.0.1.%d.1"
                .formatted(prefix, notice.task(), notice.runAt().toEpochMilli()));
    // declaring it again fails unless these are its arguments
    broker.declareQueue(notice.queue(), argumentsFor(FAR.plusMinutes(10)));
    GetResponse held = broker.take(notice.queue());
    AMQP.BasicProperties properties = held.getProps();
    assertThat(properties.getDeliveryMode()).isEqualTo(2);
    assertThat(properties.getContentType()).isEqualTo("application/json");
    assertThat(properties.getMessageId()).isEqualTo(notice.queue());
    assertThat(properties.getTimestamp()).isCloseTo(Instant.now(), 60_000);
    assertThat(Long.parseLong(properties.getExpiration()))
        .isBetween(FAR.minusMinutes(1).toMillis(), FAR.minusMillis(50).toMillis());
    assertThat(held.getBody())
        .asString(StandardCharsets.UTF_8)
        .contains("\"task\":\"" + notice.task() + "\"");
  }

  @Test
  void theLifeOfAQueueDependsOnTheNoticeOnly() throws Exception {
    Notice first = notice(queues, FAR);
    Notice late =
        new Notice(
            first.task(),
            first.index(),
            first.attempt(),
            first.token(),
            first.runAt(),
            first.queue(),
            first.parkedAt().minus(FAR));
    queues.park(List.of(late));
    broker.declareQueue(late.queue(), argumentsFor(FAR.multipliedBy(2).plusMinutes(10)));
  }

  @Test
  void aNoticeThatIsDueNeedsNoQueue() throws Exception {
    Notice due = notice(queues, Duration.ofMillis(-1));
    Notice overdue = notice(queues, FAR.negated());

    assertThat(queues.park(List.of(due, overdue))).containsExactly(new Parked(), new Parked());

    assertThat(broker.hasQueue(due.queue())).isFalse();
    assertThat(broker.hasQueue(overdue.queue())).isFalse();
    assertThat(broker.take(prefix + ".work").getProps().getMessageId()).isEqualTo(due.queue());
  }

  @Test
  void aNoticeForTheYear9999WaitsAsLongAsABrokerCan() throws Exception {
    Notice near = notice(queues, FAR);
    Instant latest = Instant.parse("9999-12-31T23:59:59.999Z");
    Notice far =
        new Notice(
            near.task(), 0, 1, 1, latest, near.queue(), Instant.parse("2026-01-01T00:00:00Z"));

    assertThat(queues.park(List.of(far))).containsExactly(new Parked());

    broker.declareQueue(far.queue(), argumentsFor(Duration.ofDays(3_650)));
    assertThat(broker.take(far.queue()).getProps().getExpiration()).isEqualTo("315359400000");
  }

  /** Told by a nack, unlike what no queue is there for. */
  @Test
  void aNoticeThatAFullQueueRejectsIsNotParked() throws Exception {
    String full = prefix + ".full";
    broker.declareQueue(full, Map.of("x-max-length", 0, "x-overflow", "reject-publish"));
    broker.channel().queueBind(full, prefix + ".work", prefix + ".work");
    Notice due = notice(queues, Duration.ofMillis(-1));

    assertThat(queues.park(List.of(due))).hasOnlyElementsOfType(NotParked.class);

    broker.channel().queueDelete(full);
    assertThat(queues.park(List.of(due))).containsExactly(new Parked());
  }

  @Test
  void aRemovedQueueIsGoneWithItsMessage() throws Exception {
    Notice notice = notice(queues, FAR);
    queues.park(List.of(notice));
    assertThat(broker.hasQueue(notice.queue())).isTrue();

    queues.remove(List.of(notice.queue()));

    await().atMost(Inbox.PATIENCE).until(() -> !broker.hasQueue(notice.queue()));
  }

  @Test
  void whatIsToBeRemovedIsRemovedBeforeClosing() throws Exception {
    List<Notice> notices = List.of(notice(queues, FAR), notice(queues, FAR), notice(queues, FAR));
    queues.park(notices);

    queues.remove(notices.stream().map(Notice::queue).toList());
    queues.close();

    for (Notice notice : notices) {
      assertThat(broker.hasQueue(notice.queue())).isFalse();
    }
  }

  /** The broker closes the channel for it, in the middle of the batch. */
  @Test
  void aQueueThatTheBrokerRefusesTakesNoOtherNoticeDown() throws Exception {
    Notice before = notice(queues, FAR);
    Notice refused = notice(queues, FAR);
    Notice after = notice(queues, FAR);
    Notice due = notice(queues, Duration.ZERO);
    broker.declareQueue(refused.queue(), Map.of("x-expires", 60_000));

    List<ParkAnswer> answers = queues.park(List.of(before, refused, after, due));

    assertThat(answers.get(0)).isEqualTo(new Parked());
    assertThat(answers.get(1))
        .isInstanceOfSatisfying(
            NotParked.class,
            answer ->
                assertThat(answer.reason())
                    .startsWith("PRECONDITION_FAILED - inequivalent arg")
                    .contains(refused.queue()));
    assertThat(answers.get(2)).isEqualTo(new Parked());
    assertThat(answers.get(3)).isEqualTo(new Parked());
    assertThat(broker.hasQueue(after.queue())).isTrue();
    for (int i = 0; i < 20; i++) {
      assertThat(queues.park(List.of(notice(queues, FAR)))).containsExactly(new Parked());
    }
  }

  @Test
  void namesThatNoBrokerTakesHarmNoOthers() throws Exception {
    Notice good = notice(queues, FAR);
    String tooLong = "x".repeat(300);
    Notice bad = new Notice(good.task(), 0, 1, 1, good.runAt(), tooLong, good.parkedAt());

    queues.remove(List.of(tooLong));
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(() -> queues.park(List.of(bad)))
          .isInstanceOf(IllegalArgumentException.class);
    }

    await().atMost(Inbox.PATIENCE).until(() -> queues.park(List.of(good)).get(0) instanceof Parked);
    queues.remove(List.of(good.queue()));
    await().atMost(Inbox.PATIENCE).until(() -> !broker.hasQueue(good.queue()));
  }

  @Test
  void anExchangeThatSomebodyDeletedComesBack() throws Exception {
    broker.channel().exchangeDelete(prefix + ".work");

    assertThat(queues.park(List.of(notice(queues, Duration.ZERO))))
        .singleElement()
        .isInstanceOfSatisfying(
            NotParked.class, answer -> assertThat(answer.reason()).startsWith("NOT_FOUND"));

    await()
        .atMost(Inbox.PATIENCE)
        .until(() -> queues.park(List.of(notice(queues, Duration.ZERO))).get(0) instanceof Parked);
  }

  @Test
  void aWorkQueueThatSomebodyDeletedComesBack() throws Exception {
    broker.channel().queueDelete(prefix + ".work");

    assertThat(queues.park(List.of(notice(queues, Duration.ZERO))))
        .containsExactly(new NotParked("NO_ROUTE"));

    await()
        .atMost(Inbox.PATIENCE)
        .until(() -> queues.park(List.of(notice(queues, Duration.ZERO))).get(0) instanceof Parked);
  }
}
