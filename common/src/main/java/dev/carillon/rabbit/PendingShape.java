package dev.carillon.rabbit;

import java.time.Duration;
import java.util.Objects;

/**
 * What notices wait in: queues of their own, the slot queues of a wheel that they share, or both.
 *
 * @param mode which of them are used
 * @param ownAlive in mode auto, how many own queues there may be at a time
 * @param ownPerSecond in mode auto, how many own queues a process may declare in a second
 * @param slots how many slots the wheel has
 * @param slot how much time a slot stands for; parts of a millisecond are dropped
 */
public record PendingShape(Mode mode, int ownAlive, int ownPerSecond, int slots, Duration slot) {

  /** Which queues are used. */
  public enum Mode {
    /** Own queues only. */
    OWN,
    /** The wheel only. */
    WHEEL,
    /** Own queues while there are not too many of them, else the wheel. */
    AUTO
  }

  public static final int FEWEST_SLOTS = 4;
  public static final int MOST_SLOTS = 1_000;
  public static final Duration SHORTEST_SLOT = Duration.ofSeconds(1);

  /** Longer ones would make workers hold notices for longer than they do. */
  public static final Duration LONGEST_SLOT = Duration.ofSeconds(10);

  public static final PendingShape DEFAULT =
      new PendingShape(Mode.AUTO, 1_000, 25, 64, Duration.ofSeconds(1));

  public PendingShape {
    Objects.requireNonNull(mode, "mode");
    if (ownAlive < 0 || ownPerSecond < 0) {
      throw new IllegalArgumentException("a budget must not be negative");
    }
    if (slots < FEWEST_SLOTS || slots > MOST_SLOTS) {
      throw new IllegalArgumentException(
          "a wheel has from " + FEWEST_SLOTS + " to " + MOST_SLOTS + " slots: " + slots);
    }
    if (slot.compareTo(SHORTEST_SLOT) < 0 || slot.compareTo(LONGEST_SLOT) > 0) {
      throw new IllegalArgumentException(
          "a slot is from " + SHORTEST_SLOT + " to " + LONGEST_SLOT + " long: " + slot);
    }
    slot = Duration.ofMillis(slot.toMillis());
  }

  public PendingShape withMode(Mode other) {
    return new PendingShape(other, ownAlive, ownPerSecond, slots, slot);
  }

  public PendingShape withBudget(int alive, int perSecond) {
    return new PendingShape(mode, alive, perSecond, slots, slot);
  }

  public PendingShape withWheel(int otherSlots, Duration otherSlot) {
    return new PendingShape(mode, ownAlive, ownPerSecond, otherSlots, otherSlot);
  }

  boolean hasWheel() {
    return mode != Mode.OWN;
  }

  Wheel wheel() {
    return new Wheel(slots, slot);
  }
}
