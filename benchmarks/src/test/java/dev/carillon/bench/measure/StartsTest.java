package dev.carillon.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.bench.measure.Starts.Summary;
import org.junit.jupiter.api.Test;

final class StartsTest {

  private final Starts starts = new Starts();

  private void start(String batch, String key, long dueAt, long lateness) {
    starts.add(new StartLine(dueAt + lateness, batch, key, dueAt));
  }

  @Test
  void countsLatenessOfStartsThatAreNotEarly() {
    for (int i = 0; i < 100; i++) {
      start("a", "a_" + i, 1_000, i);
    }
    start("a", "a_early", 1_000, -1);

    Summary summary = starts.summary("a").orElseThrow();
    assertThat(summary.count()).isEqualTo(101);
    assertThat(summary.early()).isEqualTo(1);
    assertThat(summary.lateness(50)).isEqualTo(49);
    assertThat(summary.lateness(99)).isEqualTo(98);
    assertThat(summary.lateness(100)).isEqualTo(99);
  }

  @Test
  void countsRepetitionsOfAJobApart() {
    start("a", "a_0", 0, 0);
    start("a", "a_1", 0, 0);
    start("a", "a_1", 0, 5);

    Summary summary = starts.summary("a").orElseThrow();
    assertThat(summary.distinct()).isEqualTo(2);
    assertThat(summary.doubled()).isEqualTo(1);
    assertThat(starts.distinct("a")).isEqualTo(2);
    assertThat(starts.count("a")).isEqualTo(3);
  }

  @Test
  void throughputIsFromTheFirstStartToTheLast() {
    for (int i = 0; i <= 50; i++) {
      start("a", "a_" + i, 7_000, 10L * i);
    }

    assertThat(starts.summary("a").orElseThrow().throughput()).isEqualTo(100);
  }

  @Test
  void measurementsAreKeptApart() {
    start("a", "a_0", 0, 3);
    start("b", "b_0", 0, 4);

    assertThat(starts.summary("a").orElseThrow().count()).isEqualTo(1);
    assertThat(starts.distinct("c")).isZero();
    assertThat(starts.summary("c")).isEmpty();
  }
}
