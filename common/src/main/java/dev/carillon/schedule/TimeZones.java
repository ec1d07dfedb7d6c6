package dev.carillon.schedule;

import java.time.ZoneId;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds time zones by their IANA names, old and new alike. Offsets such as +02:00 are no names. */
final class TimeZones {

  /** What the time zone database of Java 17 leaves out, with names of the same rules. */
  private static final Map<String, String> LEFT_OUT =
      Map.of(
          "EST", "America/Panama",
          "MST", "America/Phoenix",
          "HST", "Pacific/Honolulu",
          "ROC", "Asia/Taipei");

  /** Not IANA names; only Java knows them. */
  private static final String JAVA_ONLY = "SystemV/";

  private static final Set<String> NAMES = ZoneId.getAvailableZoneIds();

  private TimeZones() {}

  static Optional<ZoneId> find(String name) {
    if (NAMES.contains(name) && !name.startsWith(JAVA_ONLY)) {
      return Optional.of(ZoneId.of(name));
    }
    return Optional.ofNullable(LEFT_OUT.get(name)).map(ZoneId::of);
  }

  /** What to tell somebody whose name was not found. */
  static String explain(String name) {
    return NAMES.stream()
        .filter(known -> known.equalsIgnoreCase(name) && !known.startsWith(JAVA_ONLY))
        .findFirst()
        .map(known -> "must be spelled \"" + known + '"')
        .orElse("must be the name of an IANA time zone, such as \"Europe/Berlin\" or \"UTC\"");
  }
}
