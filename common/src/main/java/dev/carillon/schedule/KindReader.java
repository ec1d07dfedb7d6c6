package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the one field that says of what kind a schedule is. */
final class KindReader {

  static final List<String> KINDS = List.of("interval", "cron", "rrule", "at", "delay");
  private static final Pattern WHOLE_NUMBER = Pattern.compile("[0-9]{1,9}");
  private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);

  /**
   * What was read.
   *
   * @param field the field's name, as it is written back
   * @param written the field's value, as it is written back
   * @param start when the schedule starts; for intervals it is always there
   */
  record Kind(String field, Object written, Optional<Boundary> start, Occurrences occurrences) {}

  private final Form form;
  private final CommonFields common;

  /** Empty when nothing relative to the present is accepted. */
  private final Optional<Instant> now;

  KindReader(Form form, CommonFields common, Optional<Instant> now) {
    this.form = form;
    this.common = common;
    this.now = now;
  }

  Optional<Kind> read() {
    List<String> given = KINDS.stream().filter(form::has).toList();
    if (given.isEmpty()) {
      form.reject("schedule", "is missing: give one of " + English.or(KINDS));
      return Optional.empty();
    }
    given.stream()
        .skip(1)
        .forEach(name -> form.reject(name, "must not be given together with " + given.get(0)));
    String field = given.get(0);
    try {
      return switch (field) {
        case "interval" -> interval();
        case "cron" -> cron();
        case "rrule" -> rrule();
        case "at" -> at();
        default -> delay();
      };
    } catch (UnreadableException unreadable) {
      form.reject(field, unreadable.getMessage());
      return Optional.empty();
    }
  }

  private Optional<Kind> interval() throws UnreadableException {
    Optional<Object> value = form.value("interval");
    if (value.isEmpty()) {
      return Optional.empty();
    }
    if (value.get() instanceof String text) {
      if (WHOLE_NUMBER.matcher(text).matches()) {
        throw new UnreadableException(
            "must be a number, %s without quotation marks, for minutes, or a duration such as \"PT%sM\""
                .formatted(text, text));
      }
      return interval(isoInterval(text), text.toUpperCase(Locale.ROOT));
    }
    if (!isWhole(value.get())) {
      throw new UnreadableException(
          "must be a whole number of minutes, or a duration such as \"PT30S\" or \"P1D\"");
    }
    Optional<Long> minutes = form.wholeNumber("interval", 1, Integer.MAX_VALUE);
    return minutes.isEmpty()
        ? Optional.empty()
        : interval(new Span.Elapsed(Duration.ofMinutes(minutes.get())), minutes.get().intValue());
  }

  private static boolean isWhole(Object value) {
    return value instanceof Integer || value instanceof Long || value instanceof BigInteger;
  }

  private static Span isoInterval(String text) throws UnreadableException {
    Span span = Span.parse(text);
    if (span instanceof Span.Elapsed elapsed
        && elapsed.duration().compareTo(SHORTEST_INTERVAL) < 0) {
      throw new UnreadableException("must be at least one second");
    }
    return span;
  }

  private Optional<Kind> interval(Span span, Object written) throws UnreadableException {
    Optional<Boundary> start = start(span);
    return start.map(
        boundary -> new Kind("interval", written, start, occurrences(boundary.instant(), span)));
  }

  /** Without a start time an interval begins with its first firing, one interval from now. */
  private Optional<Boundary> start(Span interval) throws UnreadableException {
    if (form.has("startTime")) {
      return common.start;
    }
    if (now.isEmpty()) {
      form.reject("startTime", "is missing");
      return Optional.empty();
    }
    return Optional.of(Boundary.of(later(now.get(), interval)));
  }

  private Instant later(Instant instant, Span span) throws UnreadableException {
    return span.after(instant, common.zone)
        .orElseThrow(() -> new UnreadableException("must not lead beyond the year 9999"));
  }

  private Occurrences occurrences(Instant start, Span span) {
    if (span instanceof Span.Elapsed elapsed) {
      return new ElapsedInterval(start, elapsed.duration());
    }
    CalendarInterval series =
        new CalendarInterval(
            LocalDateTime.ofInstant(start, common.zone),
            ((Span.Calendar) span).period(),
            common.monthEnd.orElse(MonthEnd.LAST));
    return byTheClock(start, series);
  }

  private Optional<Kind> cron() throws UnreadableException {
    Optional<String> text = form.text("cron");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    CronExpression cron = CronParser.parse(text.get(), common.monthEnd.orElse(MonthEnd.SKIP));
    return Optional.of(
        new Kind(
            "cron",
            text.get(),
            common.start,
            cron.firesEveryHour()
                ? ZonedOccurrences.onElapsedTime(cron, common.zone)
                : ZonedOccurrences.byTheClock(cron, common.zone, common.dst)));
  }

  private Optional<Kind> rrule() throws UnreadableException {
    Optional<String> text = form.text("rrule");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    int maxCount =
        now.isPresent() ? RecurrenceRuleParser.MAX_COUNT : RecurrenceRuleParser.MAX_STORED_COUNT;
    RecurrenceRule rule = RecurrenceRuleParser.parse(text.get(), maxCount);
    Optional<Boundary> start = startOfRule();
    return start.map(
        boundary -> new Kind("rrule", text.get(), start, occurrences(boundary.instant(), rule)));
  }

  /** Without a start time a rule starts with the next whole second. */
  private Optional<Boundary> startOfRule() {
    if (form.has("startTime")) {
      if (common.start.filter(start -> !isWholeSecond(start.instant())).isPresent()) {
        form.reject("startTime", "must be a whole second, since an rrule knows nothing smaller");
        return Optional.empty();
      }
      return common.start;
    }
    if (now.isEmpty()) {
      form.reject("startTime", "is missing");
      return Optional.empty();
    }
    return Optional.of(Boundary.of(now.get().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1)));
  }

  private static boolean isWholeSecond(Instant instant) {
    return instant.equals(instant.truncatedTo(ChronoUnit.SECONDS));
  }

  private Occurrences occurrences(Instant start, RecurrenceRule rule) {
    Occurrences endless = endless(start, rule);
    if (rule.until().isPresent()) {
      return EndingOccurrences.until(rule.until().get().apply(common.zone), endless);
    }
    return rule.count().isPresent()
        ? EndingOccurrences.first(rule.count().getAsInt(), start, endless)
        : endless;
  }

  private Occurrences endless(Instant start, RecurrenceRule rule) {
    LocalDateTime local = LocalDateTime.ofInstant(start, common.zone);
    MonthEnd monthEnd = common.monthEnd.orElse(MonthEnd.SKIP);
    if (rule.isElapsedInterval()) {
      return new ElapsedInterval(start, rule.elapsedInterval());
    }
    if (rule.isSubDaily()) {
      SubDailyRecurrence series = new SubDailyRecurrence(rule, local, monthEnd);
      return series.firesEveryHour()
          ? new ElapsedRecurrence(start, common.zone, series)
          : byTheClock(start, series);
    }
    CalendarRecurrence series = new CalendarRecurrence(rule, local, monthEnd);
    return series.firesEveryHour()
        ? ZonedOccurrences.onElapsedTime(series, common.zone)
        : byTheClock(start, series);
  }

  /** The start itself is the first occurrence, provided that its local time is in the series. */
  private Occurrences byTheClock(Instant start, LocalSeries times) {
    LocalSeries series = new RememberingSeries(times);
    Occurrences occurrences = ZonedOccurrences.byTheClock(series, common.zone, common.dst);
    LocalDateTime local = LocalDateTime.ofInstant(start, common.zone);
    return series.ceiling(local).filter(local::equals).isPresent()
        ? new StartingAt(start, occurrences, common.zone, common.dst)
        : occurrences;
  }

  private Optional<Kind> at() {
    return form.instant("at").map(this::once);
  }

  private Optional<Kind> delay() throws UnreadableException {
    Optional<String> text = form.text("delay");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    if (now.isEmpty()) {
      throw new UnreadableException("must have been made an \"at\" when the task was created");
    }
    return Optional.of(once(later(now.get(), Span.parse(text.get()))));
  }

  private Kind once(Instant at) {
    return new Kind("at", at.toString(), common.start, new OneShot(at));
  }
}
