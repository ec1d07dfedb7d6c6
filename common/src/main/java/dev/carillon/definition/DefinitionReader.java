package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.schedule.Schedule;
import dev.carillon.schedule.ScheduleReader;
import dev.carillon.task.Action;
import dev.carillon.task.Concurrency;
import dev.carillon.task.MisfirePolicy;
import dev.carillon.task.Overlap;
import dev.carillon.task.Priority;
import dev.carillon.task.RetryPolicy;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.Template;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads a task's definition from its form. What is wrong is collected in the form's problems; the
 * result is empty exactly when there are any.
 */
public final class DefinitionReader {

  /** Longest name, in characters. */
  public static final int MAX_NAME_LENGTH = 200;

  /** What is wrong with text that {@link #isKey} refuses. */
  public static final String KEY_SHAPE =
      "must be 1 to 200 letters, digits and ._:@=+,~|-, beginning with a letter or digit";

  /** What can be a part of a path as it is. */
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:@=+,~|-]{0,199}");

  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);
  private static final Duration LONGEST_MISFIRE_GRACE = Duration.ofDays(365);
  private static final Duration LONGEST_RETRY_DELAY = Duration.ofDays(30);

  private DefinitionReader() {}

  /**
   * Reads a definition that a user wrote.
   *
   * @param now the present, which relative times count from and which some instant must be later
   *     than
   */
  public static Optional<TaskDefinition> readNew(Form form, Instant now) {
    return readRescheduled(form, now, false);
  }

  /**
   * Reads a definition the schedule of which a user has edited.
   *
   * @param startIsDefault whether the form has a start that nobody asked for
   */
  static Optional<TaskDefinition> readRescheduled(Form form, Instant now, boolean startIsDefault) {
    Optional<String> name = readName(form);
    Optional<Schedule> schedule = ScheduleReader.readNew(form, now, startIsDefault);
    return read(form, name, schedule, ActionReader.Source.USER);
  }

  /** Reads a definition that a user has edited without touching its schedule. */
  static Optional<TaskDefinition> readEdited(Form form, Schedule untouched) {
    Optional<String> name = readName(form);
    ScheduleReader.FIELDS.forEach(form::has);
    return read(form, name, Optional.of(untouched), ActionReader.Source.USER);
  }

  /** Reads back what {@link DefinitionWriter#toStored} wrote, without regard to the present. */
  public static Optional<TaskDefinition> readStored(Form form) {
    return read(form, readName(form), ScheduleReader.readStored(form), ActionReader.Source.STORE);
  }

  /**
   * What would keep {@link #readStored} from reading a definition back. To be asked about whatever
   * is stored without having been read by {@link #readNew}.
   *
   * @return empty when nothing would
   */
  public static Optional<String> problemOfStoring(TaskDefinition definition) {
    Form form = Form.of(DefinitionWriter.toStored(definition));
    return readStored(form).isPresent()
        ? Optional.empty()
        : Optional.of(
            form.problems().stream()
                .map(problem -> problem.field() + " " + problem.message())
                .collect(Collectors.joining("; ")));
  }

  /** Whether Carillon itself sets a header of that name, on every message and request. */
  public static boolean isOwnHeader(String name) {
    return ActionCheck.isOwnHeader(name);
  }

  private static Optional<String> readName(Form form) {
    if (!form.has("name")) {
      form.reject("name", "is required");
    }
    return form.label("name", MAX_NAME_LENGTH);
  }

  private static Optional<TaskDefinition> read(
      Form form, Optional<String> name, Optional<Schedule> schedule, ActionReader.Source source) {
    Map<String, String> metadata = metadata(form);
    Map<String, String> templateValues = Template.longestValues(name.orElse(""), metadata);
    Optional<Action> action =
        form.has("action")
            ? ActionReader.read(form, source, templateValues)
            : Optional.of(new Action.Log());
    RetryPolicy retry =
        form.object("retry").map(DefinitionReader::retry).orElse(RetryPolicy.DEFAULT);
    Duration timeout =
        form.duration("timeout", SHORTEST_TIMEOUT, LONGEST_TIMEOUT)
            .orElse(TaskDefinition.DEFAULT_TIMEOUT);
    MisfirePolicy misfire = misfire(form);
    Overlap overlap = form.choice("overlap", Overlap.class).orElse(Overlap.WAIT);
    Priority priority = form.choice("priority", Priority.class).orElse(Priority.NORMAL);
    Optional<Concurrency> concurrency =
        form.object("concurrency").flatMap(DefinitionReader::concurrency);
    Optional<String> key = key(form);
    List<String> tags = form.labels("tags", 20, 100).orElse(List.of());
    form.rejectUnknown();
    if (!form.problems().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        TaskDefinition.builder(name.orElseThrow(), schedule.orElseThrow(), action.orElseThrow())
            .retry(retry)
            .timeout(timeout)
            .misfire(misfire)
            .overlap(overlap)
            .priority(priority)
            .concurrency(concurrency)
            .tags(tags)
            .metadata(metadata)
            .key(key)
            .build());
  }

  private static MisfirePolicy misfire(Form form) {
    return new MisfirePolicy(
        form.choice("misfire", MisfirePolicy.Rule.class).orElse(MisfirePolicy.DEFAULT.rule()),
        form.duration("misfireGrace", Duration.ZERO, LONGEST_MISFIRE_GRACE)
            .orElse(MisfirePolicy.DEFAULT.grace()));
  }

  /** Whether a publisher may choose this as a key. */
  public static boolean isKey(String text) {
    return KEY.matcher(text).matches();
  }

  private static Optional<String> key(Form form) {
    Optional<String> key = form.text("key");
    if (key.isPresent() && !isKey(key.get())) {
      form.reject("key", KEY_SHAPE);
      return Optional.empty();
    }
    return key;
  }

  /** Keys can be asked for by path, in the store and in templates: they must not look like one. */
  private static Map<String, String> metadata(Form form) {
    Map<String, String> metadata = form.texts("metadata", 50, 1_000).orElse(Map.of());
    for (String key : metadata.keySet()) {
      if (key.indexOf('.') >= 0 || key.startsWith("$")) {
        form.reject("metadata." + key, "must have a name without dots that does not start with $");
      }
    }
    return metadata;
  }

  /** Empty when something is wrong. */
  private static Optional<Concurrency> concurrency(Form form) {
    if (!form.has("key")) {
      form.reject("key", "is required");
    }
    Optional<String> key = form.label("key", Concurrency.MAX_KEY_LENGTH);
    Optional<Long> limit = form.wholeNumber("limit", 1, Concurrency.MOST);
    form.rejectUnknown();
    return key.map(given -> new Concurrency(given, limit.orElse(1L).intValue()));
  }

  private static RetryPolicy retry(Form form) {
    RetryPolicy standard = RetryPolicy.DEFAULT;
    int maxAttempts =
        form.wholeNumber("maxAttempts", 1, 1_000)
            .map(Long::intValue)
            .orElse(standard.maxAttempts());
    Duration initialDelay =
        form.duration("initialDelay", Duration.ZERO, LONGEST_RETRY_DELAY)
            .orElse(standard.initialDelay());
    double factor = form.number("factor", 1, 100).orElse(standard.factor());
    Optional<Duration> longest = form.duration("maxDelay", Duration.ZERO, LONGEST_RETRY_DELAY);
    form.rejectUnknown();
    if (longest.isPresent() && longest.get().compareTo(initialDelay) < 0) {
      form.reject("maxDelay", "must not be shorter than initialDelay");
      return standard;
    }
    Duration maxDelay =
        longest.orElse(
            initialDelay.compareTo(standard.maxDelay()) > 0 ? initialDelay : standard.maxDelay());
    return new RetryPolicy(maxAttempts, initialDelay, factor, maxDelay);
  }
}
