package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * An API and workers on machines whose clocks are minutes off, and are set while they run. Run by
 * {@code ./test chaos}, since it needs a C compiler.
 */
@Tag("chaos")
@EnabledOnOs(value = OS.LINUX, disabledReason = "a process is given a wrong clock by LD_PRELOAD")
final class ClockSkewIT {

  private static final Duration MINUTES = Duration.ofMinutes(7);
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final String OFFSET = "carillon_clock_offset_seconds";
  private static final int RUNS = 5;

  @TempDir private Path folder;

  private final Receiver receiver = new Receiver();

  @Test
  void runEverythingOnceAndNeverEarly() {
    WrongClock slow = new WrongClock(folder, "slow", MINUTES.negated());
    WrongClock fast = new WrongClock(folder, "fast", MINUTES);
    WrongClock ofTheApi = new WrongClock(folder, "api", MINUTES.multipliedBy(2));
    try (receiver;
        Installation carillon =
            new Installation(Map.of("LEASE", LEASE.toString()), ofTheApi.variables())) {
      ApiClient slowWorker = carillon.startWorker("slow", slow.variables());
      ApiClient fastWorker = carillon.startWorker("fast", fast.variables());
      assertOffset(carillon.api(), MINUTES.multipliedBy(-2));
      assertOffset(slowWorker, MINUTES);
      assertOffset(fastWorker, MINUTES.negated());

      runAll(carillon, () -> {});

      // what has been compared is not believed any more, and compared again
      runAll(
          carillon,
          () -> {
            slow.set(MINUTES.multipliedBy(4));
            fast.set(MINUTES.multipliedBy(-4));
            ofTheApi.set(MINUTES.negated());
          });
      assertOffset(carillon.api(), MINUTES);
      assertOffset(slowWorker, MINUTES.multipliedBy(-4));
      assertOffset(fastWorker, MINUTES.multipliedBy(4));
      assertThat(carillon.tails()).contains("local clock set by");
    }
  }

  private static void assertOffset(ApiClient process, Duration expected) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(process.metric(OFFSET))
                    .isCloseTo((double) expected.toSeconds(), within(5.0)));
  }

  /** Tasks with short and with long runs: the long ones would be taken over by a wrong clock. */
  private void runAll(Installation carillon, Runnable meanwhile) {
    receiver.answerWith(
        run -> {
          if (run.index() == 1) {
            awaitEndOf(Instant.now().plus(LEASE.dividedBy(2)));
          }
          return 204;
        });
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Instant before = Instant.now();
      String id =
          carillon
              .api()
              .create(
                  "{'name': 'skewed', 'interval': 'PT1S', 'maxRuns': %d, 'action': {'type': 'http', 'url': '%s'}}"
                      .formatted(RUNS, receiver.url()));
      JsonNode first = carillon.api().task(id).path("subTasks").path(0);
      assertThat(Instant.parse(first.path("dueAt").asText()))
          .as("one interval from now")
          .isBetween(before, Instant.now().plusSeconds(2));
      ids.add(id);
    }
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(receiver.runsOf(ids.get(0))).hasSizeGreaterThan(1));
    meanwhile.run();
    for (String id : ids) {
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(carillon.api().task(id).path("status").asText())
                      .as(carillon::tails)
                      .isEqualTo("FINISHED"));
      List<Receiver.Run> runs = receiver.runsOf(id);
      assertThat(runs)
          .as("each once, in order: %s", carillon.tails())
          .extracting(Receiver.Run::index)
          .containsExactlyElementsOf(LongStream.range(0, RUNS).boxed().toList());
      assertThat(runs).allMatch(run -> !run.at().isBefore(run.dueAt()));
    }
  }

  private static void awaitEndOf(Instant end) {
    await().atMost(Duration.ofMinutes(1)).until(() -> Instant.now().isAfter(end));
  }
}
