package dev.carillon.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.store.ClaimContract;
import dev.carillon.store.ExchangeContract;
import dev.carillon.store.MemoryTaskStore;
import dev.carillon.store.TaskStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/** A store that is observed is a store like any other, and says what was done. */
final class ObservedStoreTest {

  private final List<TaskEvent> events = Collections.synchronizedList(new ArrayList<>());

  private TaskStore newStore() {
    return new ObservedStore(new MemoryTaskStore(InstantSource.system()), events::add);
  }

  /** Each task that there is has been told of once, before anything else about it. */
  @AfterEach
  void creationIsToldFirstAndOnce() {
    Map<String, List<String>> byTask = new TreeMap<>();
    for (TaskEvent event : List.copyOf(events)) {
      byTask
          .computeIfAbsent(event.task().id().value(), unused -> new ArrayList<>())
          .add(event.type());
    }
    Optional<List<String>> wrong =
        byTask.values().stream()
            .filter(types -> types.lastIndexOf("task.created") != 0)
            .findFirst();
    assertThat(wrong).isEmpty();
  }

  @Nested
  final class Claims extends ClaimContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }

  @Nested
  final class Exchanges extends ExchangeContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }
}
