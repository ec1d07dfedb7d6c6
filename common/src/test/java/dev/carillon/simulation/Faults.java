package dev.carillon.simulation;

import java.time.Duration;
import java.util.Random;
import java.util.function.BiPredicate;

/**
 * What goes wrong in a simulated run, and how often. Probabilities are for each step that a node
 * takes or each message.
 */
record Faults(
    BiPredicate<String, Random> crashAt,
    double stop,
    double storeFails,
    double noticeLost,
    double noticeDoubled,
    double noticeLate,
    double brokerAway,
    double brokerWiped) {

  /** Longest delay of a late message. */
  static final Duration LATEST = Duration.ofSeconds(40);

  static final Faults NONE = new Faults((step, random) -> false, 0, 0, 0, 0, 0, 0, 0);

  static Faults crashing(double probability) {
    return new Faults((step, random) -> random.nextDouble() < probability, 0, 0, 0, 0, 0, 0, 0);
  }

  /** A crash at the n-th step of all, and nothing else. */
  static Faults crashAtStep(int n) {
    int[] steps = {0};
    return new Faults((step, random) -> steps[0]++ == n, 0, 0, 0, 0, 0, 0, 0);
  }

  /** A mixture that the seed decides on. */
  static Faults mixed(Random random) {
    double crash = pick(random, 0, 0.005, 0.03);
    return new Faults(
        (step, r) -> r.nextDouble() < crash,
        pick(random, 0, 0.002, 0.01),
        pick(random, 0, 0.01, 0.1),
        pick(random, 0, 0.02, 0.2),
        pick(random, 0, 0.1, 0.5),
        pick(random, 0, 0.1, 0.5),
        pick(random, 0, 0.01),
        pick(random, 0, 0.005));
  }

  private static double pick(Random random, double... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
