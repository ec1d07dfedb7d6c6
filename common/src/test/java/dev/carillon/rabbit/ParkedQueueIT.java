package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.GetResponse;
import dev.carillon.queue.BrokerAwayException;
import dev.carillon.queue.GivenUp;
import dev.carillon.queue.Inbox;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer.NotParked;
import dev.carillon.queue.ParkedBusyException;
import dev.carillon.queue.ParkedListing;
import dev.carillon.queue.ParkedMessage;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.queue.ParkedMessages.RetryAnswer;
import dev.carillon.queue.ParkedMessagesContract;
import dev.carillon.task.Tasks;
import dev.carillon.testkit.TestBroker;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What was put aside, in a queue of a broker. */
final class ParkedQueueIT extends RabbitTest {

  private static URI uri;
  private static RawBroker broker;

  @BeforeAll
  static void findBroker() throws Exception {
    uri = URI.create(TestBroker.shared().freshVhost());
    broker = new RawBroker(uri);
  }

  @AfterAll
  static void leaveBroker() throws Exception {
    broker.close();
  }

  @Override
  URI uri() {
    return uri;
  }

  @Nested
  final class Contract extends ParkedMessagesContract {
    @Override
    protected ParkedMessages connect() {
      return ParkedQueueIT.this.connect().parkedMessages();
    }
  }

  private void send(String body, AMQP.BasicProperties properties) throws Exception {
    broker
        .channel()
        .basicPublish(
            prefix + ".work", prefix + ".work", properties, body.getBytes(StandardCharsets.UTF_8));
  }

  /** What is no notice comes here by itself when somebody takes notices. */
  private static List<ParkedMessage> awaitParked(RabbitQueues queues, int count) {
    await().atMost(Inbox.PATIENCE).until(() -> queues.parkedMessages().list(100).size() == count);
    return queues.parkedMessages().list(100);
  }

