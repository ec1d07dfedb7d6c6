package dev.carillon.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.queue.ParkAnswer.Parked;
import dev.carillon.queue.ParkedMessages.RetryAnswer;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What whoever looks at what was put aside can rely on. Every adapter of the port passes it. */
public abstract class ParkedMessagesContract {

  /** What one process sees of a place that has nothing in it when a test begins. */
  protected abstract ParkedMessages connect();

  private static GivenUp givenUp(long index) {
    return new GivenUp(Tasks.id(index), index, "reason of " + index);
  }

  private static void park(ParkedMessages parked, GivenUp givenUp) {
    assertThat(parked.park(givenUp)).isEqualTo(new Parked());
  }

  private static List<String> ids(ParkedMessages parked) {
    return parked.list(ParkedMessages.REACH).stream().map(ParkedMessage::id).toList();
  }

  @Test
  void nothingIsThereAtFirst() {
    ParkedMessages parked = connect();

    assertThat(parked.list(10)).isEmpty();
    assertThat(parked.retry("unknown")).isEqualTo(RetryAnswer.UNKNOWN);
    assertThat(parked.drop("unknown")).isFalse();
  }

  @Test
  void wordOfASubTaskSaysWhatAndWhyAndWhen() {
    ParkedMessages parked = connect();
    Instant before = Instant.now().minusMillis(1);

    park(parked, givenUp(3));

    assertThat(parked.list(10))
        .singleElement()
        .satisfies(
            message -> {
              assertThat(message.id()).isNotBlank();
              assertThat(message.reason()).isEqualTo("reason of 3");
              assertThat(message.task()).contains(Tasks.id(3));
              assertThat(message.index()).hasValue(3);
              assertThat(message.parkedAt().orElseThrow())
                  .isBetween(before, Instant.now().plus(Duration.ofMillis(1)));
              assertThat(message.exchange()).isEmpty();
              assertThat(message.routingKey()).isEmpty();
            });
  }

  @Test
  void theOldestAreListedAndStayInTheirOrder() {
    ParkedMessages parked = connect();
    for (int i = 0; i < 5; i++) {
      park(parked, givenUp(i));
    }

    List<ParkedMessage> all = parked.list(10);

    assertThat(all)
        .extracting(message -> message.task().orElseThrow())
        .containsExactlyElementsOf(
            List.of(Tasks.id(0), Tasks.id(1), Tasks.id(2), Tasks.id(3), Tasks.id(4)));
    assertThat(all).extracting(ParkedMessage::id).doesNotHaveDuplicates();
    for (int i = 0; i < 5; i++) {
      assertThat(parked.list(3)).isEqualTo(all.subList(0, 3));
    }
    assertThat(parked.list(10)).isEqualTo(all);
    assertThat(parked.look(3)).isEqualTo(new ParkedListing(all.subList(0, 3), 2, 0));
    assertThat(parked.look(5)).isEqualTo(new ParkedListing(all, 0, 0));
    assertThat(parked.look(3).total()).isEqualTo(5);
  }

  @Test
  void everyProcessSeesTheSame() {
    ParkedMessages one = connect();
    ParkedMessages other = connect();
    park(one, givenUp(1));
    park(other, givenUp(2));

    assertThat(one.list(10)).hasSize(2).isEqualTo(other.list(10));
    assertThat(one.drop(ids(other).get(0))).isTrue();
    assertThat(other.list(10)).extracting(ParkedMessage::reason).containsExactly("reason of 2");
  }

  @Test
  void oneIsDroppedAndTheOthersStay() {
    ParkedMessages parked = connect();
    for (int i = 0; i < 3; i++) {
      park(parked, givenUp(i));
    }
    List<String> ids = ids(parked);

    assertThat(parked.drop(ids.get(1))).isTrue();

    assertThat(ids(parked)).containsExactly(ids.get(0), ids.get(2));
    assertThat(parked.drop(ids.get(1))).isFalse();
    assertThat(parked.drop(ids.get(2))).isTrue();
    assertThat(parked.drop(ids.get(0))).isTrue();
    assertThat(parked.list(10)).isEmpty();
  }

  @Test
  void wordOfASubTaskCannotBeSentBack() {
    ParkedMessages parked = connect();
    park(parked, givenUp(1));
    String id = ids(parked).get(0);

    assertThat(parked.retry(id)).isEqualTo(RetryAnswer.GIVEN_UP);

    assertThat(ids(parked)).containsExactly(id);
  }

  @Test
  void manyMayLookAtATime() throws Exception {
    int each = 8;
    ParkedMessages[] seenBy = {connect(), connect()};
    for (int i = 0; i < 2 * each; i++) {
      park(seenBy[0], givenUp(i));
    }
    List<String> ids = ids(seenBy[0]);
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      ParkedMessages mine = seenBy[i];
      List<String> toDrop = ids.subList(i * each, (i + 1) * each);
      Thread thread =
          new Thread(
              () -> {
                for (String id : toDrop) {
                  assertThat(mine.list(100)).extracting(ParkedMessage::id).contains(id);
                  assertThat(mine.drop(id)).as(id).isTrue();
                }
              },
              "dropping-" + UUID.randomUUID());
      thread.setUncaughtExceptionHandler(
          (any, failure) -> {
            synchronized (failures) {
              failures.add(failure);
            }
          });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(failures).isEmpty();
    assertThat(seenBy[1].list(10)).isEmpty();
  }
}
