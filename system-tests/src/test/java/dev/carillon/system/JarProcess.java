package dev.carillon.system;

import static java.lang.ProcessBuilder.Redirect.DISCARD;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process of Carillon, started from its jar as an operator would. */
final class JarProcess implements AutoCloseable {

  /**
   * Less work for the compiler halves what a start costs, and tests start many; {@code ./test
   * chaos} leaves it as it is for users.
   */
  private static final String JVM_OPTION =
      System.getProperty("processes.jvm-option", "-XX:TieredStopAtLevel=1");

  private final String name;
  private final Process process;
  private final Thread reader;
  private final List<String> output = Collections.synchronizedList(new ArrayList<>());

  private JarProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    reader = new Thread(this::read, name + "-output");
    reader.setDaemon(true);
    reader.start();
    // also when the tests are broken off
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
  }

  /** Starts the jar of a module with the given variables, added to the environment. */
  static JarProcess start(String module, Map<String, String> variables, String... arguments) {
    Path jar = Path.of("..", module, "target", module + ".jar");
    if (!Files.exists(jar)) {
      throw new IllegalStateException(jar + " is missing: run the tests with mvn verify");
    }
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                JVM_OPTION,
                "-jar",
                jar.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(variables);
    try {
      return new JarProcess(module, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String line = reader.readLine();
      while (line != null) {
        output.add(line);
        line = reader.readLine();
      }
    } catch (IOException closed) {
      output.add("(the output ended: " + closed + ")");
    }
  }

  /** What it has printed so far. */
  List<String> output() {
    synchronized (output) {
      return List.copyOf(output);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void requireAlive() {
    if (!process.isAlive()) {
      throw new AssertionError("ended with " + process.exitValue() + "; " + tail());
    }
  }

  /** As by kill -9. */
  void kill() {
    process.destroyForcibly();
    await();
  }

  /** As by SIGTERM; returns the exit code. */
  int stop() {
    process.toHandle().destroy(); // Process.destroy would close its output as well
    return await();
  }

  /** As by SIGSTOP: it is there and does nothing until {@link #resume}. */
  void suspend() {
    signal("STOP");
  }

  /** As by SIGCONT. */
  void resume() {
    signal("CONT");
  }

  /** Has only that stay in its memory which is still used. */
  void collectGarbage() {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    tell(jcmd.toString(), Long.toString(process.pid()), "GC.run");
  }

  private void signal(String name) {
    tell("kill", "-" + name, Long.toString(process.pid()));
  }

  private void tell(String... command) {
    try {
      Process telling =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(DISCARD).start();
      if (telling.waitFor() != 0) {
        throw new IllegalStateException(name + " does not heed " + String.join(" ", command));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private int await() {
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new IllegalStateException(name + " does not end:\n" + tail());
      }
      reader.join(10_000);
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** The end of its output, for messages of failing tests. */
  String tail() {
    List<String> lines = output();
    return name
        + ":\n  "
        + String.join("\n  ", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
  }

  @Override
  public void close() {
    kill();
  }
}
