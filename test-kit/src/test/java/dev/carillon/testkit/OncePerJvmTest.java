package dev.carillon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OncePerJvmTest {

  private final AtomicInteger attempts = new AtomicInteger();

  @Test
  void makesTheValueOnFirstUseAndKeepsIt() {
    OncePerJvm<Integer> value = new OncePerJvm<>(attempts::incrementAndGet);

    assertThat(attempts).hasValue(0);
    assertThat(value.get()).isEqualTo(1);
    assertThat(value.get()).isEqualTo(1);
  }

  @Test
  void keepsAFailureInsteadOfTryingAgain() {
    OncePerJvm<Integer> value =
        new OncePerJvm<>(
            () -> {
              throw new IllegalStateException("attempt " + attempts.incrementAndGet());
            });

    assertThatThrownBy(value::get).hasMessage("attempt 1");
    assertThatThrownBy(value::get).hasMessage("attempt 1");
  }
}
