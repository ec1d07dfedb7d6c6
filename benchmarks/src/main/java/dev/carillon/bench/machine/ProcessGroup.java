package dev.carillon.bench.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The processes that do the work of one subject, by their roles, each with all that descends from
 * it. Immutable and thread-safe.
 */
public final class ProcessGroup {

  private static final Path PROC = Path.of("/proc");
  private static final double MILLIS_PER_TICK = 1000.0 / ticksPerSecond();

  private final Map<String, List<Long>> roots;

  /**
   * Of processes that are there.
   *
   * @param roots process ids by role
   */
  public ProcessGroup(Map<String, List<Long>> roots) {
    Map<String, List<Long>> copy = new LinkedHashMap<>();
    roots.forEach((role, pids) -> copy.put(role, List.copyOf(pids)));
    this.roots = copy;
  }

  /**
   * CPU time so far in milliseconds by role, user and system, to the hundredth of a second that
   * Linux counts in. Of use as a difference only.
   */
  public Map<String, Double> cpuMillis() {
    Map<Long, ProcessStat> all = all();
    Map<Long, List<Long>> children = children(all.values());
    Map<String, Double> byRole = new LinkedHashMap<>();
    roots.forEach(
        (role, pids) -> {
          long ticks = 0;
          for (long pid : family(pids, children)) {
            ProcessStat stat = all.get(pid);
            ticks += stat == null ? 0 : stat.ticks();
          }
          byRole.put(role, ticks * MILLIS_PER_TICK);
        });
    return byRole;
  }

  /** Sum of {@link #cpuMillis}. */
  public double totalCpuMillis() {
    return cpuMillis().values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** Resident memory in MiB by role; pages that processes share count once for each. */
  public Map<String, Double> residentMebibytes() {
    Map<Long, List<Long>> children = children(all().values());
    Map<String, Double> byRole = new LinkedHashMap<>();
    roots.forEach(
        (role, pids) -> {
          long kibibytes = 0;
          for (long pid : family(pids, children)) {
            kibibytes += residentKibibytes(pid);
          }
          byRole.put(role, kibibytes / 1024.0);
        });
    return byRole;
  }

  private static long residentKibibytes(long pid) {
    try (Stream<String> lines = Files.lines(PROC.resolve(pid + "/status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
          .sum();
    } catch (IOException | UncheckedIOException ended) {
      return 0;
    }
  }

  private static Map<Long, ProcessStat> all() {
    Map<Long, ProcessStat> all = new HashMap<>();
    try (Stream<Path> folders = Files.list(PROC)) {
      folders
          .filter(folder -> Character.isDigit(folder.getFileName().toString().charAt(0)))
          .forEach(folder -> ProcessStat.read(folder).ifPresent(stat -> all.put(stat.pid(), stat)));
    } catch (IOException e) {
      throw new UncheckedIOException("CPU times are read from /proc, which only Linux has", e);
    }
    return all;
  }

  private static Map<Long, List<Long>> children(Collection<ProcessStat> all) {
    Map<Long, List<Long>> children = new HashMap<>();
    for (ProcessStat stat : all) {
      children.merge(
          stat.parent(),
          List.of(stat.pid()),
          (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
    }
    return children;
  }

  private static List<Long> family(List<Long> pids, Map<Long, List<Long>> children) {
    Map<Long, Boolean> family = new LinkedHashMap<>();
    Deque<Long> next = new ArrayDeque<>(pids);
    while (!next.isEmpty()) {
      long pid = next.pop();
      if (family.put(pid, true) == null) {
        next.addAll(children.getOrDefault(pid, List.of()));
      }
    }
    return List.copyOf(family.keySet());
  }

  private static long ticksPerSecond() {
    return Long.parseLong(Shell.output("getconf", "CLK_TCK"));
  }
}
