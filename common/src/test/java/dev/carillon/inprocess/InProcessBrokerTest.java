package dev.carillon.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.carillon.queue.Inbox;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.queue.ParkAnswer.NotParked;
import dev.carillon.queue.ParkAnswer.Parked;
import dev.carillon.queue.WorkQueue.Subscription;
import dev.carillon.task.Parking.Arming;
import dev.carillon.task.Parking.Place;
import dev.carillon.task.TaskId;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class InProcessBrokerTest {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");
  private static final int CAPACITY = 3;

  private final InProcessBroker broker =
      new InProcessBroker(Duration.ofSeconds(10), CAPACITY, InstantSource.fixed(NOW));
  private final InProcessQueues queues = broker.connect();
  private final Random random = new Random(1);

  @AfterEach
  void close() {
    broker.close();
  }

  private Notice notice(Instant runAt) {
    TaskId task = TaskId.create(NOW, random);
    return new Notice(
        task, 0, 1, 1, runAt, Tasks.queue(queues, new Arming(task, 0, 1, runAt, 1), runAt), NOW);
  }

  private ParkAnswer park(Notice notice) {
    return queues.park(List.of(notice)).get(0);
  }

  @Test
  void theHorizonIsShortUnlessSetOtherwise() {
    Instant due = NOW.plus(Duration.ofDays(1));
    Arming arming = new Arming(TaskId.create(NOW, random), 0, 1, due, 1);

    assertThat(new InProcessBroker(InstantSource.system()).connect().placeFor(arming, NOW))
        .isEqualTo(new Place.InStore(due.minusSeconds(10)));
    assertThat(
            new InProcessBroker(Duration.ofHours(1), 1, InstantSource.system())
                .connect()
                .placeFor(arming, NOW))
        .isEqualTo(new Place.InStore(due.minus(Duration.ofHours(1))));
  }

  @Test
  void horizonAndCapacityMustBePositive() {
    assertThatThrownBy(() -> new InProcessBroker(Duration.ZERO, 1, InstantSource.system()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new InProcessBroker(Duration.ofHours(1), 0, InstantSource.system()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void moreThanTheCapacityIsNotParked() {
    Notice first = notice(NOW.plusSeconds(60));
    park(first);
    park(notice(NOW.plusSeconds(60)));
    assertThat(queues.isAvailable()).isTrue();
    park(notice(NOW));

    assertThat(queues.isAvailable()).isFalse();
    assertThat(park(notice(NOW)))
        .isInstanceOfSatisfying(
            NotParked.class, answer -> assertThat(answer.reason()).contains("full"));

    queues.remove(List.of(first.queue()));
    assertThat(queues.isAvailable()).isTrue();
    assertThat(park(notice(NOW))).isInstanceOf(Parked.class);
  }

  @Test
  void whatIsTakenMakesRoom() {
    for (int i = 0; i < CAPACITY; i++) {
      park(notice(NOW));
    }

    queues.subscribe(CAPACITY, new Inbox());

    await().atMost(Duration.ofMinutes(1)).until(queues::isAvailable);
  }

  @Test
  void parkingAgainInTheSameQueueTakesThePlaceOfTheFirst() {
    Inbox inbox = new Inbox();
    queues.subscribe(10, inbox);
    Notice notice = notice(NOW.plus(InProcessQueues.LEAD).plusMillis(300));
    Notice last = notice(NOW.plus(InProcessQueues.LEAD).plusMillis(400));

    queues.park(List.of(notice, notice, last));

    inbox.await(last);
    assertThat(inbox.notices()).containsExactly(notice, last);
  }

  @Test
  void dueNoticesComeInTheOrderOfParkingAndThoseGivenBackFirst() {
    Notice first = notice(NOW);
    Notice second = notice(NOW);
    Notice third = notice(NOW);
    queues.park(List.of(first, second, third));
    Inbox inbox = new Inbox();
    queues.subscribe(2, inbox);
    inbox.await(2);

    inbox.await(first).requeue();
    inbox.await(3).forEach(arrival -> arrival.delivery().ack());

    inbox.await(third);
    assertThat(inbox.notices()).containsExactly(first, second, first, third);
  }

  @Test
  void aNoticeForTheYear9999JustWaits() {
    assertThat(park(notice(Instant.parse("9999-12-31T23:59:59.999Z")))).isEqualTo(new Parked());
  }

  @Test
  void aClosedBrokerTakesNothingAndGivesNothing() {
    Inbox inbox = new Inbox();
    Subscription subscription = queues.subscribe(10, inbox);
    park(notice(NOW.plusMillis(50)));

    broker.close();
    broker.close();

    assertThat(subscription.isActive()).isFalse();
    assertThat(queues.isAvailable()).isFalse();
    assertThat(park(notice(NOW))).isInstanceOf(NotParked.class);
    assertThatThrownBy(() -> broker.connect().subscribe(1, inbox))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void threadsAreNamedKeepNoProcessAliveAndEnd() {
    queues.subscribe(1, new Inbox());
    park(notice(NOW.plusSeconds(60)));
    List<Thread> threads = ownThreads();
    assertThat(threads).isNotEmpty().allMatch(Thread::isDaemon);

    broker.close();

    await().atMost(Duration.ofMinutes(1)).until(() -> threads.stream().noneMatch(Thread::isAlive));
  }

  private static List<Thread> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("carillon-inprocess-"))
        .toList();
  }
}
