package dev.carillon.api;

import dev.carillon.definition.DefinitionReader;
import dev.carillon.flow.BatchCreation;
import dev.carillon.flow.BatchCreation.Batch;
import dev.carillon.flow.BatchCreation.Item;
import dev.carillon.form.Form;
import dev.carillon.form.Problem;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Creates many tasks by one request. Each item has a result of its own, in their order, and none of
 * them is a matter of the others. Thread-safe.
 */
public final class BatchEndpoint {

  static final int MOST_ITEMS = 10_000;

  /** How many are stored together: more would not be faster, and fill memory. */
  private static final int AT_A_TIME = 500;

  private final BatchCreation creation;

  public BatchEndpoint(BatchCreation creation) {
    this.creation = creation;
  }

  /**
   * @param failures what is answered for a failure; used when a part of the batch has been stored
   */
  Answer create(BatchBody body, IdempotencyKey key, Function<RuntimeException, Answer> failures) {
    key.problem()
        .ifPresent(
            problem -> {
              throw new RefusedException(Problems.invalid(List.of(problem)));
            });
    List<BatchBody.Entry> entries = body.entries(MOST_ITEMS);
    Batch batch =
        key.isGiven()
            ? creation
                .begin(key.value(), body.fingerprint())
                .orElseThrow(() -> new RefusedException(IdempotencyKey.usedWithAnotherBody()))
            : creation.begin();
    Results results = new Results(entries.size());
    for (int from = 0; from < entries.size(); from += AT_A_TIME) {
      int to = Math.min(entries.size(), from + AT_A_TIME);
      try {
        create(batch, from, entries.subList(from, to), results);
      } catch (RuntimeException failure) {
        if (from == 0) {
          throw failure; // the request as a whole has failed
        }
        results.refuseRest(from, failures.apply(failure));
        break;
      }
    }
    return results.answer();
  }

  private void create(Batch batch, int from, List<BatchBody.Entry> entries, Results results) {
    List<Item> items = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      int position = from + i;
      try {
        items.add(new Item(position, definition(entries.get(i).content(), batch)));
      } catch (RefusedException refused) {
        results.refused(position, refused.answer());
      }
    }
    Map<Integer, TaskId> created = creation.create(batch, items);
    for (Item item : items) {
      Optional.ofNullable(created.get(item.position()))
          .ifPresentOrElse(
              id -> results.created(item.position(), id),
              () ->
                  results.refused(
                      item.position(),
                      Problems.invalid(
                          List.of(new Problem("endTime", "leaves no instant in the future")))));
    }
  }

  private static TaskDefinition definition(Map<?, ?> content, Batch batch) {
    Form form = Form.of(content);
    Optional<TaskDefinition> definition = DefinitionReader.readNew(form, batch.asOf());
    if (definition.flatMap(TaskDefinition::key).isPresent()) {
      form.reject("key", "must not be given in a batch; PUT /api/tasks/by-key/{key} takes one");
    }
    return definition
        .filter(read -> form.problems().isEmpty())
        .orElseThrow(() -> new RefusedException(Problems.invalid(form.problems())));
  }

  /** The results so far, by position. */
  private static final class Results {

    private final List<Map<String, Object>> byPosition;
    private int created;

    Results(int size) {
      this.byPosition = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        byPosition.add(new LinkedHashMap<>(Map.of("index", i)));
      }
    }

    void created(int position, TaskId id) {
      Map<String, Object> result = byPosition.get(position);
      result.put("status", 201);
      result.put("id", id.value());
      created++;
    }

    void refused(int position, Answer why) {
      Map<String, Object> result = byPosition.get(position);
      result.put("status", why.status());
      result.put("problem", why.body().orElseThrow());
    }

    void refuseRest(int from, Answer why) {
      for (int i = from; i < byPosition.size(); i++) {
        refused(i, why);
      }
    }

    Answer answer() {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("created", created);
      all.put("refused", byPosition.size() - created);
      all.put("results", byPosition);
      return Answer.json(200, all);
    }
  }
}
