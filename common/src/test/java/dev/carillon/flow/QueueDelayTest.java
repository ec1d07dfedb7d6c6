package dev.carillon.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.queue.Notice;
import dev.carillon.task.Priority;
import dev.carillon.task.Tasks;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class QueueDelayTest {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");
  private static final Duration LITTLE = Duration.ofMillis(1);

  private final QueueDelay delay = new QueueDelay();

  private static Notice notice(Instant runAt, Instant parkedAt, Priority priority) {
    return new Notice(Tasks.id(1), 0, 1, 1, runAt, "queue", parkedAt, priority);
  }

  private static Notice dueSince(Duration time) {
    return notice(NOW.minus(time), NOW.minusSeconds(1_000), Priority.NORMAL);
  }

  @Test
  void theLongestOfLateIsKnown() {
    assertThat(delay.of(Priority.NORMAL, NOW)).isZero();

    delay.fired(dueSince(Duration.ofSeconds(7)), NOW);
    delay.fired(dueSince(Duration.ofSeconds(3)), NOW);

    assertThat(delay.of(Priority.NORMAL, NOW)).isEqualTo(Duration.ofSeconds(7));
    assertThat(delay.of(Priority.HIGH, NOW)).as("others are not kept waiting by them").isZero();
  }

  @Test
  void itIsForgottenAfterAWhile() {
    delay.fired(dueSince(Duration.ofSeconds(7)), NOW);

    Instant stillKnown = NOW.plus(QueueDelay.MEMORY.multipliedBy(2)).minus(LITTLE);
    assertThat(delay.of(Priority.NORMAL, NOW.plus(QueueDelay.MEMORY)))
        .isEqualTo(Duration.ofSeconds(7));
    assertThat(delay.of(Priority.NORMAL, stillKnown)).isEqualTo(Duration.ofSeconds(7));
    assertThat(delay.of(Priority.NORMAL, stillKnown.plus(LITTLE))).isZero();
  }

  @Test
  void whatComesLaterOnTimeEndsIt() {
    delay.fired(dueSince(Duration.ofSeconds(7)), NOW);
    Instant later = NOW.plus(QueueDelay.MEMORY);
    delay.fired(notice(later.minusSeconds(1), NOW, Priority.NORMAL), later);
    assertThat(delay.of(Priority.NORMAL, later)).isEqualTo(Duration.ofSeconds(7));

    assertThat(delay.of(Priority.NORMAL, later.plus(QueueDelay.MEMORY)))
        .isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void threadsThatComeOutOfOrderForgetNothing() {
    delay.fired(dueSince(Duration.ofSeconds(7)), NOW);
    delay.fired(dueSince(Duration.ofSeconds(3)), NOW.minus(LITTLE));

    assertThat(delay.of(Priority.NORMAL, NOW.minus(LITTLE))).isEqualTo(Duration.ofSeconds(7));
  }

  /** It cannot have waited before it was there. */
  @Test
  void whatWasParkedWhenItWasDueHasWaitedSinceThen() {
    delay.fired(notice(NOW.minusSeconds(60), NOW.minusSeconds(2), Priority.NORMAL), NOW);

    assertThat(delay.of(Priority.NORMAL, NOW)).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void aClockThatIsSetBackDoesNotKeepItForEver() {
    delay.fired(dueSince(Duration.ofSeconds(7)), NOW);

    assertThat(delay.of(Priority.NORMAL, NOW.minusSeconds(3_600))).isZero();
  }
}
