package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.GetResponse;
import dev.carillon.queue.Inbox;
import dev.carillon.queue.Notice;
import dev.carillon.queue.WorkQueue.Subscription;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import dev.carillon.testkit.TestBroker;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The work queue, and what becomes of messages in it that are not notices. */
final class WorkQueueIT extends RabbitTest {

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

  @Test
  void itIsAQuorumQueueUnlessSetOtherwise() throws Exception {
    connect();
    // declaring it again fails unless these are its arguments
    broker.declareQueue(prefix + ".work", Map.of("x-queue-type", "quorum"));
    broker.declareQueue(
        prefix + ".parked", Map.of("x-queue-type", "quorum", "x-delivery-limit", 1_000_000_000));
  }

  @Test
  void itCanBeAClassicQueue() throws Exception {
    RabbitQueues queues = start(settings().withWorkQueueType(QueueType.CLASSIC));
    Inbox inbox = new Inbox();
    subscribe(queues, inbox);
    broker.declareQueue(prefix + ".work", Map.of("x-queue-type", "classic"));

    Notice notice = notice(queues, SOON);
    queues.park(List.of(notice));

    inbox.await(notice).ack();
  }

  @Test
  void aQueueOfAnotherTypeIsForSomebodyToSeeTo() throws Exception {
    broker.declareQueue(prefix + ".work", Map.of("x-queue-type", "classic"));
    RabbitQueues queues = start(settings());

    await()
        .atMost(Inbox.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(queues.state().toString())
                    .startsWith("not connected: PRECONDITION_FAILED")
                    .contains(prefix + ".work"));
    assertThat(queues.isAvailable()).isFalse();

    broker.channel().queueDelete(prefix + ".work");
    await().atMost(Inbox.PATIENCE).until(queues::isAvailable);
  }

  @Test
  void whatIsNotANoticeIsPutAsideWithTheReason() throws Exception {
    RabbitQueues queues = connect();
    Inbox inbox = new Inbox();
    subscribe(queues, inbox);
    Notice good = notice(queues, Duration.ZERO);
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .messageId("stray")
            .contentType("text/plain")
            .expiration("60000")
            .headers(Map.of("origin", "a mistake", "CC", List.of(prefix + ".work")))
            .build();

    broker
        .channel()
        .basicPublish(
            prefix + ".work",
            prefix + ".work",
            properties,
            "not a notice".getBytes(StandardCharsets.UTF_8));
    queues.park(List.of(good));

    inbox.await(good).ack();
    await().atMost(Inbox.PATIENCE).until(() -> messagesParked.get() == 1);
    GetResponse parked = broker.take(prefix + ".parked");
    assertThat(parked.getBody()).asString(StandardCharsets.UTF_8).isEqualTo("not a notice");
    assertThat(parked.getProps().getMessageId()).isEqualTo("stray");
    assertThat(parked.getProps().getContentType()).isEqualTo("text/plain");
    assertThat(parked.getProps().getDeliveryMode()).isEqualTo(2);
    assertThat(parked.getProps().getExpiration()).isNull();
    assertThat(parked.getProps().getHeaders())
        .hasEntrySatisfying(
            "x-carillon-reason", reason -> assertThat(reason).hasToString("not JSON"))
        .hasEntrySatisfying(
            "x-carillon-exchange", exchange -> assertThat(exchange).hasToString(prefix + ".work"))
        .hasEntrySatisfying(
            "x-carillon-routing-key", key -> assertThat(key).hasToString(prefix + ".work"))
        .hasEntrySatisfying("origin", origin -> assertThat(origin).hasToString("a mistake"))
        .doesNotContainKey("CC");
    assertThat(inbox.notices()).containsExactly(good);
    queues.close();
    assertThat(broker.take(prefix + ".work")).isNull();
  }

  @Test
  void itIsPutAsideEvenIfTheQueueForThatWasDeleted() throws Exception {
    RabbitQueues queues = connect();
    subscribe(queues, new Inbox());
    broker.channel().queueDelete(prefix + ".parked");

    broker.channel().basicPublish("", prefix + ".work", null, new byte[] {1, 2, 3});

    await().atMost(Inbox.PATIENCE).until(() -> messagesParked.get() == 1);
    assertThat(broker.take(prefix + ".parked").getBody()).containsExactly(1, 2, 3);
  }

  @Test
  void aConsumerThatTheBrokerCancelsComesBack() throws Exception {
    RabbitQueues queues = connect();
    Inbox inbox = new Inbox();
    Subscription subscription = subscribe(queues, inbox);

    broker.channel().queueDelete(prefix + ".work");

    await().atMost(Inbox.PATIENCE).until(() -> broker.hasQueue(prefix + ".work"));
    await().atMost(Inbox.PATIENCE).until(subscription::isActive);
    Notice notice = notice(queues, SOON);
    queues.park(List.of(notice));
    inbox.await(notice).ack();
  }

  @Test
  void aClosedSubscriptionDoesNotComeBack() throws Exception {
    RabbitQueues queues = connect();
    Subscription subscription = subscribe(queues, new Inbox());
    Inbox other = new Inbox();
    Subscription stays = subscribe(queues, other);

    subscription.close();
    broker.channel().queueDelete(prefix + ".work");

    await().atMost(Inbox.PATIENCE).until(() -> broker.hasQueue(prefix + ".work"));
    await().atMost(Inbox.PATIENCE).until(stays::isActive);
    assertThat(broker.channel().consumerCount(prefix + ".work")).isEqualTo(1);
  }
}
