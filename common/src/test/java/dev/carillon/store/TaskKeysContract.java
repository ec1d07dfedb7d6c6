package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.store.TaskKeys.Holder;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every place for keys does. */
public abstract class TaskKeysContract {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");

  private final Random ids = new Random(5);
  private TaskKeys keys;

  /** A place without any keys. */
  protected abstract TaskKeys open();

  @BeforeEach
  final void openKeys() {
    keys = open();
  }

  private Holder holder(String key) {
    return new Holder(key, TaskId.create(NOW, ids), NOW);
  }

  @Test
  void aFreeKeyIsTakenByTheFirst() {
    Holder first = holder("order.17");

    assertThat(keys.takeFree(List.of(first))).containsExactly(first);
    assertThat(keys.takeFree(List.of(first))).containsExactly(first);
    assertThat(keys.takeFree(List.of(holder("order.17")))).containsExactly(first);
    assertThat(keys.find("order.17")).contains(first);
    assertThat(keys.find("order.1")).isEmpty();
  }

  @Test
  void manyAreTakenAtOnceAndAnsweredInOrder() {
    List<Holder> there = IntStream.range(0, 20).mapToObj(i -> holder("k" + 2 * i)).toList();
    keys.takeFree(there);
    List<Holder> wanted = IntStream.range(0, 40).mapToObj(i -> holder("k" + i)).toList();

    List<Holder> held = keys.takeFree(wanted);

    for (int i = 0; i < 40; i++) {
      assertThat(held.get(i)).isEqualTo(i % 2 == 0 ? there.get(i / 2) : wanted.get(i));
    }
    assertThat(keys.takeFree(List.of())).isEmpty();
  }

  @Test
  void aKeyIsPassedOnByWhoeverSeesItAsItIs() {
    Holder first = holder("k");
    Holder second = holder("k");
    keys.takeFree(List.of(first));

    assertThat(keys.pass(first, second)).isTrue();
    assertThat(keys.pass(first, second)).as("a repetition").isTrue();
    assertThat(keys.pass(first, holder("k"))).isFalse();
    assertThat(keys.find("k")).contains(second);
    assertThat(keys.pass(holder("free"), holder("free"))).isFalse();
    assertThat(keys.find("free")).isEmpty();
  }

  @Test
  void aKeyIsReleasedByWhoeverSeesItAsItIs() {
    Holder first = holder("k");
    keys.takeFree(List.of(first));

    keys.release(holder("k"));
    assertThat(keys.find("k")).contains(first);

    keys.release(first);
    keys.release(first);
    assertThat(keys.find("k")).isEmpty();
  }

  @Test
  void allAreSeenPageByPage() {
    List<Holder> all = IntStream.range(0, 25).mapToObj(i -> holder("k" + i)).toList();
    keys.takeFree(all);
    Set<String> seen = new TreeSet<>();
    List<Holder> page = keys.scan("", 10);
    while (!page.isEmpty()) {
      page.forEach(holder -> assertThat(seen.add(holder.key())).isTrue());
      page = keys.scan(page.get(page.size() - 1).key(), 10);
    }
    assertThat(seen).hasSize(25);
  }

  @Test
  void ofManyWhoWantAKeyOneGetsIt() throws InterruptedException {
    List<Holder> answers = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Holder wanted = holder("k");
      Thread thread = new Thread(() -> answers.addAll(keys.takeFree(List.of(wanted))));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(answers).hasSize(8).containsOnly(keys.find("k").orElseThrow());
  }
}
