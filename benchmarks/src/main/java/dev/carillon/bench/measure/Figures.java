package dev.carillon.bench.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What has been measured: for each figure one value a round, and what there is to say about it. Not
 * thread-safe.
 */
public final class Figures {

  /**
   * What a figure is about.
   *
   * @param table name of the table it stands in
   * @param row what was measured
   * @param store what that kept its state in; a figure holds for that store only
   * @param column what was counted
   */
  public record Name(String table, String row, String store, Column column) {}

  /**
   * What was counted.
   *
   * @param unit as printed behind values
   */
  public record Column(String title, Unit unit) {}

  /** How values are printed. */
  public enum Unit {
    /** Whole numbers, such as runs a second or jobs. */
    COUNT("%.0f"),
    MILLIS("%.0f"),
    /** Of CPU time a run, with three digits. */
    CPU_MILLIS("%.3f"),
    SECONDS("%.2f"),
    MEBIBYTES("%.0f"),
    PERCENT("%.0f");

    private final String format;

    Unit(String format) {
      this.format = format;
    }

    public String print(double value) {
      return format.formatted(value);
    }
  }

  private final Map<Name, List<Double>> values = new LinkedHashMap<>();
  private final List<String> remarks = new ArrayList<>();

  public void add(String table, String row, String store, Column column, double value) {
    values
        .computeIfAbsent(new Name(table, row, store, column), name -> new ArrayList<>())
        .add(value);
  }

  /** Something that a reader of the tables has to know, such as what could not be measured. */
  public void remark(String text) {
    if (!remarks.contains(text)) {
      remarks.add(text);
    }
  }

  /** The values of all rounds so far, by name, in the order in which the names came up. */
  public Map<Name, List<Double>> values() {
    return values;
  }

  public List<String> remarks() {
    return remarks;
  }

  /** The middle one; of an even number the mean of the two in the middle. */
  public static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
