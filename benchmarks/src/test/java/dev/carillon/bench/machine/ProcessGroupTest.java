package dev.carillon.bench.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ProcessGroupTest {

  @Test
  void readsTimesBehindANameWithAnythingInIt() {
    ProcessStat stat =
        ProcessStat.parse(
            "42 (a ) (b) S 7 42 42 0 -1 4194304 1 2 3 4 100 20 3 4 20 0 1 0 5 6 7 8 9\n");

    assertThat(stat).isEqualTo(new ProcessStat(42, 7, 127));
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void countsWhatDescendantsTook() throws Exception {
    Process parent =
        new ProcessBuilder("sh", "-c", "(while [ ! -e /nowhere/stop ]; do :; done) & wait; exit 1")
            .start();
    try {
      ProcessGroup group = new ProcessGroup(Map.of("busy", List.of(parent.pid())));
      while (group.totalCpuMillis() < 50) { // the shell that waits takes next to nothing itself
        Thread.onSpinWait();
      }
      assertThat(group.cpuMillis()).containsOnlyKeys("busy");
      assertThat(group.residentMebibytes().get("busy")).isPositive();
    } finally {
      parent.descendants().forEach(ProcessHandle::destroyForcibly);
      parent.destroyForcibly();
    }
  }

  @Test
  void processesThatHaveEndedCountForNothing() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();

    ProcessGroup group = new ProcessGroup(Map.of("ended", List.of(ended.pid())));

    assertThat(group.totalCpuMillis()).isZero();
    assertThat(group.residentMebibytes()).containsEntry("ended", 0.0);
  }
}