  @Test
  void whatIsNotANoticeIsListedWithWhereItCameFrom() throws Exception {
    RabbitQueues queues = connect();
    subscribe(queues, new Inbox());

    send("not a notice", null);

    assertThat(awaitParked(queues, 1))
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.reason()).contains("not JSON");
              assertThat(message.exchange()).isEqualTo(prefix + ".work");
              assertThat(message.routingKey()).isEqualTo(prefix + ".work");
              assertThat(message.parkedAt()).isPresent();
              assertThat(message.task()).isEmpty();
              assertThat(message.index()).isEmpty();
              assertThat(message.bytes()).isEqualTo(12);
              assertThat(message.preview()).isEqualTo("not a notice");
            });
  }

  @Test
  void aNoticeOfAnotherVersionIsListedWithItsTask() throws Exception {
    RabbitQueues queues = connect();
    subscribe(queues, new Inbox());

    send("{\"version\": 2, \"task\": \"" + Tasks.id(1) + "\", \"index\": 7}", null);

    ParkedMessage message = awaitParked(queues, 1).get(0);
    assertThat(message.task()).contains(Tasks.id(1));
    assertThat(message.index()).hasValue(7);
  }

  @Test
  void theBeginningOfALongBodyIsShown() throws Exception {
    RabbitQueues queues = connect();
    subscribe(queues, new Inbox());

    send("ä".repeat(100_000), null);

    ParkedMessage message = awaitParked(queues, 1).get(0);
    assertThat(message.preview()).startsWith("ää").hasSize(500).endsWith("ä…");
    assertThat(message.bytes()).isEqualTo(200_000);
  }

  @Test
  void aNoticeThatCanBeReadAfterAllIsSentBackAndArrives() throws Exception {
    RabbitQueues queues = connect();
    Notice notice = notice(queues, Duration.ZERO);
    Map<String, Object> headers = new HashMap<>(Map.of("x-carillon-reason", "an older version"));
    headers.put("origin", "kept");
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder().headers(headers).messageId("a notice").build();
    broker
        .channel()
        .basicPublish(
            "", prefix + ".parked", properties, new NoticeCodec().encode(List.of(notice)));
    broker.channel().basicPublish("", prefix + ".parked", null, new byte[] {1});
    List<ParkedMessage> parked = awaitParked(queues, 2);
    assertThat(parked.get(0).task()).contains(notice.task());
    assertThat(parked.get(1).reason()).isEqualTo("put here by somebody else");

    assertThat(queues.parkedMessages().retry(parked.get(0).id())).isEqualTo(RetryAnswer.SENT_BACK);

    assertThat(queues.parkedMessages().list(10)).containsExactly(parked.get(1));
    GetResponse sent = broker.take(prefix + ".work");
    assertThat(sent.getProps().getMessageId()).isEqualTo("a notice");
    assertThat(sent.getProps().getHeaders())
        .containsKey("origin")
        .doesNotContainKeys("x-carillon-reason", "x-carillon-parked-at");
    assertThat(sent.getProps().getDeliveryMode()).isEqualTo(2);
    queues.parkedMessages().park(new GivenUp(Tasks.id(1), 1, "reason"));
    Inbox inbox = new Inbox();
    subscribe(queues, inbox);
    broker.channel().basicPublish("", prefix + ".work", sent.getProps(), sent.getBody());
    assertThat(inbox.await(notice).notice()).isEqualTo(notice);
  }

  @Test
  void whatStillCannotBeReadComesBackUnderAnotherId() throws Exception {
    RabbitQueues queues = connect();
    subscribe(queues, new Inbox());
    send("not a notice", null);
    String first = awaitParked(queues, 1).get(0).id();

    assertThat(queues.parkedMessages().retry(first)).isEqualTo(RetryAnswer.SENT_BACK);

    await()
        .atMost(Inbox.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(queues.parkedMessages().list(10))
                    .singleElement()
                    .satisfies(
                        message -> {
                          assertThat(message.id()).isNotEqualTo(first);
                          assertThat(message.preview()).isEqualTo("not a notice");
                        }));
  }

  @Test
  void aMessageThatClaimsToBeWordOfASubTaskIsNot() throws Exception {
    RabbitQueues queues = connect();
    subscribe(queues, new Inbox());
    send(
        "x",
        new AMQP.BasicProperties.Builder()
            .headers(Map.of("x-carillon-given-up", true, "x-carillon-parked-id", "mine"))
            .build());
    String id = awaitParked(queues, 1).get(0).id();

    assertThat(id).isNotEqualTo("mine");
    assertThat(queues.parkedMessages().retry(id)).isEqualTo(RetryAnswer.SENT_BACK);
  }

  @Test
  void whatIsTooLargeToBeLookedAtIsCounted() throws Exception {
    RabbitQueues queues = connect();
    byte[] large = new byte[4 << 20];
    int within = (int) (ParkedMessages.REACH_BYTES / large.length);
    int count = within + 3;
    for (int i = 0; i < count; i++) {
      broker.channel().basicPublish("", prefix + ".parked", null, large);
    }
    await()
        .atMost(Inbox.PATIENCE)
        .until(() -> broker.channel().messageCount(prefix + ".parked") == count);

    ParkedListing listing = queues.parkedMessages().look(100);

    assertThat(listing.messages()).hasSize(within);
    assertThat(listing.others()).isEqualTo(3);
    assertThat(listing.beyondReach()).isEqualTo(3);
    assertThat(queues.parkedMessages().look(2).others()).isEqualTo(count - 2);
    for (int i = 0; i < 3; i++) {
      String id = queues.parkedMessages().list(1).get(0).id();
      assertThat(queues.parkedMessages().drop(id)).isTrue();
    }
    assertThat(queues.parkedMessages().look(100).others()).as("that is all").isZero();
  }

  @Test
  void lookingManyTimesLosesNothing() throws Exception {
    RabbitQueues queues = connect();
    queues.parkedMessages().park(new GivenUp(Tasks.id(1), 1, "reason"));
    List<ParkedMessage> first = queues.parkedMessages().list(10);

    // newer brokers throw away what is given back 20 times, unless told not to
    for (int i = 0; i < 30; i++) {
      assertThat(queues.parkedMessages().list(10)).hasSize(1).isEqualTo(first);
    }
  }

  @Test
  void whoeverDiesWhileLookingLosesNothing() throws Exception {
    RabbitQueues queues = connect();
    queues.parkedMessages().park(new GivenUp(Tasks.id(1), 1, "reason"));
    try (RawBroker other = new RawBroker(uri)) {
      other.channel().queueDeclare(prefix + ".parked.lock", false, true, false, Map.of());
      assertThat(other.channel().basicGet(prefix + ".parked", false)).isNotNull();
    }

    assertThat(queues.parkedMessages().list(10)).hasSize(1);
  }

  @Test
  void whoeverHasNoTurnForLongIsToldThatOthersLook() throws Exception {
    RabbitQueues queues = connect();
    queues.parkedMessages().park(new GivenUp(Tasks.id(1), 1, "reason"));
    try (RawBroker other = new RawBroker(uri)) {
      other.channel().queueDeclare(prefix + ".parked.lock", false, true, false, Map.of());

      assertThatThrownBy(() -> queues.parkedMessages().drop("id"))
          .isInstanceOf(ParkedBusyException.class);
    }

    assertThat(queues.parkedMessages().list(10)).hasSize(1);
  }

  @Test
  void aQueueThatWasDeletedComesBack() throws Exception {
    RabbitQueues queues = connect();
    broker.channel().queueDelete(prefix + ".parked");

    await()
        .atMost(Inbox.PATIENCE)
        .ignoreExceptionsInstanceOf(BrokerAwayException.class)
        .until(() -> queues.parkedMessages().list(10).isEmpty());
  }

  @Test
  void withoutABrokerItSaysSo() {
    RabbitQueues queues = start(RabbitSettings.of(URI.create("amqp://127.0.0.1:1"), "nobody"));

    assertThatThrownBy(() -> queues.parkedMessages().list(10))
        .isInstanceOf(BrokerAwayException.class);
    assertThatThrownBy(() -> queues.parkedMessages().drop("id"))
        .isInstanceOf(BrokerAwayException.class);
    assertThatThrownBy(() -> queues.parkedMessages().retry("id"))
        .isInstanceOf(BrokerAwayException.class);
    assertThat(queues.parkedMessages().park(new GivenUp(Tasks.id(1), 1, "reason")))
        .isInstanceOf(NotParked.class);
  }
}
