package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.Inbox;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer.NotParked;
import dev.carillon.queue.WorkQueue.Subscription;
import dev.carillon.task.Parking.Arming;
import dev.carillon.task.Parking.Place;
import dev.carillon.task.TaskId;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Without a broker. */
final class RabbitQueuesTest {

  private final Notice notice =
      new Notice(
          new TaskId("01hzy3v7k2m4n6p8r9s0t1v2w3"),
          0,
          1,
          1,
          Instant.now().plusSeconds(60),
          "queue",
          Instant.now());

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");

  private RabbitQueues queues;

  @BeforeEach
  void makeQueues() throws IOException {
    URI uri;
    try (ServerSocket free = new ServerSocket(0)) {
      uri = URI.create("amqp://anna:geheim@127.0.0.1:" + free.getLocalPort() + "/prod");
    }
    queues = queues(uri);
  }

  @AfterEach
  void close() {
    queues.close();
  }

  private static RabbitQueues queues(URI uri) {
    RabbitSettings settings = RabbitSettings.of(uri, "carillon test");
    return new RabbitQueues(settings, InstantSource.system(), SchedulerMetrics.NONE);
  }

  @Test
  void makingThemTouchesNothing() {
    assertThat(queues.state()).hasToString("not connected: not yet");
    assertThat(queues.isAvailable()).isFalse();
    assertThat(queues.park(List.of(notice))).containsExactly(new NotParked("not connected yet"));
    assertThat(queues.placeFor(arming(Duration.ofHours(25)), NOW))
        .isEqualTo(new Place.InStore(NOW.plus(Duration.ofHours(1))));
  }

  private static Arming arming(Duration in) {
    return new Arming(new TaskId("01hzy3v7k2m4n6p8r9s0t1v2w3"), 0, 1, NOW.plus(in), 1);
  }

  @Test
  void aUriThatCannotBeUnderstoodIsSaidAtOnceAndNotShown() {
    URI uri = URI.create("amqp://anna:geheim@broker/two/parts");
    assertThatThrownBy(() -> queues(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("geheim");
  }

  @Test
  void nothingWaitsForABrokerThatIsAway() {
    try (LogCapture log = new LogCapture(RabbitConnection.class)) {
      Instant began = Instant.now();
      queues.start();
      Subscription subscription = queues.subscribe(10, new Inbox());
      queues.remove(List.of("a", "b"));
      assertThat(queues.park(List.of(notice))).singleElement().isInstanceOf(NotParked.class);
      assertThat(
              queues
                  .messagePublisher()
                  .publish(
                      new AmqpMessage("", "x", Map.of(), Map.of(), Optional.empty()),
                      Duration.ofMinutes(1)))
          .isInstanceOf(PublishAnswer.NotConfirmed.class);
      await()
          .atMost(Inbox.PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(queues.state())
                      .hasToString("not connected: ConnectException: Connection refused"));
      assertThat(subscription.isActive()).isFalse();
      queues.close();
      queues.close();
      assertThat(Duration.between(began, Instant.now())).isLessThan(Duration.ofSeconds(20));
      assertThat(queues.state()).hasToString("not connected: closed");
      assertThat(log.messages(Level.WARN))
          .hasSizeBetween(1, 3)
          .allSatisfy(line -> assertThat(line).contains("Connection refused", "/prod"))
          .noneSatisfy(line -> assertThat(line).contains("geheim"));
    }
  }

  @Test
  void threadsEndWhenClosed() {
    queues.start();
    queues.subscribe(10, new Inbox());
    assertThat(ownThreads()).isNotEmpty().allMatch(Thread::isDaemon);

    queues.close();

    await().atMost(Inbox.PATIENCE).until(() -> ownThreads().isEmpty());
  }

  private static List<Thread> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("carillon-rabbit-"))
        .toList();
  }
}
