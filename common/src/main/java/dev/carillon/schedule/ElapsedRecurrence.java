package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A recurrence rule of hours, minutes or seconds whose hours are not restricted: its interval is
 * elapsed time, and the clock is only looked at for the parts that ask for it. When the clocks are
 * changed the rule goes on as if they had always stood like that: then the start, and every period
 * counted from it, is shown as another time.
 */
final class ElapsedRecurrence implements Occurrences {

  private final Instant start;
  private final ZoneRules zone;
  private final SubDailyRecurrence rule;
  private final Map<ZoneOffset, SubDailyRecurrence> ruleByOffset = new ConcurrentHashMap<>();

  ElapsedRecurrence(Instant start, ZoneId zone, SubDailyRecurrence rule) {
    this.start = start;
    this.zone = zone.getRules();
    this.rule = rule;
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Instant from = after.isBefore(start) ? start : after.plusMillis(1);
    while (!from.isAfter(Form.LATEST)) {
      Stretch stretch = Stretch.at(from, zone);
      LocalDateTime end =
          stretch.closing().map(ZoneOffsetTransition::getDateTimeBefore).orElse(LocalDateTime.MAX);
      Optional<Instant> found =
          ruleAt(stretch.offset()).ceiling(stretch.toLocal(from), end).map(stretch::toInstant);
      if (found.isPresent() || stretch.closing().isEmpty()) {
        return found;
      }
      from = stretch.closing().get().getInstant();
    }
    return Optional.empty();
  }

  @Override
  public String reading() {
    return rule.reading();
  }

  private SubDailyRecurrence ruleAt(ZoneOffset offset) {
    return ruleByOffset.computeIfAbsent(
        offset, key -> rule.startingAt(Stretch.toLocal(start, key)));
  }
}
