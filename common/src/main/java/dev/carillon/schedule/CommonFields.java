package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;

/** Reads the fields that all kinds of schedules share. */
final class CommonFields {

  private static final Duration LONGEST_JITTER = Duration.ofDays(1);
  private static final int MAX_EXCLUSIONS = 1_000;
  private final Form form;
  private final Map<String, Object> written = new LinkedHashMap<>();

  final Optional<Boundary> start;
  final Optional<Boundary> end;
  final ZoneId zone;
  final OptionalLong maxRuns;
  final Jitter jitter;
  final Exclusions exclusions;
  final DstRules dst;
  final Optional<MonthEnd> monthEnd;

  CommonFields(Form form) {
    this.form = form;
    zone = timezone();
    start = boundary("startTime", Boundary::start);
    end = boundary("endTime", Boundary::end);
    if (start.isPresent()
        && end.isPresent()
        && end.get().instant().isBefore(start.get().instant())) {
      form.reject("endTime", "must not be before startTime");
    }
    form.text("timezone").ifPresent(name -> written.put("timezone", name));
    maxRuns = maxRuns();
    jitter = jitter();
    exclusions = exclusions();
    dst = dst();
    monthEnd = form.choice("monthEnd", MonthEnd.class);
    monthEnd.ifPresent(choice -> written.put("monthEnd", Form.word(choice)));
  }

  /** What was given, in canonical notation and order; start time and end time come first. */
  Map<String, Object> written() {
    return written;
  }

  private ZoneId timezone() {
    Optional<String> name = form.text("timezone");
    Optional<ZoneId> zone = name.flatMap(TimeZones::find);
    if (name.isPresent() && zone.isEmpty()) {
      form.reject("timezone", TimeZones.explain(name.get()));
    }
    return zone.orElse(ZoneOffset.UTC);
  }

  private Optional<Boundary> boundary(
      String name, BiFunction<String, ZoneId, Optional<Boundary>> parser) {
    Optional<Boundary> boundary = Boundary.read(form, name, text -> parser.apply(text, zone));
    boundary.ifPresent(value -> written.put(name, value.text()));
    return boundary;
  }

  private OptionalLong maxRuns() {
    Optional<Long> limit = form.wholeNumber("maxRuns", 1, Integer.MAX_VALUE);
    limit.ifPresent(runs -> written.put("maxRuns", runs));
    return limit.map(OptionalLong::of).orElse(OptionalLong.empty());
  }

  private Jitter jitter() {
    Optional<Duration> limit = form.duration("jitter", Duration.ZERO, LONGEST_JITTER);
    limit.ifPresent(duration -> written.put("jitter", duration.toString()));
    return limit.map(Jitter::new).orElse(Jitter.NONE);
  }

  private Exclusions exclusions() {
    List<Exclusions.Exclusion> exclusions = new ArrayList<>();
    List<Object> elements = form.list("exclude", MAX_EXCLUSIONS).orElse(List.of());
    for (int i = 0; i < elements.size(); i++) {
      exclusion("exclude[" + i + "]", elements.get(i)).ifPresent(exclusions::add);
    }
    if (!exclusions.isEmpty()) {
      written.put("exclude", exclusions.stream().map(Exclusions.Exclusion::written).toList());
    }
    return exclusions.isEmpty() ? Exclusions.NONE : new Exclusions(exclusions);
  }

  private Optional<Exclusions.Exclusion> exclusion(String name, Object element) {
    if (element instanceof Map<?, ?> range) {
      return dateRange(form.element(name, range));
    }
    Optional<Exclusions.Exclusion> exclusion =
        element instanceof String text ? dateOrInstant(text) : Optional.empty();
    if (exclusion.isEmpty()) {
      form.reject(
          name, "must be " + Boundary.ACCEPTED + ", or a range {\"from\", \"to\"} of two dates");
    }
    return exclusion;
  }

  private Optional<Exclusions.Exclusion> dateOrInstant(String text) {
    return Boundary.start(text, zone)
        .flatMap(
            first ->
                Boundary.end(text, zone)
                    .map(
                        last ->
                            new Exclusions.Exclusion(
                                first.text(), first.instant(), last.instant())));
  }

  private Optional<Exclusions.Exclusion> dateRange(Form range) {
    Optional<LocalDate> from = date(range, "from");
    Optional<LocalDate> to = date(range, "to");
    range.rejectUnknown();
    if (from.isEmpty() || to.isEmpty()) {
      return Optional.empty();
    }
    if (to.get().isBefore(from.get())) {
      range.reject("to", "must not be before from");
      return Optional.empty();
    }
    Map<String, Object> canonical = new LinkedHashMap<>();
    canonical.put("from", from.get().toString());
    canonical.put("to", to.get().toString());
    return Optional.of(
        new Exclusions.Exclusion(
            canonical, Boundary.startOf(from.get(), zone), Boundary.endOf(to.get(), zone)));
  }

  private static Optional<LocalDate> date(Form range, String name) {
    Optional<LocalDate> date = range.text(name).flatMap(Boundary::parseDate);
    if (date.isEmpty()) {
      range.reject(name, "must be a date such as \"2027-01-04\"");
    }
    return date;
  }

  private DstRules dst() {
    Optional<Form> rules = form.object("dst");
    Optional<DstRules.Gap> gap = rules.flatMap(dst -> dst.choice("gap", DstRules.Gap.class));
    Optional<DstRules.Overlap> overlap =
        rules.flatMap(dst -> dst.choice("overlap", DstRules.Overlap.class));
    rules.ifPresent(Form::rejectUnknown);
    Map<String, Object> canonical = new LinkedHashMap<>();
    gap.ifPresent(choice -> canonical.put("gap", Form.word(choice)));
    overlap.ifPresent(choice -> canonical.put("overlap", Form.word(choice)));
    if (!canonical.isEmpty()) {
      written.put("dst", canonical);
    }
    return new DstRules(
        gap.orElse(DstRules.DEFAULT.gap()), overlap.orElse(DstRules.DEFAULT.overlap()));
  }
}
