package dev.carillon.schedule;

import dev.carillon.form.Form;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a schedule does in a range of time, and why not more. Pure: nothing is stored or fired.
 *
 * @param reading the schedule in plain English
 * @param instants when it fires in the range, ascending, at most as many as asked for
 * @param missing what one might expect in the range but will not happen, ascending, at most {@value
 *     #MOST}; never an instant at which it does fire
 */
public record Preview(String reading, List<Firing> instants, List<Missing> missing) {

  /** Most instants that can be asked for. */
  public static final int MOST = 1_000;

  private static final int COUNT_BY_DEFAULT = 10;

  /**
   * An instant at which the schedule fires.
   *
   * @param local the same in the schedule's time zone, such as {@code 2027-03-28T03:30:00+02:00}
   */
  public record Firing(Instant at, String local) {}

  /**
   * An instant at which the schedule does not fire.
   *
   * @param at the instant; for a local time that the clocks pass over, what it would be had they
   *     not been changed; for a day that the month does not have, the nearest one
   * @param local the same in the schedule's time zone; without an offset when no such time exists
   * @param reason why it does not fire, in words
   */
  public record Missing(Instant at, String local, String reason) {}

  /**
   * What is to be previewed.
   *
   * @param from the first instant, included
   * @param until the last instant, included; empty when only the count limits
   * @param count at most how many instants, from 1 to {@value #MOST}
   */
  public record Range(Instant from, Optional<Instant> until, int count) {

    public Range {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(until, "until");
      if (count < 1 || count > MOST) {
        throw new IllegalArgumentException("count must be from 1 to " + MOST + ": " + count);
      }
    }

    /**
     * Reads {@code from} (default: now), {@code until} and {@code count} (default: 10, or 1,000
     * when there is an {@code until}). A bare date means the whole day in the schedule's zone.
     *
     * @param schedule what is to be previewed; empty if it could not be read, which is no reason
     *     not to tell what is wrong with the range
     * @return empty when a problem was added to the form
     */
    public static Optional<Range> read(Form form, Instant now, Optional<Schedule> schedule) {
      int problemsBefore = form.problems().size();
      ZoneId zone = schedule.map(known -> ((DefinedSchedule) known).zone()).orElse(ZoneOffset.UTC);
      Instant from =
          Boundary.read(form, "from", text -> Boundary.start(text, zone))
              .map(Boundary::instant)
              .orElse(now);
      Optional<Instant> until =
          Boundary.read(form, "until", text -> Boundary.end(text, zone)).map(Boundary::instant);
      int countByDefault = form.has("until") ? MOST : COUNT_BY_DEFAULT;
      int count = form.wholeNumber("count", 1, MOST).map(Long::intValue).orElse(countByDefault);
      if (until.isPresent() && until.get().isBefore(from)) {
        form.reject("until", "must not be before from");
      }
      return form.problems().size() > problemsBefore
          ? Optional.empty()
          : Optional.of(new Range(from, until, count));
    }
  }

  /** Copies the lists. */
  public Preview {
    instants = List.copyOf(instants);
    missing = List.copyOf(missing);
  }

  /**
   * What is known of a schedule's instants besides the schedule.
   *
   * @param until the last instant for which it is decided already what happens; {@link
   *     Schedule#maxRuns()} counts those after it
   * @param runs how many runs have been used up by then
   * @param whyNot why the schedule does not fire at one of its instants, before or after that;
   *     empty when it does
   */
  public record Standing(Instant until, long runs, Function<Instant, Optional<String>> whyNot) {

    public Standing {
      Objects.requireNonNull(until, "until");
      Objects.requireNonNull(whyNot, "whyNot");
    }
  }

  /** Previews a schedule that nothing has come of yet: the present counts as its beginning. */
  public static Preview of(Schedule schedule, Range range, Instant now) {
    Instant before = range.from().minusMillis(1);
    Instant start = before.isBefore(now) ? before : now;
    return of(schedule, range, new Standing(start, 0, instant -> Optional.empty()));
  }

  /** Previews a schedule by which something has been planned. */
  public static Preview of(Schedule schedule, Range range, Standing standing) {
    return new PreviewWalk((DefinedSchedule) schedule, range, standing).walk();
  }
}
