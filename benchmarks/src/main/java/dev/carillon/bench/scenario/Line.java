package dev.carillon.bench.scenario;

import dev.carillon.bench.measure.Figures;
import dev.carillon.bench.measure.Figures.Column;
import dev.carillon.bench.measure.Figures.Unit;

/**
 * One line of a table.
 *
 * @param title what was measured
 * @param store what that keeps its state in
 */
record Line(Figures figures, String table, String title, String store) {

  void add(String column, Unit unit, Number value) {
    figures.add(table, title, store, new Column(column, unit), value.doubleValue());
  }
}
