package dev.carillon.schedule;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Stretches of time in which a schedule does not fire, both ends included. Immutable. */
final class Exclusions {

  static final Exclusions NONE = new Exclusions(List.of());

  /**
   * A stretch as it was given.
   *
   * @param written how it was written, normalized: a text, or a map with from and to
   */
  record Exclusion(Object written, Instant first, Instant last) {

    boolean covers(Instant instant) {
      return !instant.isBefore(first) && !instant.isAfter(last);
    }

    /** Why nothing fires in the stretch. */
    String reason() {
      return "excluded (" + reading() + ")";
    }

    String reading() {
      return written instanceof Map<?, ?> range
          ? range.get("from") + " to " + range.get("to")
          : written.toString();
    }
  }

  private final List<Exclusion> given;

  /** First to last instant of each stretch; those that touch are one. */
  private final NavigableMap<Instant, Instant> stretches = new TreeMap<>();

  Exclusions(List<Exclusion> given) {
    this.given = List.copyOf(given);
    given.stream().sorted(Comparator.comparing(Exclusion::first)).forEach(this::merge);
  }

  private void merge(Exclusion next) {
    Map.Entry<Instant, Instant> before = stretches.floorEntry(next.first());
    if (before == null || before.getValue().plusMillis(1).isBefore(next.first())) {
      stretches.put(next.first(), next.last());
    } else if (before.getValue().isBefore(next.last())) {
      stretches.put(before.getKey(), next.last());
    }
  }

  List<Exclusion> given() {
    return given;
  }

  /** The last instant of the stretch in which the given one lies; empty when it lies in none. */
  Optional<Instant> endOfStretch(Instant instant) {
    return Optional.ofNullable(stretches.floorEntry(instant))
        .map(Map.Entry::getValue)
        .filter(last -> !instant.isAfter(last));
  }

  /** First to last instant of all stretches in ascending order; they do not touch. */
  NavigableMap<Instant, Instant> stretches() {
    return stretches;
  }

  /** The first of the given ones in which the instant lies. */
  Optional<Exclusion> covering(Instant instant) {
    return given.stream().filter(exclusion -> exclusion.covers(instant)).findFirst();
  }
}
