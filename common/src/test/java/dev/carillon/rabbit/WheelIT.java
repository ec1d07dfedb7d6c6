package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.GetResponse;
import dev.carillon.queue.Delivery;
import dev.carillon.queue.Inbox;
import dev.carillon.queue.Inbox.Arrival;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer.NotParked;
import dev.carillon.queue.ParkAnswer.Parked;
import dev.carillon.queue.WorkQueue.Subscription;
import dev.carillon.rabbit.PendingShape.Mode;
import dev.carillon.task.Parking.Arming;
import dev.carillon.task.Parking.Place;
import dev.carillon.task.Priority;
import dev.carillon.testkit.PrivateBroker;
import dev.carillon.testkit.TestBroker;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is on the broker while notices wait on the wheel, and what becomes of it. */
final class WheelIT extends RabbitTest {

  private static final Duration BACK_WITHIN = Duration.ofSeconds(60);

  /**
   * A broker tries again after a while (10 s with the settings of the test kit, three minutes by
   * default) what it tried to move while the work queue, which comes back at the same time, was not
   * there yet.
   */
  private static final Duration MOVED_AGAIN_WITHIN = Duration.ofMinutes(2);

  private static final PendingShape SHAPE =
      PendingShape.DEFAULT.withMode(Mode.WHEEL).withWheel(32, Duration.ofSeconds(1));

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

  @Override
  RabbitSettings settings() {
    return super.settings().withShape(SHAPE);
  }

  private static void assertParks(RabbitQueues queues, List<Notice> notices) {
    assertThat(queues.park(notices)).hasSize(notices.size()).allMatch(Parked.class::isInstance);
  }

  private static Notice withPriority(Notice notice, Priority priority) {
    return new Notice(
        notice.task(),
        notice.index(),
        notice.attempt(),
        notice.token(),
        notice.runAt(),
        notice.queue(),
        notice.parkedAt(),
        priority);
  }

  private List<Notice> notices(RabbitQueues queues, int count, Duration in) {
    return IntStream.range(0, count).mapToObj(i -> notice(queues, in)).toList();
  }

  @Test
  void aSlotHoldsWhatIsDueInItsStretch() throws Exception {
    RabbitQueues queues = connect();
    Notice notice = notice(queues, Duration.ofSeconds(20));
    String slot = prefix + ".wheel." + SHAPE.wheel().slotOf(notice.runAt());
    assertThat(notice.queue()).isEqualTo(slot);

    assertParks(queues, List.of(withPriority(notice, Priority.HIGH)));

    try (RawBroker raw = new RawBroker(uri())) {
      // declaring it again fails unless these are its arguments
      raw.declareQueue(
          slot,
          Map.of(
              "x-queue-type", "quorum",
              "x-overflow", "reject-publish",
              "x-dead-letter-exchange", prefix + ".wheel.out",
              "x-dead-letter-strategy", "at-least-once"));
      GetResponse held = raw.take(slot);
      assertThat(held.getProps().getDeliveryMode()).isEqualTo(2);
      assertThat(Long.parseLong(held.getProps().getExpiration()))
          .isBetween(Duration.ofSeconds(10).toMillis(), Duration.ofSeconds(19).toMillis());
      assertThat(held.getEnvelope().getRoutingKey()).startsWith("high.32x1000.");
      assertThat(held.getBody())
          .asString(StandardCharsets.UTF_8)
          .contains("\"task\":\"" + notice.task() + "\"", "\"priority\":\"high\"");
    }
  }

  @Test
  void whatIsDueInTheSameSecondComesTogetherInFewMessages() {
    RabbitQueues queues = connect();
    Inbox inbox = new Inbox();
    queues.subscribe(5, inbox); // messages, not notices
    List<Notice> notices = notices(queues, 400, Duration.ofSeconds(6));
    Instant turn = Instant.now();

    assertParks(queues, notices);

    List<Arrival> arrivals = inbox.await(400);
    assertThat(inbox.notices()).containsExactlyInAnyOrderElementsOf(notices);
    assertThat(arrivals)
        .allSatisfy(
            arrival ->
                assertThat(arrival.at())
                    .isAfterOrEqualTo(SHAPE.wheel().leavesAt(arrival.notice().runAt()))
                    .isAfter(turn));
  }

  @Test
  void priorityLeadsOutOfTheWheelToItsWorkQueue() throws Exception {
    RabbitQueues queues = connect();
    List<Notice> notices = new ArrayList<>();
    for (Priority priority : Priority.values()) {
      notices.add(withPriority(notice(queues, Duration.ofSeconds(4)), priority));
    }

    assertParks(queues, notices);

    try (RawBroker raw = new RawBroker(uri())) {
      for (String workQueue : List.of(".work.high", ".work", ".work.low")) {
        await()
            .atMost(Inbox.PATIENCE)
            .until(() -> raw.channel().messageCount(prefix + workQueue) == 1);
      }
    }
  }

  @Test
  void aSlotIsNeverRemoved() throws Exception {
    RabbitQueues queues = connect();
    Inbox inbox = new Inbox();
    subscribe(queues, inbox);
    Notice notice = notice(queues, Duration.ofSeconds(4));
    assertParks(queues, List.of(notice));

    queues.remove(List.of(notice.queue(), prefix + ".work", prefix + ".parked"));

    inbox.await(notice).ack();
    try (RawBroker raw = new RawBroker(uri())) {
      assertThat(raw.hasQueue(notice.queue())).isTrue();
    }
  }

