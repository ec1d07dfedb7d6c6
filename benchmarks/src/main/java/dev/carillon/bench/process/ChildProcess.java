package dev.carillon.bench.process;

import dev.carillon.testkit.ExitGuard;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A process that is measured, or that what is measured needs. Its output goes to a file and is
 * handed on line by line from there. Does not outlive this JVM. Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {

  private static final Duration STOP_LIMIT = Duration.ofSeconds(40);
  private static final Duration START_LIMIT = Duration.ofMinutes(3);
  private static final int TAIL = 30;
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private final String name;
  private final Process process;
  private final ExitGuard guard;
  private final FollowedFile output;
  private final Deque<String> tail = new ArrayDeque<>();

  private ChildProcess(
      String name, Process process, ExitGuard guard, Path log, Consumer<String> lines) {
    this.name = name;
    this.process = process;
    this.guard = guard;
    this.output =
        new FollowedFile(
            log,
            line -> {
              remember(line);
              lines.accept(line);
            });
  }

  /**
   * Where and how processes are started.
   *
   * @param logs folder for their output
   * @param guard ends them when this JVM dies
   * @param javaOptions for those that are JVMs
   */
  public record Surroundings(Path logs, ExitGuard guard, List<String> javaOptions) {

    /** Starts a command with the given variables in its environment, beside the inherited ones. */
    public ChildProcess start(
        String name, List<String> command, Map<String, String> variables, Consumer<String> lines) {
      String unique = name + "-" + NUMBERS.incrementAndGet();
      Path log = logs.resolve(unique + ".log");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(Redirect.to(log.toFile()));
      builder.environment().putAll(variables);
      try {
        Files.createDirectories(logs);
        ChildProcess child = new ChildProcess(unique, builder.start(), guard, log, lines);
        guard.watch(unique, child.process);
        child.output.start();
        return child;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Starts a JVM with the options that all have and some of its own. */
    public ChildProcess startJava(
        String name,
        List<String> ownOptions,
        List<String> arguments,
        Map<String, String> variables,
        Consumer<String> lines) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(javaOptions);
      command.addAll(ownOptions);
      command.addAll(arguments);
      return start(name, command, variables, lines);
    }
  }

  private void remember(String line) {
    synchronized (tail) {
      tail.addLast(line);
      if (tail.size() > TAIL) {
        tail.removeFirst();
      }
    }
  }

  public long pid() {
    return process.pid();
  }

  /**
   * Waits until it does what it is there for.
   *
   * @throws IllegalStateException if it ends, or does not become ready; with the end of its output
   */
  public void awaitReady(BooleanSupplier ready) {
    boolean inTime =
        Wait.until(
            START_LIMIT,
            () -> {
              requireAlive();
              return ready.getAsBoolean();
            });
    if (!inTime) {
      throw new IllegalStateException("not ready after " + START_LIMIT + ": " + tail());
    }
  }

  /**
   * Does nothing if it is there.
   *
   * @throws IllegalStateException if it has ended, with the end of its output
   */
  public void requireAlive() {
    if (!process.isAlive()) {
      throw new IllegalStateException("ended with " + process.exitValue() + ": " + tail());
    }
  }

  /** Writes a line to its standard input. */
  public void tell(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot be told " + line + ": " + tail(), e);
    }
  }

  /** The end of its output, for people. */
  public String tail() {
    synchronized (tail) {
      return name + ":\n  " + String.join("\n  ", tail);
    }
  }

  /** Ends it as by SIGTERM, after a while as by SIGKILL; all of its output is handed on. */
  @Override
  public void close() {
    process.toHandle().destroy();
    try {
      if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new IllegalStateException("interrupted", e);
    } finally {
      guard.forget(name);
    }
    output.close();
  }
}
