package dev.carillon.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class ShutdownTest {

  private final List<String> closed = new CopyOnWriteArrayList<>();
  private final Shutdown shutdown = new Shutdown(Duration.ofSeconds(20));

  @Test
  void closesInReverseOrder() throws Exception {
    add("store");
    add("queues");
    add("server");

    shutdown.close();
    shutdown.await();

    assertThat(closed).containsExactly("server", "queues", "store");
  }

  @Test
  void closesOnceHoweverOftenItIsAsked() {
    add("store");

    shutdown.close();
    shutdown.close();

    assertThat(closed).containsExactly("store");
  }

  @Test
  void goesOnWhenAStepFails() {
    add("store");
    shutdown.add(
        "queues",
        () -> {
          throw new IllegalStateException("not today");
        });

    shutdown.close();

    assertThat(closed).containsExactly("store");
  }

  @Test
  void doesNotWaitForeverForAStepThatHangs() throws Exception {
    Shutdown impatient = new Shutdown(Duration.ofMillis(100));
    CountDownLatch never = new CountDownLatch(1);
    impatient.add("server", never::await);

    impatient.close();
    impatient.await();

    assertThat(never.getCount()).isEqualTo(1);
    never.countDown();
  }

  @Test
  void whatIsStartedDuringTheShutdownIsClosedAtOnce() {
    shutdown.close();

    assertThatThrownBy(() -> add("late")).isInstanceOf(IllegalStateException.class);

    assertThat(closed).containsExactly("late");
  }

  private void add(String name) {
    shutdown.add(name, () -> closed.add(name));
  }
}
