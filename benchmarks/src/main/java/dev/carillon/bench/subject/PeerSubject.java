package dev.carillon.bench.subject;

import dev.carillon.bench.machine.ProcessGroup;
import dev.carillon.bench.measure.Starts;
import dev.carillon.bench.peer.PeerMain;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** Another scheduler in a process of its own, with a server or two behind it. */
final class PeerSubject implements Subject {

  private static final double NANOS = 1e9;

  private final CommandProcess process;
  private final String store;
  private final ProcessGroup processes;
  private final boolean lacksStoreCpu;
  private final int mostWaiting;
  private final Runnable cleanUp;

  /**
   * What stands behind a peer.
   *
   * @param store as figures name it
   * @param variables how the peer finds it
   * @param pids its processes by role
   * @param mostWaiting how many jobs may wait at a time
   * @param cleanUp removes what the peer has stored
   */
  record Backing(
      String store,
      Map<String, String> variables,
      Map<String, List<Long>> pids,
      int mostWaiting,
      Runnable cleanUp) {}

  private PeerSubject(CommandProcess process, Backing backing) {
    this.process = process;
    this.store = backing.store();
    Map<String, List<Long>> pids = new LinkedHashMap<>();
    pids.put("peer", List.of(process.pid()));
    pids.putAll(backing.pids());
    this.processes = new ProcessGroup(pids);
    this.lacksStoreCpu = backing.pids().values().stream().anyMatch(List::isEmpty);
    this.mostWaiting = backing.mostWaiting();
    this.cleanUp = backing.cleanUp();
  }

  /** Starts it and returns when it takes jobs. */
  static PeerSubject start(SubjectSettings settings, String kind, Backing backing) {
    CommandProcess process =
        CommandProcess.start(
            settings.servers().surroundings(),
            kind,
            PeerMain.class,
            List.of(kind, "" + settings.threads()),
            backing.variables());
    return new PeerSubject(process, backing);
  }

  @Override
  public String store() {
    return store;
  }

  @Override
  public double create(Jobs jobs, int threads) {
    return Double.parseDouble(process.ask("create " + words(jobs) + " " + threads)) / NANOS;
  }

  @Override
  public OptionalDouble createBatch(Jobs jobs) {
    String answer = process.ask("batch " + words(jobs));
    return answer.equals("none")
        ? OptionalDouble.empty()
        : OptionalDouble.of(Double.parseDouble(answer) / NANOS);
  }

  private static String words(Jobs jobs) {
    return "%s %d %d %d"
        .formatted(jobs.batch(), jobs.count(), jobs.firstDue().toEpochMilli(), jobs.spacingNanos());
  }

  @Override
  public Starts starts() {
    return process.starts();
  }

  @Override
  public ProcessGroup processes() {
    return processes;
  }

  @Override
  public boolean lacksStoreCpu() {
    return lacksStoreCpu;
  }

  @Override
  public int mostWaiting() {
    return mostWaiting;
  }

  @Override
  public void requireAlive() {
    process.requireAlive();
  }

  @Override
  public void close() {
    process.close();
    cleanUp.run();
  }
}
