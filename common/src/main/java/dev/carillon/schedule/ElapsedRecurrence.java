package dev.carillon.schedule;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneOffsetTransitionRule;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A recurrence rule of hours, minutes or seconds whose hours are not restricted: its interval is
 * real elapsed time. The BY parts look at the clock as it stands; from one change of the clocks to
 * the next it is a rule on a clock of constant offset, which showed the start as some other time.
 */
final class ElapsedRecurrence implements Occurrences {

  private final Instant start;
  private final ZoneRules zone;
  private final Stretches stretches;

  /** From then on the clocks are changed by rules that are the same every year. */
  private final Instant regularFrom;

  private final List<ZoneOffset> regularOffsets;
  private final SubDailyRecurrence rule;
  private final Map<ZoneOffset, SubDailyRecurrence> ruleByOffset = new ConcurrentHashMap<>();
  private final Map<ZoneOffset, SubDailyRecurrence> regularRuleByOffset = new ConcurrentHashMap<>();

  ElapsedRecurrence(Instant start, ZoneId zone, SubDailyRecurrence rule) {
    this.start = start;
    this.zone = zone.getRules();
    this.stretches = new Stretches(this.zone);
    List<ZoneOffsetTransition> changes = this.zone.getTransitions();
    this.regularFrom =
        changes.isEmpty() ? Instant.MIN : changes.get(changes.size() - 1).getInstant();
    this.regularOffsets =
        this.zone.getTransitionRules().stream()
            .map(ZoneOffsetTransitionRule::getOffsetAfter)
            .distinct()
            .toList();
    this.rule = rule;
  }

  @Override
  public Optional<Instant> next(Instant after) {
    Instant from = after.isBefore(start) ? start : after.plusMillis(1);
    do {
      Stretch stretch = stretches.at(from);
      LocalDateTime end =
          stretch.closing().map(ZoneOffsetTransition::getDateTimeBefore).orElse(LocalDateTime.MAX);
      Optional<Instant> found =
          ruleAt(stretch.offset()).ceiling(stretch.toLocal(from), end).map(stretch::toInstant);
      if (found.isPresent() || stretch.closing().isEmpty()) {
        return found;
      }
      from = stretch.closing().get().getInstant();
    } while (from.isBefore(regularFrom));
    return regularNext(from);
  }

  /**
   * The first one from a time on from which the clocks are changed the same every year. To go on
   * from change to change would take long where the rule and an offset hardly ever meet.
   */
  private Optional<Instant> regularNext(Instant from) {
    return regularOffsets.stream()
        .flatMap(offset -> regularNext(from, offset).stream())
        .min(Instant::compareTo);
  }

  private Optional<Instant> regularNext(Instant from, ZoneOffset offset) {
    SubDailyRecurrence regularRule = regularRuleAt(offset);
    Optional<Instant> found = ceiling(regularRule, from, offset);
    while (found.isPresent() && !zone.getOffset(found.get()).equals(offset)) {
      Instant nextChange = zone.nextTransition(found.get()).getInstant();
      found = ceiling(regularRule, nextChange, offset);
    }
    return found;
  }

  private static Optional<Instant> ceiling(
      SubDailyRecurrence rule, Instant from, ZoneOffset offset) {
    return rule.ceiling(Stretch.toLocal(from, offset)).map(local -> local.toInstant(offset));
  }

  /** Only on days on which the offset is in force at some time. */
  private SubDailyRecurrence regularRuleAt(ZoneOffset offset) {
    return regularRuleByOffset.computeIfAbsent(
        offset, any -> ruleAt(offset).onDays(day -> isRegularlyInForce(offset, day)));
  }

  /** Looks at the same day of a later cycle of the calendar, since the present may be irregular. */
  private boolean isRegularlyInForce(ZoneOffset offset, LocalDate day) {
    LocalDate later = day.plusYears(5 * CalendarDays.CYCLE);
    return Stream.of(later, later.plusDays(1))
        .map(date -> date.atStartOfDay().toInstant(offset))
        .anyMatch(instant -> zone.getOffset(instant).equals(offset));
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
