package dev.carillon.bench.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;

/** Short-lived commands whose output is the point. */
public final class Shell {

  private Shell() {}

  /**
   * Runs a command to its end; returns what it printed, errors included, without surrounding white
   * space.
   *
   * @throws IllegalStateException if it is not there or fails, with what it said
   */
  public static String output(String... command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(Redirect.from(new java.io.File("/dev/null")))
              .redirectErrorStream(true)
              .start();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int code = process.waitFor();
      if (code != 0) {
        throw new IllegalStateException(
            String.join(" ", command) + " exited with " + code + ": " + output);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
