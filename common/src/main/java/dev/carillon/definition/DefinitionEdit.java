package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import dev.carillon.schedule.ScheduleReader;
import dev.carillon.task.TaskDefinition;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A user's changes to a task, as a JSON merge patch (RFC 7396) of its form: what is given replaces
 * what was, objects are merged, null removes. A schedule of one kind takes the place of that of
 * another, and begins at a start of its own if nobody had asked for the one that there was. Besides
 * the fields of a definition there may be {@code paused}. Immutable; can be applied to any task.
 */
public final class DefinitionEdit {

  private static final String PAUSED = "paused";
  private static final String START_TIME = "startTime";

  private final Map<String, Object> patch = new LinkedHashMap<>();

  /**
   * @param patch the tree that a JSON parser yields
   */
  public DefinitionEdit(Map<?, ?> patch) {
    patch.forEach((name, value) -> this.patch.put(String.valueOf(name), value));
  }

  /** What the edit makes of a definition, or all that is wrong with that. */
  public record Edited(
      Optional<TaskDefinition> definition, Optional<Boolean> paused, List<Problem> problems) {}

  /** Applies the edit to a definition as it is. */
  public Edited applyTo(TaskDefinition definition, Instant now) {
    Map<String, Object> before = DefinitionWriter.toUserForm(definition);
    Map<String, Object> merged = merge(before, patch);
    if (patch.containsKey(PAUSED)) {
      merged.put(PAUSED, patch.get(PAUSED)); // null does not remove it: there is nothing to remove
    }
    boolean startIsDefault =
        definition.schedule().startIsDefault() && !patch.containsKey(START_TIME);
    Optional<String> otherKind =
        ScheduleReader.KINDS.stream()
            .filter(kind -> patch.get(kind) != null && !patch.get(kind).equals(before.get(kind)))
            .findFirst();
    if (otherKind.isPresent()) {
      merged.keySet().removeIf(name -> ScheduleReader.KINDS.contains(name) && isOld(name));
      if (startIsDefault) {
        merged.remove(START_TIME);
      }
    }
    Form form = Form.of(merged);
    Optional<Boolean> paused = form.flag(PAUSED);
    boolean touchesSchedule = patch.keySet().stream().anyMatch(ScheduleReader.FIELDS::contains);
    Optional<TaskDefinition> edited =
        touchesSchedule
            ? DefinitionReader.readRescheduled(form, now, startIsDefault)
            : DefinitionReader.readEdited(form, definition.schedule());
    if (edited.isPresent() && !edited.get().key().equals(definition.key())) {
      form.reject("key", "cannot be changed");
      return new Edited(Optional.empty(), paused, form.problems());
    }
    return new Edited(edited, paused, form.problems());
  }

  private boolean isOld(String field) {
    return patch.get(field) == null;
  }

  private static Map<String, Object> merge(Map<?, ?> target, Map<?, ?> patch) {
    Map<String, Object> merged = new LinkedHashMap<>();
    target.forEach((name, value) -> merged.put(String.valueOf(name), value));
    patch.forEach(
        (key, value) -> {
          String name = String.valueOf(key);
          if (value == null) {
            merged.remove(name);
          } else if (value instanceof Map<?, ?> part) {
            Map<?, ?> old = merged.get(name) instanceof Map<?, ?> map ? map : Map.of();
            merged.put(name, merge(old, part));
          } else {
            merged.put(name, value);
          }
        });
    return merged;
  }
}
