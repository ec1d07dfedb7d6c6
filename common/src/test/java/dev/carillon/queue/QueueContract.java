package dev.carillon.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.carillon.queue.Inbox.Arrival;
import dev.carillon.queue.ParkAnswer.NotParked;
import dev.carillon.queue.ParkAnswer.Parked;
import dev.carillon.queue.WorkQueue.Subscription;
import dev.carillon.task.Parking.Arming;
import dev.carillon.task.Parking.Place;
import dev.carillon.task.Priority;
import dev.carillon.task.TaskId;
import dev.carillon.task.Tasks;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What whoever parks and takes notices can rely on. Every adapter of the two ports passes it. */
public abstract class QueueContract {

  /** The two ports as one part of a system sees them. */
  public record Queues(PendingQueues pending, WorkQueue work) {}

  private static final Duration SOON = Duration.ofMillis(500);
  private static final Duration LATER = Duration.ofSeconds(2);

  private final Random random = new Random();
  private final List<Queues> connected = new ArrayList<>();
  private Queues queues;

  /** Connects to a broker that has nothing in it when a test begins; ready to be used. */
  protected abstract Queues connect();

  /** How long before their time notices may arrive. */
  protected abstract Duration lead();

  /** Further away than anything else in these tests, and still near enough to be parked. */
  protected Duration farAway() {
    return Duration.ofHours(1);
  }

  /** Whether each notice waits in a queue of its own, so that it can be taken away. */
  protected boolean hasOwnQueues() {
    return true;
  }

  @BeforeEach
  void connectFirst() {
    queues = another();
  }

  @AfterEach
  void closeAll() {
    connected.forEach(each -> each.pending().close());
  }

  private Queues another() {
    Queues more = connect();
    connected.add(more);
    return more;
  }

  /** A notice of a new task, to run so long after now. */
  protected Notice notice(Duration in) {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    TaskId task = TaskId.create(now, random);
    return notice(task, 3, 2, 7, now.plus(in), now);
  }

  private Notice notice(
      TaskId task, long index, int attempt, long token, Instant runAt, Instant parkedAt) {
    String queue =
        Tasks.queue(
            queues.pending(), new Arming(task, index, attempt, runAt, token), Instant.now());
    return new Notice(task, index, attempt, token, runAt, queue, parkedAt);
  }

  private void park(Notice... notices) {
    assertThat(queues.pending().park(List.of(notices)))
        .hasSize(notices.length)
        .allMatch(Parked.class::isInstance);
  }

  private Inbox subscribe(int prefetch) {
    Inbox inbox = new Inbox();
    Subscription subscription = queues.work().subscribe(prefetch, inbox);
    await().atMost(Inbox.PATIENCE).until(subscription::isActive);
    return inbox;
  }

  @Test
  void noticesArriveUnchangedAndNotBeforeTheirTime() {
    Inbox inbox = subscribe(10);
    Notice first = notice(SOON);
    Notice second = notice(SOON.multipliedBy(2));
    Notice third = notice(SOON.multipliedBy(3));

    park(third, first, second);

    List<Arrival> arrivals = inbox.await(3);
    assertThat(inbox.notices()).containsExactlyInAnyOrder(first, second, third);
    assertThat(arrivals)
        .allSatisfy(
            arrival ->
                assertThat(arrival.at()).isAfterOrEqualTo(arrival.notice().runAt().minus(lead())))
        .noneMatch(arrival -> arrival.delivery().isRedelivered());
  }

  @Test
  void instantsKeepTheirNanoseconds() {
    Inbox inbox = subscribe(10);
    Instant odd = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusNanos(123_456_789);
    Notice notice =
        notice(TaskId.create(odd, random), Long.MAX_VALUE, 1, 1, odd, odd.minusNanos(1));

    park(notice);

    inbox.await(notice).ack();
  }

  @Test
  void whatIsDueOrOverdueArrivesAtOnce() {
    Inbox inbox = subscribe(10);
    Notice due = notice(Duration.ZERO);
    Notice overdue = notice(Duration.ofDays(-1));

    park(due, overdue);

    inbox.await(due);
    inbox.await(overdue);
  }

  @Test
  void oneThatIsDueDoesNotWaitBehindAnotherThatIsNot() {
    Inbox inbox = subscribe(10);
    Notice far = notice(farAway());
    Notice near = notice(SOON);

    park(far, near);

    inbox.await(near);
    assertThat(inbox.notices()).containsExactly(near);
  }

  @Test
  void removedOnesDoNotArrive() {
    Inbox inbox = subscribe(10);
    Notice removed = notice(LATER);
    Notice kept = notice(LATER.plus(SOON));
    park(removed, kept);

    queues.pending().remove(List.of(removed.queue(), "no such queue"));

    inbox.await(kept);
    if (hasOwnQueues()) {
      assertThat(inbox.notices()).containsExactly(kept);
    } else {
      inbox.await(removed); // it dies at its claim
    }
  }

