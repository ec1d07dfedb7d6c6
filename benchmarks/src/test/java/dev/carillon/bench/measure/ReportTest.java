package dev.carillon.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.bench.measure.Figures.Column;
import dev.carillon.bench.measure.Figures.Unit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ReportTest {

  private static final Column RUNS = new Column("runs/s", Unit.COUNT);
  private static final Column CPU = new Column("CPU a run, ms", Unit.CPU_MILLIS);

  private final Figures figures = new Figures();
  private final Report report = new Report(Map.of("memory", "24 \"GB\""), figures);

  @Test
  void aFigureIsTheMedianOfItsRounds() {
    assertThat(Figures.median(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
    assertThat(Figures.median(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(2.5);
  }

  @Test
  void eachSubjectIsALineAndWhatWasNotMeasuredIsADash() {
    figures.add("All", "one", "PostgreSQL 15", RUNS, 300);
    figures.add("All", "one", "PostgreSQL 15", RUNS, 100);
    figures.add("All", "one", "PostgreSQL 15", RUNS, 200);
    figures.add("All", "two", "embedded", CPU, 0.12345);
    figures.remark("one is not two");

    assertThat(report.markdown())
        .contains("- memory: 24 \"GB\"\n")
        .contains("**All**\n\n| | store | runs/s | CPU a run, ms |\n")
        .contains("| one | PostgreSQL 15 | 200 | – |\n")
        .contains("| two | embedded | – | 0.123 |\n")
        .endsWith("\n- one is not two\n");
  }

  @Test
  void figuresOfDifferentStoresAreNeverMixed() {
    figures.add("All", "one", "embedded", RUNS, 100);
    figures.add("All", "one", "MongoDB 8", RUNS, 900);

    assertThat(report.markdown())
        .contains("| one | embedded | 100 |\n")
        .contains("| one | MongoDB 8 | 900 |\n");
  }

  @Test
  void theValuesOfAllRoundsAreInTheCsv() {
    figures.add("All", "one", "a \"store\"", RUNS, 3);
    figures.add("All", "one", "a \"store\"", RUNS, 1);

    assertThat(report.csv())
        .contains("\"All\",\"one\",\"a \"\"store\"\"\",\"runs/s\",count,2,2.0,1.0,3.0,3.0 1.0\n")
        .contains("machine,\"memory\",,,,,,,,\"24 \"\"GB\"\"\"\n");
  }
}
