package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads a schedule from the top-level fields of a task: one of {@code interval}, {@code cron},
 * {@code rrule}, {@code at}, {@code delay}, and the fields that all of them share. Whatever is
 * wrong is added to the form's problems.
 */
public final class ScheduleReader {

  private static final List<String> KINDS = List.of("interval");
  private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);
  private static final Duration LONGEST_JITTER = Duration.ofDays(1);
  private static final String BOUNDARY =
      "must be an ISO-8601 instant with an offset such as \"2027-01-04T08:00:00Z\", or a date such"
          + " as \"2027-01-04\", with a year from 0001 to 9999";

  private final Form form;
  private final Optional<Instant> now;
  private final Optional<String> kind;
  private final ZoneId zone;
  private final Optional<Boundary> end;
  private final OptionalLong maxRuns;
  private final Jitter jitter;

  /** What is written back for the kind; {@code delay}, for example, becomes {@code at}. */
  private final Map<String, Object> kindFields = new LinkedHashMap<>();

  private Optional<Boundary> start;

  private ScheduleReader(Form form, Optional<Instant> now) {
    this.form = form;
    this.now = now;
    this.kind = kind();
    this.zone = timezone();
    this.start = form.text("startTime").flatMap(this::start);
    this.end = form.text("endTime").flatMap(this::end);
    this.maxRuns = maxRuns();
    this.jitter = jitter();
  }

  /**
   * Reads a new definition. What is relative is resolved against the present: an interval without
   * {@code startTime} fires first one interval from now, a {@code delay} becomes an {@code at}.
   * Refused as well is what would never fire again.
   *
   * @return empty when a problem was added to the form
   */
  public static Optional<Schedule> readNew(Form form, Instant now) {
    Instant wholeMillis = now.truncatedTo(ChronoUnit.MILLIS);
    return read(form, Optional.of(wholeMillis));
  }

  /**
   * Reads what {@link Schedule#toForm()} wrote, without asking whether it is over by now.
   *
   * @return empty when a problem was added to the form
   */
  public static Optional<Schedule> readStored(Form form) {
    return read(form, Optional.empty());
  }

  private static Optional<Schedule> read(Form form, Optional<Instant> now) {
    int problemsBefore = form.problems().size();
    Optional<Schedule> schedule = new ScheduleReader(form, now).schedule();
    return form.problems().size() > problemsBefore ? Optional.empty() : schedule;
  }

  private Optional<Schedule> schedule() {
    Optional<Occurrences> occurrences = kind.flatMap(this::occurrences);
    checkOrder();
    Optional<Schedule> schedule =
        occurrences.map(
            kindOccurrences ->
                new DefinedSchedule(
                    canonical(), kindOccurrences, new Window(start, end), jitter, maxRuns));
    schedule.ifPresent(this::checkFuture);
    return schedule;
  }

  private Optional<String> kind() {
    List<String> given = KINDS.stream().filter(form::has).toList();
    if (given.isEmpty()) {
      form.reject("schedule", "is missing: give one of " + String.join(", ", KINDS));
    }
    given.stream()
        .skip(1)
        .forEach(name -> form.reject(name, "must not be given together with " + given.get(0)));
    return given.stream().findFirst();
  }

  private Optional<Occurrences> occurrences(String name) {
    return switch (name) {
      case "interval" -> interval();
      default -> throw new IllegalStateException(name);
    };
  }

  private Optional<Occurrences> interval() {
    Optional<Span> span =
        form.value("interval")
            .flatMap(value -> value instanceof String text ? isoInterval(text) : minutes());
    if (span.isEmpty() || !startIsKnown(span.get())) {
      return Optional.empty();
    }
    if (span.get() instanceof Span.Elapsed elapsed) {
      return Optional.of(new ElapsedInterval(start.get().instant(), elapsed.duration()));
    }
    form.reject("interval", "must be given in hours, minutes or seconds");
    return Optional.empty();
  }

  private Optional<Span> minutes() {
    return form.wholeNumber("interval", 1, Integer.MAX_VALUE)
        .map(
            minutes -> {
              kindFields.put("interval", minutes.intValue());
              return new Span.Elapsed(Duration.ofMinutes(minutes));
            });
  }

  private Optional<Span> isoInterval(String text) {
    try {
      Span span = Span.parse(text);
      if (span instanceof Span.Elapsed elapsed
          && elapsed.duration().compareTo(SHORTEST_INTERVAL) < 0) {
        form.reject("interval", "must be at least one second");
        return Optional.empty();
      }
      kindFields.put("interval", text.toUpperCase(Locale.ROOT));
      return Optional.of(span);
    } catch (UnreadableException unreadable) {
      form.reject("interval", unreadable.getMessage());
      return Optional.empty();
    }
  }

  /** Without a start time an interval begins with its first firing, one interval from now. */
  private boolean startIsKnown(Span interval) {
    if (start.isPresent() || form.has("startTime")) {
      return start.isPresent();
    }
    if (now.isEmpty()) {
      form.reject("startTime", "is missing");
      return false;
    }
    start = interval.after(now.get(), zone).map(Boundary::of);
    if (start.isEmpty()) {
      form.reject("interval", "must not lead beyond the year 9999");
    }
    return start.isPresent();
  }

  private ZoneId timezone() {
    Optional<String> name = form.text("timezone");
    Optional<ZoneId> found = name.flatMap(TimeZones::find);
    if (name.isPresent() && found.isEmpty()) {
      form.reject("timezone", TimeZones.explain(name.get()));
    }
    return found.orElse(ZoneOffset.UTC);
  }

  private Optional<Boundary> start(String text) {
    Optional<Boundary> boundary = Boundary.start(text, zone);
    if (boundary.isEmpty()) {
      form.reject("startTime", BOUNDARY);
    }
    return boundary;
  }

  private Optional<Boundary> end(String text) {
    Optional<Boundary> boundary = Boundary.end(text, zone);
    if (boundary.isEmpty()) {
      form.reject("endTime", BOUNDARY);
    }
    return boundary;
  }

  private OptionalLong maxRuns() {
    return form.wholeNumber("maxRuns", 1, Integer.MAX_VALUE)
        .map(OptionalLong::of)
        .orElse(OptionalLong.empty());
  }

  private Jitter jitter() {
    return form.duration("jitter", Duration.ZERO, LONGEST_JITTER)
        .map(Jitter::new)
        .orElse(Jitter.NONE);
  }

  private void checkOrder() {
    if (start.isPresent()
        && end.isPresent()
        && form.has("startTime")
        && end.get().instant().isBefore(start.get().instant())) {
      form.reject("endTime", "must not be before startTime");
    }
  }

  private void checkFuture(Schedule schedule) {
    if (now.isPresent() && form.problems().isEmpty() && schedule.next(now.get()).isEmpty()) {
      form.reject(end.isPresent() ? "endTime" : kind.get(), "leaves no instant in the future");
    }
  }

  private Map<String, Object> canonical() {
    Map<String, Object> fields = new LinkedHashMap<>(kindFields);
    start.ifPresent(boundary -> fields.put("startTime", boundary.text()));
    end.ifPresent(boundary -> fields.put("endTime", boundary.text()));
    form.text("timezone")
        .filter(name -> !name.equals("UTC"))
        .ifPresent(name -> fields.put("timezone", name));
    maxRuns.ifPresent(runs -> fields.put("maxRuns", runs));
    if (!jitter.equals(Jitter.NONE)) {
      fields.put("jitter", jitter.limit().toString());
    }
    return fields;
  }
}
