package dev.carillon.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RetryPolicyTest {

  @Test
  void delaysGrowByTheFactorUpToTheLongest() {
    RetryPolicy policy = new RetryPolicy(10, Duration.ofSeconds(10), 3, Duration.ofSeconds(100));

    assertUpToATenthLonger(policy.delayAfter(1, "a"), Duration.ofSeconds(10));
    assertUpToATenthLonger(policy.delayAfter(2, "a"), Duration.ofSeconds(30));
    assertUpToATenthLonger(policy.delayAfter(3, "a"), Duration.ofSeconds(90));
    assertUpToATenthLonger(policy.delayAfter(4, "a"), Duration.ofSeconds(100));
    assertUpToATenthLonger(policy.delayAfter(1_000, "a"), Duration.ofSeconds(100));
  }

  private static void assertUpToATenthLonger(Duration delay, Duration expected) {
    assertThat(delay).isBetween(expected, expected.multipliedBy(11).dividedBy(10));
  }

  @Test
  void whatFailedTogetherIsNotRepeatedTogether() {
    RetryPolicy policy = RetryPolicy.DEFAULT;
    List<Duration> delays =
        IntStream.range(0, 100).mapToObj(i -> policy.delayAfter(1, "task_" + i)).toList();

    assertThat(delays.stream().distinct().count()).isGreaterThan(90);
    assertThat(policy.delayAfter(1, "same")).isEqualTo(policy.delayAfter(1, "same"));
  }

  @Test
  void theFirstAttemptCounts() {
    assertThat(RetryPolicy.DEFAULT.allowsAnotherAfter(2)).isTrue();
    assertThat(RetryPolicy.DEFAULT.allowsAnotherAfter(3)).isFalse();
  }
}
