package dev.carillon.api;

import dev.carillon.definition.DefinitionReader;
import dev.carillon.flow.KeyedTasks;
import dev.carillon.flow.KeyedTasks.PutAnswer;
import dev.carillon.flow.KeyedTasks.Wish;
import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** What can be done with tasks by the keys that their publishers have chosen. Thread-safe. */
public final class KeyedEndpoints {

  private final KeyedTasks tasks;
  private final InstantSource clock;
  private final RandomGenerator random;

  /**
   * @param random for new ids; thread-safe
   */
  public KeyedEndpoints(KeyedTasks tasks, InstantSource clock, RandomGenerator random) {
    this.tasks = tasks;
    this.clock = clock;
    this.random = random;
  }

  /** Creates a task that has a key, which must be free. */
  Answer create(TaskDefinition definition) {
    PutAnswer answer = tasks.create(wish(definition));
    if (answer instanceof PutAnswer.Taken taken) {
      throw new RefusedException(
          Problems.answer(
                  409,
                  "task %s has the key \"%s\"; PUT /api/tasks/by-key/%2$s replaces it"
                      .formatted(taken.holder(), definition.key().orElseThrow()))
              .with("Location", "/api/tasks/" + taken.holder()));
    }
    return answerTo(answer);
  }

  private Wish wish(TaskDefinition definition) {
    Instant now = clock.instant();
    return new Wish(TaskId.create(now, random), definition, now, Optional.empty());
  }

  /** Creates a task under a key, or replaces the one that waits there. */
  Answer put(String key, byte[] body) {
    checkKey(key);
    Map<String, Object> fields = new LinkedHashMap<>();
    StrictJson.object(body).forEach((name, value) -> fields.put(String.valueOf(name), value));
    Object inBody = fields.putIfAbsent("key", key);
    Form form = Form.of(fields);
    if (inBody != null && !inBody.equals(key)) {
      form.reject("key", "must be that of the path, or left out");
    }
    Optional<TaskDefinition> definition = DefinitionReader.readNew(form, clock.instant());
    if (definition.isEmpty() || !form.problems().isEmpty()) {
      throw new RefusedException(Problems.invalid(form.problems()));
    }
    return answerTo(tasks.put(wish(definition.get())));
  }

  private static Answer answerTo(PutAnswer answer) {
    if (answer instanceof PutAnswer.Created created) {
      return shown(201, created.task());
    }
    if (answer instanceof PutAnswer.Replaced replaced) {
      return shown(200, replaced.task());
    }
    if (answer instanceof PutAnswer.Repeated repeated) {
      return shown(200, repeated.task());
    }
    throw TaskEndpoints.over();
  }

  private static Answer shown(int status, Task task) {
    return Answer.json(status, TaskView.of(task))
        .with("Location", "/api/tasks/" + task.id())
        .with("ETag", TaskView.entityTag(task));
  }

  /** The task that has the key, or had it last. */
  Answer find(String key) {
    checkKey(key);
    return shown(200, tasks.find(key).orElseThrow(() -> unknown(key)));
  }

  /** Calls off the task that has the key. */
  Answer cancel(String key) {
    checkKey(key);
    return switch (tasks.cancel(key)) {
      case CANCELED -> Answer.empty(204);
      case UNKNOWN -> throw unknown(key);
      case FINISHED ->
          throw new RefusedException(
              Problems.answer(
                  409, "the task that had the key \"" + key + "\" is FINISHED; the key is free"));
    };
  }

  private static void checkKey(String key) {
    if (!DefinitionReader.isKey(key)) {
      throw new RefusedException(
          Problems.invalid(List.of(new Problem("key", DefinitionReader.KEY_SHAPE))));
    }
  }

  private static RefusedException unknown(String key) {
    return new RefusedException(Problems.answer(404, "no task has the key \"" + key + "\""));
  }
}
