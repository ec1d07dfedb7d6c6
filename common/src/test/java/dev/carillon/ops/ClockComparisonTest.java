package dev.carillon.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class ClockComparisonTest {

  private static final Instant START = Instant.parse("2027-01-04T08:00:00Z");
  private static final int QUESTIONS_A_COMPARISON = 5;

  private final AtomicInteger asked = new AtomicInteger();
  private Duration elapsed = Duration.ofDays(1);
  private Duration localError = Duration.ZERO;
  private boolean storeIsAway;

  private final StoreClock clock =
      new StoreClock(
          () -> truth().plus(localError),
          this::askStore,
          Duration.ofSeconds(5),
          () -> elapsed.toNanos());
  private final ClockComparison comparison = new ClockComparison(clock, () -> elapsed.toNanos());

  private Instant truth() {
    return START.plus(elapsed);
  }

  private Instant askStore() {
    asked.incrementAndGet();
    if (storeIsAway) {
      throw new IllegalStateException("away");
    }
    return truth();
  }

  private int comparisonsWhenLookingAfter(Duration time) {
    int before = asked.get();
    elapsed = elapsed.plus(time);
    comparison.look();
    return (asked.get() - before + QUESTIONS_A_COMPARISON - 1) / QUESTIONS_A_COMPARISON;
  }

  @Test
  void comparesAtOnceAndThenEveryHalfMinute() {
    assertThat(comparisonsWhenLookingAfter(Duration.ZERO)).isEqualTo(1);
    assertThat(comparisonsWhenLookingAfter(Duration.ofSeconds(29))).isZero();
    assertThat(comparisonsWhenLookingAfter(Duration.ofSeconds(1))).isEqualTo(1);
  }

  @Test
  void aStoreThatIsAwayIsAskedEveryTimeUntilItIsBack() {
    storeIsAway = true;
    assertThat(comparisonsWhenLookingAfter(Duration.ZERO)).isEqualTo(1);
    assertThat(comparisonsWhenLookingAfter(Duration.ofSeconds(1))).isEqualTo(1);
    assertThat(clock.isReliable()).isFalse();

    storeIsAway = false;
    assertThat(comparisonsWhenLookingAfter(Duration.ofSeconds(1))).isEqualTo(1);

    assertThat(clock.isReliable()).isTrue();
    assertThat(comparisonsWhenLookingAfter(Duration.ofSeconds(1))).isZero();
  }

  @Test
  void aLocalClockThatIsSetBringsAComparisonAtOnce() {
    assertThat(comparisonsWhenLookingAfter(Duration.ZERO)).isEqualTo(1);
    localError = Duration.ofMinutes(-5);

    assertThat(comparisonsWhenLookingAfter(Duration.ofSeconds(1))).isEqualTo(1);

    assertThat(clock.isReliable()).isTrue();
    assertThat(clock.offset()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void looksByItselfAndGoesOnWhateverWasThrown() throws InterruptedException {
    CountDownLatch three = new CountDownLatch(3);
    StoreClock broken =
        new StoreClock(
            InstantSource.system(),
            () -> {
              three.countDown();
              throw new NoClassDefFoundError("half an installation");
            },
            Duration.ofSeconds(5));
    try (ClockComparison looking = new ClockComparison(broken)) {
      looking.start();
      await().atMost(Duration.ofMinutes(1)).until(() -> three.getCount() == 0);
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().equals("clock")));
  }

  private List<String> logged(Runnable work) {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger logger = (Logger) LoggerFactory.getLogger(ClockComparison.class);
    logger.addAppender(lines);
    try {
      work.run();
    } finally {
      logger.detachAppender(lines);
    }
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void thatTheFirstComparisonIsToComeIsNoWarning() {
    assertThat(logged(() -> comparisonsWhenLookingAfter(Duration.ofSeconds(2)))).isEmpty();
  }

  @Test
  void thatTheFirstComparisonDoesNotComeIsOne() {
    storeIsAway = true;
    assertThat(logged(() -> comparisonsWhenLookingAfter(Duration.ofSeconds(2))))
        .noneMatch(line -> line.contains("not compared"));
    assertThat(logged(() -> comparisonsWhenLookingAfter(Duration.ofSeconds(10))))
        .anyMatch(line -> line.contains("not compared"));
  }
}
