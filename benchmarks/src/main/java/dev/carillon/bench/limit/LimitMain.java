package dev.carillon.bench.limit;

import dev.carillon.bench.peer.Commands;
import java.util.Map;

/**
 * A process that does nothing but let messages wait and arrive, as fast as the broker can. Takes
 * the command {@code count}; the answer is how many have gone through so far.
 */
public final class LimitMain {

  private LimitMain() {}

  /**
   * Runs until standard input ends.
   *
   * @param arguments {@code own}, {@code wheel} or {@code log}, how many messages are alive at a
   *     time, and how many milliseconds each waits in a queue of its own
   */
  public static void main(String[] arguments) throws Exception {
    String uri = System.getenv("AMQP_URI");
    int alive = Integer.parseInt(arguments[1]);
    Loop loop =
        switch (arguments[0]) {
          case "own" -> new OwnQueueLoop(uri, alive, Long.parseLong(arguments[2]));
          case "wheel" -> new WheelLoop(uri, alive);
          case "log" -> new LogLoop();
          default -> throw new IllegalArgumentException("no loop is called " + arguments[0]);
        };
    loop.start();
    Commands.serve(Map.of("count", words -> String.valueOf(loop.count())));
    System.exit(0); // the broker sees the connections end
  }
}
