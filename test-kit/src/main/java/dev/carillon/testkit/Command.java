package dev.carillon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A short-lived process whose output is the point. */
final class Command {

  private static final Duration LIMIT = Duration.ofMinutes(1);

  /** What a process left behind. */
  record Result(int exitCode, String output, String errors) {}

  private Command() {}

  /**
   * Runs to the end.
   *
   * @throws IOException if it can't be started
   * @throws IllegalStateException if it does not end within a minute; it is killed then
   */
  static Result run(ProcessBuilder builder) throws IOException {
    // Files, since a pipe that nobody empties would hold the process up.
    Path output = Files.createTempFile("command-", ".out");
    Path errors = Files.createTempFile("command-", ".err");
    try {
      Process process =
          builder
              .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(output.toFile())
              .redirectError(errors.toFile())
              .start();
      if (!endsWithin(LIMIT, process)) {
        process.destroyForcibly();
        throw new IllegalStateException(
            "Not done within " + LIMIT + ": " + String.join(" ", builder.command()));
      }
      return new Result(process.exitValue(), Files.readString(output), Files.readString(errors));
    } finally {
      Files.delete(output);
      Files.delete(errors);
    }
  }

  /** As {@link #run}, for a process that must succeed; returns its output. */
  static String output(ProcessBuilder builder) {
    Result result;
    try {
      result = run(builder);
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
    if (result.exitCode() != 0) {
      throw new IllegalStateException(
          "%s exited with %d: %s%s"
              .formatted(
                  String.join(" ", builder.command()),
                  result.exitCode(),
                  result.output(),
                  result.errors()));
    }
    return result.output();
  }

  /** Waits, and stays interrupted if that happens meanwhile. */
  static boolean endsWithin(Duration limit, Process process) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for a process", interrupted);
    }
  }
}
