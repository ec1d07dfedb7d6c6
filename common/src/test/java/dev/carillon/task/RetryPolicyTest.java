package dev.carillon.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RetryPolicyTest {

  @Test
  void delaysGrowByTheFactorUpToTheLongest() {
    RetryPolicy policy = new RetryPolicy(10, Duration.ofSeconds(10), 3, Duration.ofSeconds(100));

    assertThat(policy.delayAfter(1)).isEqualTo(Duration.ofSeconds(10));
    assertThat(policy.delayAfter(2)).isEqualTo(Duration.ofSeconds(30));
    assertThat(policy.delayAfter(3)).isEqualTo(Duration.ofSeconds(90));
    assertThat(policy.delayAfter(4)).isEqualTo(Duration.ofSeconds(100));
    assertThat(policy.delayAfter(1_000)).isEqualTo(Duration.ofSeconds(100));
  }

  @Test
  void theFirstAttemptCounts() {
    assertThat(RetryPolicy.DEFAULT.allowsAnotherAfter(2)).isTrue();
    assertThat(RetryPolicy.DEFAULT.allowsAnotherAfter(3)).isFalse();
  }
}
