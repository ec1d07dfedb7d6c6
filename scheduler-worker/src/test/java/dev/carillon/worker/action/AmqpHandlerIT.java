package dev.carillon.worker.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import dev.carillon.mongo.Line;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.rabbit.RabbitQueues;
import dev.carillon.rabbit.RabbitSettings;
import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import dev.carillon.task.Outcome;
import dev.carillon.task.Outcome.Failed;
import dev.carillon.task.Outcome.Succeeded;
import dev.carillon.testkit.TestBroker;
import dev.carillon.worker.action.ActionHandler.Attempt;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a real broker. */
@Timeout(180) // what hangs has failed
final class AmqpHandlerIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static URI uri;
  private static Connection connection;

  private final String name = "test-" + UUID.randomUUID();
  private Line line;
  private RabbitQueues queues;
  private AmqpHandler handler;
  private Channel channel;

  @BeforeAll
  static void findBroker() throws Exception {
    uri = URI.create(TestBroker.shared().freshVhost());
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(uri);
    connection = factory.newConnection("test");
  }

  @AfterAll
  static void leaveBroker() throws Exception {
    connection.close();
  }

  @BeforeEach
  void connect() throws Exception {
    channel = connection.createChannel();
    line = new Line(uri.getPort());
    line.connect();
    URI through = URI.create(uri.toString().replace(":" + uri.getPort(), ":" + line.port()));
    queues =
        new RabbitQueues(
            RabbitSettings.of(through, "test").withPrefix(name),
            InstantSource.system(),
            SchedulerMetrics.NONE);
    handler = new AmqpHandler(queues::messagePublisher);
    awaitConnected();
  }

  /** Until the broker answers to messages. */
  private void awaitConnected() {
    await()
        .atMost(PATIENCE)
        .until(() -> error(publish("", "no such queue")).contains("reaches no queue"));
  }

  @AfterEach
  void disconnect() throws Exception {
    queues.close();
    line.close();
    channel.abort();
  }

  private Outcome publish(String exchange, String routingKey) {
    return handler.handle(
        new Action.Amqp(exchange, routingKey, Map.of(), Map.of(), Optional.empty(), false),
        attempt(Duration.ofMinutes(5)));
  }

  private static Attempt attempt(Duration timeout) {
    return Attempts.attempt(4, 1, timeout);
  }

  private static String error(Outcome outcome) {
    return ((Failed) outcome).error();
  }

  @Test
  void aMessageCarriesWhatTheTaskSaysAndWhoseItIs() throws Exception {
    channel.queueDeclare(name, true, false, true, Map.of());

    Outcome outcome =
        handler.handle(
            new Action.Amqp(
                "",
                name,
                Map.of("X-Tenant", "blue", "X-Carillon-Index", "forged"),
                Map.of(),
                Optional.of(Body.json("{\"name\":\"Zoë\"}")),
                false),
            attempt(Duration.ofMinutes(5)));

    assertThat(outcome).isEqualTo(new Succeeded());
    GetResponse message = channel.basicGet(name, true);
    assertThat(message.getBody()).asString(StandardCharsets.UTF_8).isEqualTo("{\"name\":\"Zoë\"}");
    assertThat(message.getProps().getContentType()).isEqualTo("application/json");
    assertThat(message.getProps().getMessageId()).isEqualTo(Attempts.TASK + "_4");
    assertThat(message.getProps().getDeliveryMode()).as("persistent").isEqualTo(2);
    assertThat(message.getProps().getHeaders())
        .hasSize(7)
        .hasEntrySatisfying(
            "X-Carillon-Idempotency-Key",
            value -> assertThat(value).hasToString(Attempts.TASK + "_4"))
        .hasEntrySatisfying("X-Tenant", value -> assertThat(value).hasToString("blue"))
        .hasEntrySatisfying("X-Carillon-Index", value -> assertThat(value).hasToString("4"))
        .hasEntrySatisfying(
            "X-Carillon-Task-Id", value -> assertThat(value).hasToString(Attempts.TASK.value()));
  }

  @Test
  void aMessageMayHaveNoBody() throws Exception {
    channel.queueDeclare(name, true, false, true, Map.of());

    assertThat(publish("", name)).isEqualTo(new Succeeded());

    GetResponse message = channel.basicGet(name, true);
    assertThat(message.getBody()).isEmpty();
    assertThat(message.getProps().getContentType()).isEqualTo("application/octet-stream");
  }

  @Test
  void aMessageThatReachesNoQueueHasFailed() {
    Outcome outcome = publish("", name);

    assertThat(((Failed) outcome).retryable()).isTrue();
    assertThat(error(outcome))
        .startsWith(
            "message to exchange \"\" with routing key \"" + name + "\" reaches no queue: ");
  }

  @Test
  void aMessageToAnExchangeThatIsMissingHasFailedAndTheNextIsNotHarmed() throws Exception {
    channel.queueDeclare(name, true, false, true, Map.of());

    Outcome outcome = publish("no such exchange", "key");

    assertThat(((Failed) outcome).retryable()).isTrue();
    assertThat(error(outcome)).contains("has no exchange to go to").contains("no such exchange");
    await().atMost(PATIENCE).until(() -> publish("", name).equals(new Succeeded()));
  }

  @Test
  void whenTheBrokerDoesNotAnswerAnAttemptEndsAtItsTimeout() {
    line.goDead();
    Duration timeout = Duration.ofMillis(500);
    Instant start = Instant.now();

    Outcome outcome =
        handler.handle(
            new Action.Amqp("", name, Map.of(), Map.of(), Optional.empty(), false),
            attempt(timeout));

    Duration took = Duration.between(start, Instant.now());
    assertThat(error(outcome)).contains("was not confirmed by the broker");
    assertThat(((Failed) outcome).retryable()).isTrue();
    assertThat(took).isBetween(timeout, AmqpHandler.PATIENCE);
  }

  @Test
  void whenTheConnectionComesBackMessagesGoOn() throws Exception {
    line.cut();
    await().atMost(PATIENCE).until(() -> error(publish("", name)).contains("was not confirmed"));

    line.connect();

    awaitConnected();
  }
}
