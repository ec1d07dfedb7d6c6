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
 * what was, objects are merged, null removes. Besides the fields of a definition there may be
 * {@code paused}. Immutable; can be applied to any task.
 */
public final class DefinitionEdit {

  private static final String PAUSED = "paused";

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
    Map<String, Object> merged = merge(DefinitionWriter.toUserForm(definition), patch);
    if (patch.containsKey(PAUSED)) {
      merged.put(PAUSED, patch.get(PAUSED)); // null does not remove it: there is nothing to remove
    }
    Form form = Form.of(merged);
    Optional<Boolean> paused = form.flag(PAUSED);
    boolean touchesSchedule = patch.keySet().stream().anyMatch(ScheduleReader.FIELDS::contains);
    Optional<TaskDefinition> edited =
        touchesSchedule ? DefinitionReader.readNew(form, now) : DefinitionReader.readEdited(form);
    if (edited.isPresent() && !edited.get().key().equals(definition.key())) {
      form.reject("key", "cannot be changed");
      return new Edited(Optional.empty(), paused, form.problems());
    }
    return new Edited(edited, paused, form.problems());
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
