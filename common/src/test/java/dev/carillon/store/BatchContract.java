package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is done for many at once is what would be done for each. */
public abstract class BatchContract extends StoreContract {

  private List<Task> many(int count) {
    return IntStream.range(0, count).mapToObj(i -> create(Map.of("name", "task " + i))).toList();
  }

  @Test
  void manyAreInserted() {
    List<Task> tasks = many(50);

    assertThat(store.insert(tasks)).hasSize(50).containsOnly(true);

    tasks.forEach(task -> assertThat(store.find(task.id())).contains(task));
    assertThat(store.insert(List.of())).isEmpty();
  }

  @Test
  void thoseThatAreThereAreLeftAsTheyAre() {
    List<Task> tasks = many(6);
    store.insert(tasks.get(2));
    Task canceled = chain.cancel(tasks.get(2), START);
    store.exchange(List.of(new TaskStore.Exchange(tasks.get(2), canceled)));
    List<Task> wanted = new ArrayList<>(tasks);
    wanted.add(tasks.get(4)); // twice

    assertThat(store.insert(wanted)).containsExactly(true, true, false, true, true, true, false);
    assertThat(store.insert(wanted)).containsOnly(false);

    assertThat(store.find(tasks.get(2).id())).contains(canceled);
    assertThat(store.find(tasks.get(5).id())).contains(tasks.get(5));
  }

  @Test
  void manyAreFoundByTheirIds() {
    List<Task> tasks = many(3);
    store.insert(tasks);
    TaskId unknown = nextId();

    assertThat(store.findAll(List.of(tasks.get(0).id(), unknown, tasks.get(2).id())))
        .isEqualTo(Map.of(tasks.get(0).id(), tasks.get(0), tasks.get(2).id(), tasks.get(2)));
    assertThat(store.findAll(List.of())).isEmpty();
  }

  @Test
  void manyKeysAreTakenOrStandForWhatTheyStoodFor() {
    KeyedCreation earlier = new KeyedCreation("b", "", nextId(), START);
    store.takeKey(earlier);
    KeyedCreation over =
        new KeyedCreation("c", "", nextId(), START.minus(KeyedCreation.LIFE).minusMillis(1));
    store.takeKey(over);
    KeyedCreation first = new KeyedCreation("a", "", nextId(), START);
    KeyedCreation second = new KeyedCreation("b", "", nextId(), START);
    KeyedCreation third = new KeyedCreation("c", "", nextId(), START);
    KeyedCreation again = new KeyedCreation("a", "", nextId(), START);

    assertThat(store.takeKeys(List.of(first, second, third, again)))
        .containsExactly(first, earlier, third, first);
    assertThat(store.takeKeys(List.of())).isEmpty();
  }
}
