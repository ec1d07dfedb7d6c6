package dev.carillon.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.bench.scenario.Size;
import dev.carillon.bench.subject.Mode;
import dev.carillon.bench.subject.SubjectKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BenchSettingsTest {

  @Test
  void measuresEverythingIfNothingIsSet() {
    BenchSettings settings = BenchSettings.read(Map.of("BENCH_JOBS", " "), Size.full());

    assertThat(settings.size()).isEqualTo(Size.full());
    assertThat(settings.subjects()).containsExactly(SubjectKind.values());
    assertThat(settings.parts()).isEqualTo(BenchSettings.PARTS);
    assertThat(settings.mongodbUri()).isEmpty();
  }

  @Test
  void everythingCanBeSet() {
    BenchSettings settings =
        BenchSettings.read(
            Map.of(
                "BENCH_ROUNDS", "5",
                "BENCH_RATES", "10, 20",
                "BENCH_RATE_SECONDS", "7",
                "BENCH_SUBJECTS", "quartz,carillon-auto",
                "BENCH_PARTS", "side-by-side",
                "BENCH_GROWTH_MODES", "own wheel",
                "MONGODB_URI", "mongodb://elsewhere"),
            Size.quick());

    assertThat(settings.size().rounds()).isEqualTo(5);
    assertThat(settings.size().rates()).containsExactly(10, 20);
    assertThat(settings.size().rateTime()).isEqualTo(Duration.ofSeconds(7));
    assertThat(settings.subjects()).containsExactly(SubjectKind.QUARTZ, SubjectKind.CARILLON_AUTO);
    assertThat(settings.parts()).isEqualTo(List.of("side-by-side"));
    assertThat(settings.growthModes()).containsExactly(Mode.OWN, Mode.WHEEL);
    assertThat(settings.mongodbUri()).contains("mongodb://elsewhere");
  }

  @Test
  void whatThereIsNotIsRefusedWithWhatThereIs() {
    assertThatThrownBy(() -> BenchSettings.read(Map.of("BENCH_SUBJECTS", "cron"), Size.quick()))
        .hasMessageContaining("cron")
        .hasMessageContaining("db-scheduler-lock");
    assertThatThrownBy(() -> BenchSettings.read(Map.of("BENCH_PARTS", "all"), Size.quick()))
        .hasMessageContaining("limits");
  }
}
