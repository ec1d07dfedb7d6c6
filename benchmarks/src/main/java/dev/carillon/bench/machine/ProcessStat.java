package dev.carillon.bench.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One line of {@code /proc/PID/stat}.
 *
 * @param ticks CPU time of the process, and of those of its children that have ended and been
 *     waited for
 */
record ProcessStat(long pid, long parent, long ticks) {

  private static final int STATE = 0;
  private static final int PARENT = STATE + 1;
  private static final int USER = 11;
  private static final int ENDED_CHILDREN_SYSTEM = 14;

  /** Of a process that is there; empty if it has ended meanwhile. */
  static Optional<ProcessStat> read(Path folder) {
    try {
      return Optional.of(parse(Files.readString(folder.resolve("stat"))));
    } catch (IOException ended) {
      return Optional.empty();
    }
  }

  static ProcessStat parse(String line) {
    // The name stands in parentheses and may contain anything, parentheses included.
    int nameEnd = line.lastIndexOf(')');
    long pid = Long.parseLong(line.substring(0, line.indexOf(' ')));
    String[] fields = line.substring(nameEnd + 2).strip().split(" ", -1);
    long ticks = 0;
    for (int i = USER; i <= ENDED_CHILDREN_SYSTEM; i++) {
      ticks += Long.parseLong(fields[i]);
    }
    return new ProcessStat(pid, Long.parseLong(fields[PARENT]), ticks);
  }
}
