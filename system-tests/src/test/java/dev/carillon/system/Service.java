package dev.carillon.system;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * A process of Carillon that is ended and started again, each time under the same name and port.
 */
final class Service implements AutoCloseable {

  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  private final String name;
  private final String module;
  private final Map<String, String> variables;
  private final BooleanSupplier ready;
  private final String[] arguments;
  private final List<JarProcess> lives = new ArrayList<>();

  /**
   * @param ready whether the process does what it is there for
   */
  Service(
      String name,
      String module,
      Map<String, String> variables,
      BooleanSupplier ready,
      String... arguments) {
    this.name = name;
    this.module = module;
    this.variables = new HashMap<>(variables);
    this.ready = ready;
    this.arguments = arguments.clone();
  }

  String name() {
    return name;
  }

  /** Has a variable set whenever it is started from now on. */
  synchronized void set(String variable, String value) {
    variables.put(variable, value);
  }

  /** Starts it, again if need be, and returns when it is ready. */
  void start() {
    launch();
    awaitReady();
  }

  /** Starts it and returns at once. */
  synchronized void launch() {
    lives.add(JarProcess.start(module, variables, arguments));
  }

  void awaitReady() {
    await()
        .atMost(START_LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .failFast(() -> process().requireAlive())
        .until(ready::getAsBoolean);
  }

  boolean isReady() {
    return ready.getAsBoolean();
  }

  void kill9() {
    process().kill();
  }

  void terminate() {
    int code = process().stop();
    if (code != 0 && code != 143) {
      throw new AssertionError(name + " ended with " + code + " after SIGTERM; " + tail());
    }
  }

  void suspend() {
    process().suspend();
  }

  void resume() {
    process().resume();
  }

  /** Has only that stay in its memory which is still used. */
  void collectGarbage() {
    process().collectGarbage();
  }

  private synchronized JarProcess process() {
    return lives.get(lives.size() - 1);
  }

  /** How many lines of all its lives contain the text. */
  synchronized long countLines(String text) {
    return lives.stream()
        .flatMap(life -> life.output().stream())
        .filter(line -> line.contains(text))
        .count();
  }

  String tail() {
    return name + " = " + process().tail();
  }

  @Override
  public synchronized void close() {
    lives.forEach(JarProcess::close);
  }
}
