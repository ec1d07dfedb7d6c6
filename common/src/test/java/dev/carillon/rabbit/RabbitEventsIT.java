package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.GetResponse;
import dev.carillon.definition.DefinitionReader;
import dev.carillon.event.TaskEvent;
import dev.carillon.event.TaskEvents;
import dev.carillon.form.Form;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.Inbox;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import dev.carillon.task.Tasks;
import dev.carillon.testkit.TestBroker;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class RabbitEventsIT {

  private static final Instant START = Instant.parse("2027-01-04T08:00:00Z");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String prefix = "events-" + Long.toHexString(new Random().nextLong());
  private final AtomicInteger dropped = new AtomicInteger();
  private final SchedulerMetrics metrics =
      new SchedulerMetrics() {
        @Override
        public void eventDropped() {
          dropped.incrementAndGet();
        }
      };

  private RabbitEvents events(URI uri) {
    RabbitEvents events =
        new RabbitEvents(RabbitSettings.of(uri, "test").withPrefix(prefix), metrics);
    events.start();
    return events;
  }

  private static Task task() {
    Form form =
        Form.of(
            Map.of(
                "name",
                "n",
                "interval",
                "PT10S",
                "tags",
                List.of("a"),
                "metadata",
                Map.of("k", "v"),
                "action",
                Map.of("type", "http", "url", "http://h/?token=s3cr3t")));
    return new Chain(Tasks.parking(Duration.ofHours(1)), Chain.Settings.DEFAULT)
        .create(
            TaskId.create(START, new Random(3)),
            DefinitionReader.readNew(form, START).orElseThrow(),
            START)
        .orElseThrow();
  }

  private static TaskEvent started(Task task) {
    Instant at = task.live().orElseThrow().runAt().plusMillis(7);
    Claim claim = new Claim(task.id(), task.token(), "w", "w/1");
    return TaskEvents.ofClaimed(Chain.start(task, claim, at, at.plusSeconds(30))).get(0);
  }

  @Test
  void anEventIsACloudEventUnderItsTypeAsRoutingKey() throws Exception {
    URI uri = URI.create(TestBroker.shared().freshVhost());
    Task task = task();
    try (RabbitEvents events = events(uri);
        RawBroker broker = new RawBroker(uri)) {
      String queue = prefix + ".seen";
      broker.declareQueue(queue, Map.of());
      await()
          .atMost(Inbox.PATIENCE)
          .ignoreExceptions()
          .until(
              () -> {
                broker.channel().queueBind(queue, prefix + ".events", "sub-task.*");
                return true;
              });
      events.happened(TaskEvents.ofNew(task).get(0));
      events.happened(started(task));

      GetResponse[] taken = new GetResponse[1];
      await().atMost(Inbox.PATIENCE).until(() -> (taken[0] = broker.take(queue)) != null);
      GetResponse message = taken[0];
      assertThat(message.getEnvelope().getRoutingKey()).isEqualTo("sub-task.started");
      assertThat(message.getProps().getContentType())
          .isEqualTo("application/cloudevents+json; charset=utf-8");
      JsonNode event = JSON.readTree(message.getBody());
      assertThat(event.path("specversion").asText()).isEqualTo("1.0");
      assertThat(event.path("type").asText()).isEqualTo("dev.carillon.sub-task.started");
      assertThat(event.path("source").asText()).isEqualTo("/" + prefix + "/tasks/" + task.id());
      assertThat(event.path("subject").asText()).isEqualTo(task.id() + "_0");
      assertThat(event.path("id").asText())
          .isEqualTo(message.getProps().getMessageId())
          .isEqualTo(task.id() + ".2.sub-task.started.0");
      assertThat(event.path("time").asText()).isEqualTo("2027-01-04T08:00:10.007Z");
      assertThat(event.path("data").path("subTask").path("latenessMs").asLong()).isEqualTo(7);
      assertThat(event.path("data").path("metadata").path("k").asText()).isEqualTo("v");
      assertThat(event.toString()).doesNotContain("s3cr3t");
      assertThat(dropped).hasValue(0);
    }
  }

  @Test
  void whatNobodyListensToIsLeftOutUntilSomebodyDoes() throws Exception {
    URI uri = URI.create(TestBroker.shared().freshVhost());
    TaskEvent event = TaskEvents.ofNew(task()).get(0);
    try (RabbitEvents events = events(uri);
        RawBroker broker = new RawBroker(uri)) {
      await()
          .atMost(Inbox.PATIENCE)
          .until(
              () -> {
                events.happened(event);
                return !events.mayBeHeard(event);
              });
      assertThat(events.mayBeHeard(started(task()))).isTrue();

      String queue = prefix + ".seen";
      broker.declareQueue(queue, Map.of());
      broker.channel().queueBind(queue, prefix + ".events", "task.*");

      await()
          .atMost(Inbox.PATIENCE)
          .until(
              () -> {
                events.happened(event);
                return broker.take(queue) != null;
              });
      // from now on, all of them come
      await().atMost(Inbox.PATIENCE).until(() -> broker.take(queue) == null);
      for (int i = 0; i < 50; i++) {
        events.happened(event);
      }
      await().atMost(Inbox.PATIENCE).until(() -> broker.channel().messageCount(queue) == 50);
      assertThat(dropped).hasValue(0);
    }
  }

  @Test
  void withoutABrokerNobodyWaitsAndWhatHasNoRoomIsCounted() {
    TaskEvent event = TaskEvents.ofNew(task()).get(0);
    try (RabbitEvents events = events(URI.create("amqp://127.0.0.1:1"));
        LogCapture log = new LogCapture(RabbitEvents.class)) {
      Instant began = Instant.now();
      for (int i = 0; i < RabbitEvents.CAPACITY + 25; i++) {
        events.happened(event);
      }

      assertThat(Duration.between(began, Instant.now())).isLessThan(Duration.ofSeconds(10));
      assertThat(dropped).hasValue(25);
      assertThat(log.messages(ch.qos.logback.classic.Level.WARN)).hasSize(1);
    }
  }
}
