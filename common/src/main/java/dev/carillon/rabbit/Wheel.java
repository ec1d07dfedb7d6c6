package dev.carillon.rabbit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A ring of slots, each of which stands for a stretch of time in every turn. What is due in a
 * stretch leaves its slot all at the same instant, a little before the stretch begins, and enters
 * it only when the stretch is less than one turn away: so the slot is empty of the turn before, and
 * nothing in it ever waits behind something that leaves later. Pure.
 *
 * @param slots how many there are
 * @param slot how long a stretch is, in whole milliseconds
 */
record Wheel(int slots, Duration slot) {

  /**
   * How long before its stretch a slot is left. A broker takes a while to move all of it, and a
   * message that takes a while to reach the broker leaves later by as much.
   */
  static final Duration MARGIN = Duration.ofSeconds(1);

  /** From when on something that is due then may enter its slot. */
  Instant openFrom(Instant due) {
    return startOf(number(due) - slots + 1);
  }

  /** When something that is due then leaves its slot; later it has no use for one. */
  Instant leavesAt(Instant due) {
    return startOf(number(due)).minus(MARGIN);
  }

  /** The slot's name, unlike that of any slot of a wheel that turns in another way. */
  String slotOf(Instant due) {
    return name(Math.floorMod(number(due), slots));
  }

  /** The names of all slots. */
  List<String> names() {
    List<String> names = new ArrayList<>(slots);
    for (int i = 0; i < slots; i++) {
      names.add(name(i));
    }
    return names;
  }

  private String name(int position) {
    return "%dx%d.%02d".formatted(slots, slot.toMillis(), position);
  }

  private long number(Instant due) {
    return Math.floorDiv(due.toEpochMilli(), slot.toMillis());
  }

  private Instant startOf(long number) {
    return Instant.ofEpochMilli(number * slot.toMillis());
  }
}
