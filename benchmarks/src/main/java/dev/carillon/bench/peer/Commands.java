package dev.carillon.bench.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out what the bench asks for on standard input, and answers by a line in the log. */
public final class Commands {

  /** What comes before an answer in the log. */
  public static final String ANSWER = "Commands: answer ";

  private static final Logger log = LoggerFactory.getLogger(Commands.class);

  private Commands() {}

  /** One thing that can be asked for. */
  @FunctionalInterface
  public interface Command {
    /** Does it and returns the answer, without line breaks. */
    String run(String[] arguments) throws Exception;
  }

  /** Says that it is ready, and goes on until standard input ends. */
  public static void serve(Map<String, Command> commands) throws IOException {
    log.info("answer ready");
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line = input.readLine();
    while (line != null) {
      String[] words = line.split(" ", -1);
      log.info("answer {}", answer(commands.get(words[0]), words));
      line = input.readLine();
    }
  }

  private static String answer(Command command, String[] words) {
    try {
      return command.run(Arrays.copyOfRange(words, 1, words.length));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "failed: interrupted";
    } catch (Exception e) { // told to the bench, which stops the measurement
      log.error("{} failed", Arrays.toString(words), e);
      return "failed: " + e;
    }
  }
}
