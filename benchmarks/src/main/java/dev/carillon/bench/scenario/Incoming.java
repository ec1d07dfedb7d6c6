package dev.carillon.bench.scenario;

import dev.carillon.bench.measure.Figures;
import dev.carillon.bench.measure.Figures.Unit;
import dev.carillon.bench.process.Wait;
import dev.carillon.bench.subject.CarillonSubject;
import dev.carillon.bench.subject.DelayedPublisher;
import dev.carillon.bench.subject.Mode;
import dev.carillon.bench.subject.SubjectSettings;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Messages that publishers send over AMQP to be delivered a day later: how fast they are stored.
 */
public final class Incoming {

  private static final String TABLE = "Delayed messages taken in over AMQP";
  private static final int WARM_UP = 5_000;
  private static final int BODY_BYTES = 500;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final Size size;
  private final SubjectSettings settings;
  private final Figures figures;

  public Incoming(Size size, SubjectSettings settings, Figures figures) {
    this.size = size;
    this.settings = settings;
    this.figures = figures;
  }

  /** Measures one round. */
  public void measure() {
    String target = "bench";
    Map<String, String> ingress = Map.of("INGRESS_EXCHANGES", target);
    try (CarillonSubject carillon = CarillonSubject.start(settings, Mode.AUTO, 1, ingress);
        DelayedPublisher publisher = carillon.publisher(target, BODY_BYTES)) {
      takeIn(carillon, publisher, "warm-up", WARM_UP, OptionalInt.empty());
      add(carillon, publisher, "without a key", OptionalInt.empty());
      add(carillon, publisher, "each with a key of its own", OptionalInt.of(Integer.MAX_VALUE));
      add(carillon, publisher, "replacing, 1,000 keys", OptionalInt.of(1_000));
    }
  }

  private void add(
      CarillonSubject carillon, DelayedPublisher publisher, String row, OptionalInt keys) {
    int count = keys.orElse(Integer.MAX_VALUE) < size.jobs() ? size.jobs() / 4 : size.jobs();
    double cpuBefore = carillon.processes().totalCpuMillis();
    double seconds = takeIn(carillon, publisher, row, count, keys);
    double cpu = carillon.processes().totalCpuMillis() - cpuBefore;
    Line line = new Line(figures, TABLE, row, carillon.store());
    line.add("messages", Unit.COUNT, count);
    line.add("a second", Unit.COUNT, count / seconds);
    line.add("CPU each, ms", Unit.CPU_MILLIS, cpu / count);
  }

  /** Returns the seconds from the first publish until the last message was stored. */
  private static double takeIn(
      CarillonSubject carillon,
      DelayedPublisher publisher,
      String name,
      int count,
      OptionalInt keys) {
    long before = carillon.messagesTakenIn();
    long begin = System.nanoTime();
    publisher.publish(name, count, keys);
    boolean inTime =
        Wait.until(
            LIMIT,
            () -> {
              carillon.requireAlive();
              return carillon.messagesTakenIn() - before >= count;
            });
    if (!inTime) {
      throw new IllegalStateException(
          name + ": not all of " + count + " messages were taken in within " + LIMIT);
    }
    return (System.nanoTime() - begin) / 1e9;
  }
}