  @Test
  void aPriorityIsKept() {
    Inbox inbox = subscribe(10);
    List<Notice> notices = new ArrayList<>();
    for (Priority priority : Priority.values()) {
      notices.add(withPriority(notice(LATER), priority));
      notices.add(withPriority(notice(Duration.ZERO), priority));
    }

    park(notices.toArray(Notice[]::new));

    notices.forEach(notice -> inbox.await(notice).ack());
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

  @Test
  void oneThatIsParkedAgainAfterItWasRemovedArrives() {
    Inbox inbox = subscribe(50);
    List<Notice> notices = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      notices.add(notice(LATER));
    }
    queues.pending().park(notices);

    for (Notice notice : notices) {
      queues.pending().remove(List.of(notice.queue()));
      park(notice);
    }

    notices.forEach(inbox::await);
  }

  @Test
  void parkingTwiceIsHarmless() {
    Inbox inbox = subscribe(10);
    Notice twice = notice(LATER);
    Notice last = notice(LATER.plus(SOON));

    park(twice);
    park(twice, twice, last);

    inbox.await(twice);
    inbox.await(last);
    assertThat(inbox.count(twice)).isBetween(1L, 3L);
  }

  @Test
  void answersAreInTheOrderOfTheNotices() {
    assertThat(queues.pending().park(List.of())).isEmpty();
    assertThat(queues.pending().park(List.of(notice(LATER), notice(Duration.ZERO)))).hasSize(2);
  }

  @Test
  void aThousandParkedInOneCallAllArrive() {
    Inbox inbox = subscribe(2_000);
    List<Notice> notices = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      notices.add(notice(SOON.plusMillis(i)));
    }
    Collections.shuffle(notices, random);

    assertThat(queues.pending().park(notices)).hasSize(1_000).allMatch(Parked.class::isInstance);

