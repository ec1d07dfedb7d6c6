package dev.carillon.bench.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** What figures depend on and readers have to know. */
public final class Machine {

  private static final int SYNCS = 200;
  private static final int BLOCK = 4096;

  private Machine() {}

  /**
   * Looks at the machine.
   *
   * @param dataFolder where the servers will keep their data; written to and synced for a moment
   */
  public static Map<String, String> describe(Path dataFolder) {
    Map<String, String> description = new LinkedHashMap<>();
    description.put(
        "processors",
        Runtime.getRuntime().availableProcessors()
            + " × "
            + value("/proc/cpuinfo", "model name", "unknown model"));
    description.put("memory", value("/proc/meminfo", "MemTotal", "unknown"));
    description.put(
        "system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    description.put(
        "file system of the data",
        Shell.output("stat", "-f", "-c", "%T", dataFolder.toString())
            + ", write and fsync of 4 KiB takes "
            + syncTime(dataFolder)
            + " ms (median)");
    description.put(
        "Java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    description.put("load of the machine at the start", loadAverage());
    return description;
  }

  /** Load average over the last minute: more than about 0.3 at the start means it is shared. */
  static String loadAverage() {
    return firstLine("/proc/loadavg").split(" ", 2)[0];
  }

  private static String value(String file, String key, String otherwise) {
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(otherwise);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String firstLine(String file) {
    try {
      return Files.readString(Path.of(file)).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String syncTime(Path folder) {
    long[] nanos = new long[SYNCS];
    Path file = folder.resolve("fsync");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (int i = 0; i < SYNCS; i++) {
        long begin = System.nanoTime();
        channel.write(ByteBuffer.allocate(BLOCK));
        channel.force(false);
        nanos[i] = System.nanoTime() - begin;
      }
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Arrays.sort(nanos);
    return "%.2f".formatted(nanos[SYNCS / 2] / 1e6);
  }
}
