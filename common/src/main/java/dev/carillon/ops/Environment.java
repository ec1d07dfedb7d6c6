package dev.carillon.ops;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Settings of a process, read from environment variables. Each is declared where it is read, with
 * its default and a description, so that documentation can be held against the code.
 *
 * <p>A getter never fails: a value that is not accepted becomes a problem, and the default is
 * answered. {@link #check} reports all problems at once. A variable that is blank counts as not
 * set; white space around values is dropped. Variables that nobody reads are of no concern.
 *
 * <p>Declaring the same setting twice in the same way is fine, in two ways is an error in the
 * program. Not thread-safe.
 */
public final class Environment {

  private final Map<String, String> variables;
  private final Map<String, Setting> settings = new LinkedHashMap<>();
  private final Map<String, String> shown = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  private Environment(Map<String, String> variables) {
    this.variables = Map.copyOf(variables);
  }

  /** Reads from the given variables, which usually are those of the process. */
  public static Environment of(Map<String, String> variables) {
    return new Environment(variables);
  }

  /** How values of a type are written and shown. */
  private record Kind<T>(
      String accepted,
      Function<String, Optional<T>> parse,
      Function<T, String> write,
      Function<String, String> mask) {}

  /** Any text. */
  public String text(String name, String standard, String description) {
    return read(name, standard, description, textual("text", value -> value));
  }

  /** Any text, which is never printed; without a default. */
  public Optional<String> secret(String name, String description) {
    Kind<String> kind = textual("text", value -> value.isEmpty() ? "" : SecretMask.MASK);
    return Optional.of(read(name, "", description, kind)).filter(value -> !value.isEmpty());
  }

  /**
   * A URI with one of the given schemes, which is printed without passwords. What follows the
   * scheme is left to whoever connects with it.
   */
  public String uri(String name, String standard, Collection<String> schemes, String description) {
    String accepted =
        "a URI that begins with "
            + schemes.stream().map(scheme -> scheme + "://").collect(Collectors.joining(" or "));
    Kind<String> any = textual(accepted, SecretMask::inUri);
    Function<String, Optional<String>> parse =
        value -> Optional.of(value).filter(uri -> hasScheme(uri, schemes));
    return read(name, standard, description, new Kind<>(accepted, parse, any.write(), any.mask()));
  }

  private static boolean hasScheme(String uri, Collection<String> schemes) {
    return schemes.stream()
        .map(scheme -> scheme + "://")
        .anyMatch(start -> uri.startsWith(start) && uri.length() > start.length());
  }

  /** A whole number from {@code min} to {@code max}, both included. */
  public int wholeNumber(String name, int standard, int min, int max, String description) {
    Function<String, Optional<Integer>> parse =
        value -> {
          try {
            return Optional.of(Integer.valueOf(value)).filter(n -> n >= min && n <= max);
          } catch (NumberFormatException notANumber) {
            return Optional.empty();
          }
        };
    return read(
        name,
        standard,
        description,
        plain("a whole number from " + min + " to " + max, parse, String::valueOf));
  }

  /**
   * An ISO-8601 duration such as {@code PT30S} or {@code P30D}, as task definitions have them, from
   * {@code min} to {@code max}, both included. A day has 24 hours.
   */
  public Duration duration(
      String name, Duration standard, Duration min, Duration max, String description) {
    Function<String, Optional<Duration>> parse =
        value -> {
          try {
            return Optional.of(Duration.parse(value))
                .filter(d -> d.compareTo(min) >= 0 && d.compareTo(max) <= 0);
          } catch (DateTimeException notADuration) {
            return Optional.empty();
          }
        };
    return read(
        name,
        standard,
        description,
        plain("an ISO-8601 duration from " + min + " to " + max, parse, Duration::toString));
  }

  /** One of the constants of a type, spelled in lower case with hyphens. */
  public <E extends Enum<E>> E choice(String name, E standard, String description) {
    E[] constants = standard.getDeclaringClass().getEnumConstants();
    String accepted =
        Arrays.stream(constants).map(Environment::word).collect(Collectors.joining(" or "));
    Function<String, Optional<E>> parse =
        value -> Arrays.stream(constants).filter(c -> word(c).equals(value)).findFirst();
    return read(name, standard, description, plain(accepted, parse, Environment::word));
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** {@code true} or {@code false}. */
  public boolean flag(String name, boolean standard, String description) {
    Function<String, Optional<Boolean>> parse =
        value ->
            value.equals("true") || value.equals("false")
                ? Optional.of(Boolean.valueOf(value))
                : Optional.empty();
    return read(name, standard, description, plain("true or false", parse, String::valueOf));
  }

  /**
   * Adds a problem that only several settings together have, or that only their user can see.
   *
   * @param message what is accepted; must not repeat a secret
   */
  public void reject(String name, String message) {
    problems.add(name + ": " + message);
  }

  /**
   * Whether everything read so far can be used.
   *
   * @throws ConfigurationException with all problems, if there are any
   */
  public void check() {
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }

  /** Everything read so far, in the order of reading. */
  public List<Setting> settings() {
    return List.copyOf(settings.values());
  }

  /**
   * The values in effect, one in a line, fit for a log: passwords and secrets are masked. A star
   * marks those that were set.
   */
  public String effectiveValues() {
    int width = shown.keySet().stream().mapToInt(String::length).max().orElse(0);
    return shown.entrySet().stream()
        .map(
            entry ->
                (isSet(entry.getKey()) ? "* " : "  ")
                    + entry.getKey()
                    + " ".repeat(width - entry.getKey().length())
                    + " = "
                    + entry.getValue())
        .collect(Collectors.joining("\n"));
  }

  private boolean isSet(String name) {
    return !variables.getOrDefault(name, "").isBlank();
  }

  private <T> T read(String name, T standard, String description, Kind<T> kind) {
    Setting setting = new Setting(name, kind.accepted(), kind.write().apply(standard), description);
    Setting earlier = settings.putIfAbsent(name, setting);
    if (earlier != null && !earlier.equals(setting)) {
      throw new IllegalStateException(name + " is declared in two ways");
    }
    T value = isSet(name) ? parse(name, standard, kind) : standard;
    shown.put(name, kind.mask().apply(kind.write().apply(value)));
    return value;
  }

  private <T> T parse(String name, T standard, Kind<T> kind) {
    String given = variables.get(name).strip();
    Optional<T> value = kind.parse().apply(given);
    if (value.isEmpty()) {
      String problem = "\"" + kind.mask().apply(given) + "\" is not " + kind.accepted();
      if (!problems.contains(name + ": " + problem)) {
        reject(name, problem);
      }
    }
    return value.orElse(standard);
  }

  private static Kind<String> textual(String accepted, Function<String, String> mask) {
    return new Kind<>(accepted, Optional::of, Function.identity(), mask);
  }

  private static <T> Kind<T> plain(
      String accepted, Function<String, Optional<T>> parse, Function<T, String> write) {
    return new Kind<>(accepted, parse, write, Function.identity());
  }
}
