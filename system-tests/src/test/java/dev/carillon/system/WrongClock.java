package dev.carillon.system;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A local clock that is wrong, for a process of its own. The counter of elapsed time is left as it
 * is, as when somebody sets the clock of a machine. Needs Linux and a C compiler.
 */
final class WrongClock {

  private static final Path SOURCE = Path.of("src", "test", "native", "wrong-clock.c");

  private final Path library;
  private final Path file;

  /**
   * @param folder where its files are; of the test
   */
  WrongClock(Path folder, String name, Duration error) {
    this.library = folder.resolve("libwrong-clock.so");
    this.file = folder.resolve(name + ".clock");
    if (!Files.exists(library)) {
      compile();
    }
    set(error);
  }

  private void compile() {
    try {
      Process compiler =
          new ProcessBuilder(
                  "gcc", "-shared", "-fPIC", "-O2", "-o", library.toString(), SOURCE.toString())
              .redirectErrorStream(true)
              .start();
      String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (compiler.waitFor() != 0) {
        throw new AssertionError(SOURCE + " does not compile:\n" + output);
      }
    } catch (IOException e) {
      throw new AssertionError(
          "without gcc, no clock can be made wrong; on Debian or Ubuntu: apt-get install gcc"
              + " libc6-dev",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Sets it; the process sees it at once. */
  void set(Duration error) {
    ByteBuffer seconds = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
    seconds.putLong(error.toSeconds()).flip();
    try (FileChannel channel = FileChannel.open(file, CREATE, WRITE)) {
      channel.write(seconds, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What gives it to a process. */
  Map<String, String> variables() {
    return Map.of("LD_PRELOAD", library.toString(), "WRONG_CLOCK", file.toString());
  }
}
