package dev.carillon.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Locale;
import java.util.Optional;

/**
 * A stretch of time during which a zone's clocks are not changed, so that local times and instants
 * correspond one to one.
 *
 * @param offset the offset in force
 * @param opening the change of the clocks with which the stretch begins
 * @param closing the change of the clocks with which it ends
 */
record Stretch(
    ZoneOffset offset,
    Optional<ZoneOffsetTransition> opening,
    Optional<ZoneOffsetTransition> closing) {

  private static final DateTimeFormatter WHOLE_SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssXXXXX", Locale.ROOT);

  private static final DateTimeFormatter MILLISECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSXXXXX", Locale.ROOT);

  static Stretch at(Instant instant, ZoneRules rules) {
    return new Stretch(
        rules.getOffset(instant),
        Optional.ofNullable(rules.previousTransition(instant.plusNanos(1))),
        Optional.ofNullable(rules.nextTransition(instant)));
  }

  /** Whether an instant lies in it; its beginning does, its end is in the next one. */
  boolean contains(Instant instant) {
    return opening.map(ZoneOffsetTransition::getInstant).filter(instant::isBefore).isEmpty()
        && closing
            .map(ZoneOffsetTransition::getInstant)
            .filter(end -> !instant.isBefore(end))
            .isEmpty();
  }

  /** The local time with its offset, such as {@code 2027-03-28T03:30:00+02:00}. */
  static String localText(Instant instant, ZoneId zone) {
    ZonedDateTime local = instant.atZone(zone);
    return (local.getNano() == 0 ? WHOLE_SECONDS : MILLISECONDS).format(local);
  }

  LocalDateTime toLocal(Instant instant) {
    return toLocal(instant, offset);
  }

  static LocalDateTime toLocal(Instant instant, ZoneOffset offset) {
    return LocalDateTime.ofEpochSecond(instant.getEpochSecond(), instant.getNano(), offset);
  }

  Instant toInstant(LocalDateTime local) {
    return local.toInstant(offset);
  }

  /** The gap that the clocks were moved over at the beginning, if they were moved forward. */
  Optional<ZoneOffsetTransition> gap() {
    return opening.filter(ZoneOffsetTransition::isGap);
  }

  /** The change at the end, if it repeats what the clocks have shown in this stretch. */
  Optional<ZoneOffsetTransition> closingOverlap() {
    return closing.filter(ZoneOffsetTransition::isOverlap);
  }

  /** The change at the beginning, if it repeats what the clocks had shown before. */
  Optional<ZoneOffsetTransition> openingOverlap() {
    return opening.filter(ZoneOffsetTransition::isOverlap);
  }
}
