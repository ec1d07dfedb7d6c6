package dev.carillon.bench.subject;

import dev.carillon.bench.measure.StartLine;
import dev.carillon.bench.measure.Starts;
import dev.carillon.bench.peer.Commands;
import dev.carillon.bench.process.ChildProcess;
import dev.carillon.bench.process.ChildProcess.Surroundings;
import dev.carillon.bench.process.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A process of this module that carries out commands, and whose jobs say when they start. */
public final class CommandProcess implements AutoCloseable {

  private static final Duration ANSWER_LIMIT = Duration.ofMinutes(30);

  private final Starts starts = new Starts();
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final ChildProcess process;

  private CommandProcess(
      Surroundings surroundings,
      String name,
      Class<?> main,
      List<String> arguments,
      Map<String, String> variables) {
    List<String> all = new ArrayList<>(List.of("-cp", System.getProperty("java.class.path")));
    all.add(main.getName());
    all.addAll(arguments);
    this.process = surroundings.startJava(name, List.of(), all, variables, this::read);
  }

  /** Starts it and returns when it is ready. */
  public static CommandProcess start(
      Surroundings surroundings,
      String name,
      Class<?> main,
      List<String> arguments,
      Map<String, String> variables) {
    CommandProcess process = new CommandProcess(surroundings, name, main, arguments, variables);
    process.answer();
    return process;
  }

  private void read(String line) {
    int answer = line.indexOf(Commands.ANSWER);
    if (answer >= 0) {
      answers.add(line.substring(answer + Commands.ANSWER.length()));
    } else {
      StartLine.parse(line).ifPresent(starts::add);
    }
  }

  /**
   * Has a command carried out; returns the answer.
   *
   * @throws IllegalStateException if it fails
   */
  public String ask(String command) {
    process.tell(command);
    String answer = answer();
    if (answer.startsWith("failed")) {
      throw new IllegalStateException(command + ": " + answer + "; " + process.tail());
    }
    return answer;
  }

  private String answer() {
    boolean inTime =
        Wait.until(
            ANSWER_LIMIT,
            () -> {
              if (answers.isEmpty()) {
                process.requireAlive();
              }
              return !answers.isEmpty();
            });
    if (!inTime) {
      throw new IllegalStateException("no answer within " + ANSWER_LIMIT + ": " + process.tail());
    }
    return answers.remove();
  }

  public Starts starts() {
    return starts;
  }

  public long pid() {
    return process.pid();
  }

  public void requireAlive() {
    process.requireAlive();
  }

  @Override
  public void close() {
    process.close();
  }
}
