package dev.carillon.bench.measure;

import dev.carillon.bench.measure.Figures.Column;
import dev.carillon.bench.measure.Figures.Name;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** Writes figures as Markdown, for people, and as CSV with the values of every round. */
public final class Report {

  private final Map<String, String> machine;
  private final Figures figures;

  /**
   * Of figures that may still grow.
   *
   * @param machine what the figures were measured on and with
   */
  public Report(Map<String, String> machine, Figures figures) {
    this.machine = machine;
    this.figures = figures;
  }

  /** Writes {@code bench.md} and {@code bench.csv} into a folder, over older ones. */
  public void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("bench.md"), markdown());
    Files.writeString(folder.resolve("bench.csv"), csv());
  }

  /** All tables. Each figure is the median of its rounds. */
  public String markdown() {
    StringBuilder text = new StringBuilder();
    machine.forEach((what, value) -> text.append("- %s: %s\n".formatted(what, value)));
    tables().forEach((table, names) -> text.append(table(table, names)));
    if (!figures.remarks().isEmpty()) {
      text.append('\n');
      figures.remarks().forEach(remark -> text.append("- ").append(remark).append('\n'));
    }
    return text.toString();
  }

  private Map<String, List<Name>> tables() {
    return figures.values().keySet().stream()
        .collect(Collectors.groupingBy(Name::table, LinkedHashMap::new, Collectors.toList()));
  }

  private record Row(String subject, String store) {}

  private String table(String title, List<Name> names) {
    Set<Column> columns = new LinkedHashSet<>();
    Set<Row> rows = new LinkedHashSet<>();
    names.forEach(
        name -> {
          columns.add(name.column());
          rows.add(new Row(name.row(), name.store()));
        });
    StringBuilder text = new StringBuilder("\n**").append(title).append("**\n\n| | store |");
    columns.forEach(column -> text.append(' ').append(column.title()).append(" |"));
    text.append("\n| --- | --- |").append(" --: |".repeat(columns.size())).append('\n');
    for (Row row : rows) {
      text.append("| %s | %s |".formatted(row.subject(), row.store()));
      for (Column column : columns) {
        text.append(' ').append(cell(new Name(title, row.subject(), row.store(), column)));
        text.append(" |");
      }
      text.append('\n');
    }
    return text.toString();
  }

  private String cell(Name name) {
    List<Double> values = figures.values().get(name);
    return values == null ? "–" : name.column().unit().print(Figures.median(values));
  }

  /** One line a figure: median, least, greatest, and the values of all rounds. */
  public String csv() {
    StringBuilder text =
        new StringBuilder("table,subject,store,figure,unit,rounds,median,min,max,values\n");
    figures
        .values()
        .forEach(
            (name, values) -> {
              StringJoiner line = new StringJoiner(",", "", "\n");
              line.add(quoted(name.table())).add(quoted(name.row())).add(quoted(name.store()));
              line.add(quoted(name.column().title()));
              line.add(name.column().unit().name().toLowerCase(java.util.Locale.ROOT));
              line.add(String.valueOf(values.size()));
              line.add(String.valueOf(Figures.median(values)));
              line.add(String.valueOf(values.stream().min(Double::compare).orElseThrow()));
              line.add(String.valueOf(values.stream().max(Double::compare).orElseThrow()));
              line.add(values.stream().map(String::valueOf).collect(Collectors.joining(" ")));
              text.append(line);
            });
    machine.forEach(
        (what, value) ->
            text.append("machine,%s,,,,,,,,%s\n".formatted(quoted(what), quoted(value))));
    return text.toString();
  }

  private static String quoted(String text) {
    return '"' + text.replace("\"", "\"\"") + '"';
  }
}
