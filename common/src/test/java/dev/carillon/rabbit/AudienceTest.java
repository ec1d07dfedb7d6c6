package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class AudienceTest {

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10); // it may overflow
  private final Audience audience = new Audience(nanos::get);

  @Test
  void whatNobodyListensToIsTriedAgainAfterASecond() {
    assertThat(audience.mayListenTo("task.created")).isTrue();

    audience.isAbsent("task.created");

    assertThat(audience.mayListenTo("task.created")).isFalse();
    assertThat(audience.mayListenTo("task.finished")).isTrue();
    nanos.addAndGet(Audience.LONGEST_ABSENCE.toNanos() - 1);
    assertThat(audience.mayListenTo("task.created")).isFalse();
    nanos.addAndGet(1);
    assertThat(audience.mayListenTo("task.created")).isTrue();
    audience.isAbsent("task.created");
    assertThat(audience.mayListenTo("task.created")).isFalse();
  }
}