  @Test
  void whatIsATurnAwayIsNotTaken() {
    RabbitQueues queues = connect();
    Notice near = notice(queues, Duration.ofSeconds(30));
    Notice far =
        new Notice(
            near.task(), 0, 1, 1, near.runAt().plusSeconds(32), near.queue(), near.parkedAt());

    assertThat(queues.park(List.of(far, near)))
        .containsExactly(new NotParked("further away than one turn of the wheel"), new Parked());
  }

  @Test
  void aNoticeThatWasArmedForTheWheelFindsItGone() {
    RabbitQueues before = connect();
    List<Notice> notices = List.of(notice(before, Duration.ofSeconds(20)));
    List<Notice> overdue = List.of(due(notices.get(0)));
    before.close();
    RabbitQueues after = start(super.settings().withShape(PendingShape.DEFAULT.withMode(Mode.OWN)));
    Inbox inbox = new Inbox();
    subscribe(after, inbox);

    assertThat(after.park(notices))
        .containsExactly(new NotParked("the wheel is not used any more"));
    assertParks(after, overdue);
    inbox.await(overdue.get(0)).ack();
  }

  private static Notice due(Notice notice) {
    return new Notice(notice.task(), 0, 1, 1, Instant.now(), notice.queue(), notice.parkedAt());
  }

  @Test
  void aSlotThatSomebodyDeletedComesBack() throws Exception {
    RabbitQueues queues = connect();
    Notice notice = notice(queues, Duration.ofSeconds(25));
    try (RawBroker raw = new RawBroker(uri())) {
      raw.channel().queueDelete(notice.queue());
    }

    assertThat(queues.park(List.of(notice))).containsExactly(new NotParked("NO_ROUTE"));

    await()
        .atMost(Inbox.PATIENCE)
        .until(() -> queues.park(List.of(notice)).get(0) instanceof Parked);
  }

  @Test
  void theBudgetDecidesBetweenOwnQueuesAndTheWheel() throws Exception {
    PendingShape auto = SHAPE.withMode(Mode.AUTO).withBudget(1_000, 5);
    RabbitQueues queues = start(settings().withShape(auto));
    Inbox inbox = new Inbox();
    subscribe(queues, inbox);
    await().atMost(Inbox.PATIENCE).until(queues::isAvailable);

    List<Notice> notices = notices(queues, 50, Duration.ofSeconds(8));
    assertParks(queues, notices);

    List<String> own =
        notices.stream().map(Notice::queue).filter(q -> q.contains(".pending.")).toList();
    assertThat(own).hasSizeBetween(5, 45).doesNotHaveDuplicates();
    try (RawBroker raw = new RawBroker(uri())) {
      for (String queue : own) {
        assertThat(raw.hasQueue(queue)).isTrue();
      }
    }
    inbox.await(50).forEach(arrival -> arrival.delivery().ack());
    assertThat(inbox.notices()).containsExactlyInAnyOrderElementsOf(notices);
  }

  /** From an own queue, many would be lost. */
  @Test
  void aBrokerThatIsKilledWhileSlotsEmptyLosesNothing() {
    RabbitQueues queues = connect();
    Inbox inbox = new Inbox();
    Subscription subscription = queues.subscribe(1_000, acking(inbox));
    await().atMost(Inbox.PATIENCE).until(subscription::isActive);
    List<Notice> notices = new ArrayList<>();
    for (int i = 0; i < 300; i++) { // one in a message, so that many leave the slot
      Notice notice = notice(queues, Duration.ofSeconds(6));
      assertParks(queues, List.of(notice));
      notices.add(notice);
    }
    inbox.await(20);

    broker.kill9();
    broker.start();

    await().atMost(BACK_WITHIN).until(() -> queues.isAvailable() && subscription.isActive());
    Set<Notice> arrived = new HashSet<>();
    await()
        .atMost(MOVED_AGAIN_WITHIN)
        .untilAsserted(
            () -> {
              arrived.addAll(inbox.notices());
              assertThat(arrived).hasSize(notices.size()).containsAll(notices);
            });
  }

  private static Consumer<Delivery> acking(Inbox inbox) {
    return delivery -> {
      inbox.accept(delivery);
      delivery.ack();
    };
  }

  @Test
  void aBrokerThatLostItsDataGetsItsWheelBack() {
    RabbitQueues queues = connect();
    Inbox inbox = new Inbox();
    Subscription subscription = subscribe(queues, inbox);

    broker.stop();
    broker.wipe();
    broker.start();

    await().atMost(BACK_WITHIN).until(() -> queues.isAvailable() && subscription.isActive());
    Notice notice = notice(queues, Duration.ofSeconds(4));
    assertThat(queues.placeFor(arming(notice), Instant.now()))
        .isEqualTo(new Place.InQueue(notice.queue(), false));
    assertParks(queues, List.of(notice));
    inbox.await(notice).ack();
  }

  private static Arming arming(Notice notice) {
    return new Arming(
        notice.task(), notice.index(), notice.attempt(), notice.runAt(), notice.token());
  }
}