    inbox.await(1_000);
    assertThat(inbox.notices()).containsExactlyInAnyOrderElementsOf(notices);
  }

  @Test
  void whatIsGivenBackComesAgainAndSaysSo() {
    Inbox inbox = subscribe(1);
    Notice notice = notice(Duration.ZERO);
    Notice next = notice(Duration.ZERO);
    park(notice);

    Delivery first = inbox.await(notice);
    first.requeue();
    Delivery second = inbox.await(notice, 2);

    assertThat(first.isRedelivered()).isFalse();
    assertThat(second.isRedelivered()).isTrue();
    second.ack();
    park(next);
    inbox.await(next);
    assertThat(inbox.count(notice)).isEqualTo(2);
  }

  @Test
  void onlyTheFirstAnswerCounts() {
    Inbox inbox = subscribe(1);
    Notice notice = notice(Duration.ZERO);
    Notice next = notice(Duration.ZERO);
    park(notice, next);

    Delivery delivery = inbox.await(notice);
    delivery.ack();
    delivery.requeue();
    delivery.ack();

    inbox.await(next);
    assertThat(inbox.count(notice)).isEqualTo(1);
  }

  @Test
  void noMoreAreInHandThanAskedFor() {
    Inbox inbox = subscribe(3);
    for (int i = 0; i < 10; i++) {
      park(notice(Duration.ZERO));
    }

    List<Arrival> arrivals = inbox.await(3);
    await().during(SOON).atMost(LATER).until(() -> inbox.arrivals().size() == 3);
    arrivals.get(1).delivery().ack();

    inbox.await(4);
    await().during(SOON).atMost(LATER).until(() -> inbox.arrivals().size() == 4);
  }

  @Test
  void eachNoticeGoesToOneOfSeveralSubscribers() {
    Inbox one = subscribe(1);
    Inbox two = subscribe(1);
    Notice first = notice(Duration.ZERO);
    Notice second = notice(Duration.ZERO);

    park(first);
    park(second);

    one.await(1);
    two.await(1);
    List<Notice> all = new ArrayList<>(one.notices());
    all.addAll(two.notices());
    assertThat(all).containsExactlyInAnyOrder(first, second);
  }

  @Test
  void aClosedSubscriptionTakesNoMoreButAnswersWhatItHas() {
    Inbox closing = new Inbox();
    Subscription subscription = queues.work().subscribe(2, closing);
    Notice acked = notice(Duration.ZERO);
    Notice givenBack = notice(Duration.ZERO);
    Notice next = notice(Duration.ZERO);
    park(acked);
    park(givenBack);
    Delivery toAck = closing.await(acked);
    Delivery toGiveBack = closing.await(givenBack);

    subscription.close();
    subscription.close();
    assertThat(subscription.isActive()).isFalse();
    Inbox other = subscribe(10);
    toAck.ack();
    toGiveBack.requeue();
    park(next);

    assertThat(other.await(givenBack).isRedelivered()).isTrue();
    other.await(next);
    assertThat(other.notices()).containsExactlyInAnyOrder(givenBack, next);
    assertThat(closing.arrivals()).hasSize(2);
  }

  @Test
  void whatWasInHandWhenQueuesWereClosedGoesToOthers() {
    Queues leaving = another();
    Inbox held = new Inbox();
    leaving.work().subscribe(10, held);
    Notice unanswered = notice(Duration.ZERO);
    Notice answered = notice(Duration.ZERO);
    park(unanswered);
    park(answered);
    Delivery late = held.await(unanswered);
    held.await(answered).ack();

    leaving.pending().close();
    Inbox other = subscribe(10);
    Delivery again = other.await(unanswered);
    late.ack();
    late.requeue();

    assertThat(again.isRedelivered()).isTrue();
    assertThat(other.notices()).containsExactly(unanswered);
  }

  @Test
  void queuesThatParkedANoticeMayCloseBeforeItIsDue() {
    Queues leaving = another();
    Notice notice = notice(LATER);
    leaving.pending().park(List.of(notice));

    leaving.pending().close();

    subscribe(1).await(notice);
  }

  @Test
  void aListenerThatFailsDoesNotEndItsSubscription() {
    Inbox inbox = new Inbox();
    Notice bad = notice(Duration.ZERO);
    Notice good = notice(Duration.ZERO);
    Subscription subscription =
        queues
            .work()
            .subscribe(
                10,
                delivery -> {
                  if (delivery.notice().equals(bad)) {
                    throw new IllegalStateException("a failure that the test wants");
                  }
                  inbox.accept(delivery);
                });
    await().atMost(Inbox.PATIENCE).until(subscription::isActive);

    park(bad, good);

    inbox.await(good);
    assertThat(subscription.isActive()).isTrue();
  }

  @Test
  void anInterruptedThreadCanStillPark() {
    Inbox inbox = subscribe(1);
    Notice notice = notice(SOON);

    Thread.currentThread().interrupt();
    park(notice);

    assertThat(Thread.interrupted()).isTrue();
    inbox.await(notice);
  }

  @Test
  void eachArmingHasAPlace() {
    PendingQueues pending = queues.pending();
    TaskId task = TaskId.create(Instant.now(), random);
    Set<String> own = new HashSet<>();
    int armings = 0;
    for (long token : new long[] {0, 1, 2, Long.MAX_VALUE}) {
      for (int attempt : new int[] {1, Integer.MAX_VALUE}) {
        for (long index : new long[] {0, Long.MAX_VALUE}) {
          Instant now = Instant.now();
          Arming arming = new Arming(task, index, attempt, now.plus(LATER), token);
          assertThat(pending.placeFor(arming, now)).isInstanceOf(Place.InQueue.class);
          if (pending.placeFor(arming, now) instanceof Place.InQueue queue) {
            assertThat(queue.name().getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(255);
            assertThat(queue.isOwn()).isEqualTo(hasOwnQueues());
            own.add(queue.name());
            armings++;
          }
        }
      }
    }
    assertThat(own.size()).isEqualTo(hasOwnQueues() ? armings : own.size());
  }

  @Test
  void whatIsTooFarAwayIsDecidedAgainInTime() {
    Instant now = Instant.now();
    Instant latest = Instant.parse("9999-12-31T23:59:59.999Z");
    Arming arming = new Arming(TaskId.create(now, random), 0, 1, latest, 1);

    Place place = queues.pending().placeFor(arming, now);

    assertThat(place)
        .isInstanceOfSatisfying(
            Place.InStore.class,
            inStore -> {
              assertThat(inStore.until()).isAfter(now).isBefore(latest);
              assertThat(queues.pending().placeFor(arming, inStore.until().minusMillis(1)))
                  .isEqualTo(inStore);
              assertThat(queues.pending().placeFor(arming, inStore.until()))
                  .isInstanceOf(Place.InQueue.class);
            });
  }

  @Test
  void closedQueuesSaySo() {
    PendingQueues pending = queues.pending();
    assertThat(pending.isAvailable()).isTrue();

    pending.close();
    pending.close();

    assertThat(pending.isAvailable()).isFalse();
    assertThat(pending.park(List.of(notice(SOON)))).singleElement().isInstanceOf(NotParked.class);
    assertThatCode(() -> pending.remove(List.of("any"))).doesNotThrowAnyException();
    assertThatThrownBy(() -> queues.work().subscribe(1, new Inbox()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aPrefetchMustBePositive() {
    assertThatThrownBy(() -> queues.work().subscribe(0, new Inbox()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
