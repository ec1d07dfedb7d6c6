package dev.carillon.bench.scenario;

import dev.carillon.bench.limit.LimitMain;
import dev.carillon.bench.machine.ProcessGroup;
import dev.carillon.bench.measure.Figures;
import dev.carillon.bench.measure.Figures.Unit;
import dev.carillon.bench.process.Servers;
import dev.carillon.bench.process.Wait;
import dev.carillon.bench.subject.CarillonSubject;
import dev.carillon.bench.subject.CommandProcess;
import dev.carillon.bench.subject.Jobs;
import dev.carillon.bench.subject.Mode;
import dev.carillon.bench.subject.SubjectSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Carillon at full speed beside bare loops over the same kind of queues. Both run whole lives: a
 * message is parked, expires, arrives, and makes room for the next.
 */
public final class Limits {

  private static final String TABLE = "Beside what the broker can do";
  private static final Duration RUN_IN = Duration.ofSeconds(5);

  /**
   * What is compared in a mode.
   *
   * @param loop name of the bare loop, for the process and for people
   * @param messages how many the loop has under way at a time, enough to keep the broker busy
   * @param tasks that fire every second: more than can be carried
   */
  private record Load(String loop, int messages, int tasks) {}

  private static final Map<Mode, Load> LOADS =
      Map.of(Mode.OWN, new Load("own", 1_000, 400), Mode.WHEEL, new Load("wheel", 20_000, 4_000));

  private static final int WAIT_MILLIS = 1_000;
  private static final int MESSAGES_WITHOUT_WAIT = 256;

  private final Size size;
  private final SubjectSettings settings;
  private final Figures figures;

  public Limits(Size size, SubjectSettings settings, Figures figures) {
    this.size = size;
    this.settings = settings;
    this.figures = figures;
  }

  /** Measures the bare loop of a mode. */
  public double measureLoop(Mode mode) {
    Load load = LOADS.get(mode);
    if (mode == Mode.OWN) {
      runLoop("bare loop, own, without waiting", load.loop(), MESSAGES_WITHOUT_WAIT, 0);
    }
    return runLoop("bare loop, " + load.loop(), load.loop(), load.messages(), WAIT_MILLIS)
        .perSecond();
  }

  private Window runLoop(String row, String kind, int alive, int wait) {
    Servers servers = settings.servers();
    String vhost = servers.broker().freshVhost();
    try (CommandProcess loop = startLoop(kind, alive, wait, Map.of("AMQP_URI", vhost))) {
      ProcessGroup processes =
          new ProcessGroup(
              Map.of("loop", List.of(loop.pid()), "RabbitMQ", servers.broker().pids()));
      Window window = window(processes, loop);
      add(row, "none", window);
      return window;
    } finally {
      servers.broker().deleteVhost(vhost);
    }
  }

  /**
   * Measures Carillon in a mode, with more recurring tasks than it can carry.
   *
   * @param bare what the loop carried, a second
   */
  public void measureCarillon(Mode mode, double bare) {
    Load load = LOADS.get(mode);
    try (CarillonSubject carillon = CarillonSubject.start(settings, mode, 1)) {
      double pace = size.creates() / carillon.create(beyondReach(size.creates()), 8);
      long millis = (long) (1_600 * load.tasks() / pace);
      Instant first = Instant.ofEpochMilli(System.currentTimeMillis() + millis + 2_000);
      Jobs jobs = new Jobs("sustained", load.tasks(), first, 1_000_000_000L / load.tasks());
      carillon.createRecurring(jobs, 8);
      Wait.until(first.plus(RUN_IN));
      Window window =
          Window.over(
              size.loadTime(),
              carillon.processes(),
              () -> {
                carillon.requireAlive();
                return carillon.starts().count(jobs.batch());
              });
      String row = "Carillon, " + load.loop();
      add(row, carillon.store(), window);
      new Line(figures, TABLE, row, carillon.store())
          .add("of the bare loop, %", Unit.PERCENT, 100 * window.perSecond() / bare);
    }
  }

  /** Only to see how fast tasks are created. */
  private static Jobs beyondReach(int count) {
    Instant inAMonth = Instant.ofEpochMilli(System.currentTimeMillis()).plus(Duration.ofDays(30));
    return new Jobs("far", count, inAMonth, 0);
  }

  /** Measures what it costs to be observed. */
  public void measureLogLine() {
    try (CommandProcess loop = startLoop("log", 1, 0, Map.of())) {
      Window window = window(new ProcessGroup(Map.of("loop", List.of(loop.pid()))), loop);
      add("the line that each run writes to its log", "none", window);
    }
  }

  private CommandProcess startLoop(
      String kind, int alive, int wait, Map<String, String> variables) {
    return CommandProcess.start(
        settings.servers().surroundings(),
        "loop-" + kind,
        LimitMain.class,
        List.of(kind, "" + alive, "" + wait),
        variables);
  }

  private Window window(ProcessGroup processes, CommandProcess loop) {
    Wait.until(Instant.now().plus(RUN_IN));
    return Window.over(size.loadTime(), processes, () -> Long.parseLong(loop.ask("count")));
  }

  private void add(String row, String store, Window window) {
    Line line = new Line(figures, TABLE, row, store);
    line.add("a second", Unit.COUNT, window.perSecond());
    line.add("CPU each, ms", Unit.CPU_MILLIS, window.cpuMillisEach());
  }
}
