package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.task.Origin;
import dev.carillon.task.SubTask;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a store finds, lists and forgets. */
public abstract class ListingContract extends StoreContract {

  private static final TaskQuery ALL = query(100);

  private static TaskQuery query(int limit) {
    return new TaskQuery(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), limit);
  }

  @Test
  void whatWasInsertedIsFound() {
    Task task = inserted();
    Task other = inserted();

    assertThat(store.find(task.id())).contains(task);
    assertThat(store.find(other.id())).contains(other);
    assertThat(store.find(nextId())).isEmpty();
  }

  @Test
  void insertingAgainChangesNothing() {
    Task task = inserted();
    Task next = fired(chain, task);

    assertThat(store.insert(task)).isFalse();

    assertThat(stored(task)).isEqualTo(next);
    assertThat(store.list(ALL)).containsExactly(next);
  }

  @Test
  void ofManyThreadsOneInserts() throws Exception {
    Task task = create(Map.of());
    try (Race race = new Race(16)) {
      assertThat(race.run(thread -> store.insert(task))).containsOnlyOnce(true);
    }

    assertThat(store.list(ALL)).containsExactly(task);
  }

  @Test
  void tasksAreListedFromNewToOld() {
    assertThat(store.list(ALL)).isEmpty();
    Task first = inserted();
    Task second = inserted();
    Task third = inserted();

    assertThat(store.list(ALL)).containsExactly(third, second, first);
    assertThat(store.list(query(2))).containsExactly(third, second);
    assertThat(store.list(olderThan(third.id(), 1))).containsExactly(second);
    assertThat(store.list(olderThan(second.id(), 10))).containsExactly(first);
    assertThat(store.list(olderThan(first.id(), 10))).isEmpty();
  }

  private static TaskQuery olderThan(TaskId id, int limit) {
    return new TaskQuery(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(id), limit);
  }

  @Test
  void tasksAreListedByStatus() {
    Task active = inserted();
    Task toCancel = inserted();
    Task canceled = exchanged(toCancel, chain.cancel(toCancel, START));
    Task finished = fired(chain, inserted(Map.of("maxRuns", 1)));
    Task toPause = inserted();
    Task paused = exchanged(toPause, withStatus(toPause, TaskStatus.PAUSED));

    assertThat(byStatus(TaskStatus.ACTIVE)).containsExactly(active);
    assertThat(byStatus(TaskStatus.CANCELED)).containsExactly(canceled);
    assertThat(byStatus(TaskStatus.FINISHED)).containsExactly(finished);
    assertThat(byStatus(TaskStatus.PAUSED)).containsExactly(paused);
  }

  private List<Task> byStatus(TaskStatus status) {
    return store.list(
        new TaskQuery(
            Optional.of(status), Optional.empty(), Optional.empty(), Optional.empty(), 10));
  }

  @Test
  void tasksAreListedByTag() {
    Task both = inserted(Map.of("tags", List.of("red", "green")));
    Task red = inserted(Map.of("tags", List.of("red")));
    inserted(Map.of("tags", List.of("Red", "reddish", "r.d")));
    inserted();

    assertThat(byTag("red")).containsExactly(red, both);
    assertThat(byTag("green")).containsExactly(both);
    assertThat(byTag("re")).isEmpty();
    assertThat(byTag("r.d")).hasSize(1);
    assertThat(byTag("$ne")).isEmpty();
  }

  private List<Task> byTag(String tag) {
    return store.list(
        new TaskQuery(Optional.empty(), Optional.of(tag), Optional.empty(), Optional.empty(), 10));
  }

  @Test
  void tasksAreListedByTheirExactName() {
    Task plain = inserted(Map.of("name", "a.b"));
    Task same = inserted(Map.of("name", "a.b"));
    inserted(Map.of("name", "axb"));
    inserted(Map.of("name", "A.B"));
    inserted(Map.of("name", "a.b "));

    assertThat(byName("a.b")).containsExactly(same, plain);
    assertThat(byName("a")).isEmpty();
    assertThat(byName(".*")).isEmpty();
  }

  private List<Task> byName(String name) {
    return store.list(
        new TaskQuery(Optional.empty(), Optional.empty(), Optional.of(name), Optional.empty(), 10));
  }

  @Test
  void conditionsOfAListAllHold() {
    Map<String, Object> fields = Map.of("name", "n", "tags", List.of("t"));
    Task oldest = inserted(fields);
    Task toCancel = inserted(fields);
    exchanged(toCancel, chain.cancel(toCancel, START));
    inserted(Map.of("name", "n"));
    inserted(Map.of("name", "m", "tags", List.of("t")));
    Task fits = inserted(fields);
    Task newest = inserted(fields);

    assertThat(
            store.list(
                new TaskQuery(
                    Optional.of(TaskStatus.ACTIVE),
                    Optional.of("t"),
                    Optional.of("n"),
                    Optional.of(newest.id()),
                    10)))
        .containsExactly(fits, oldest);
  }

  @Test
  void pagingMissesAndRepeatsNothingThatIsThereFromFirstToLastPage() {
    Set<TaskId> there = new LinkedHashSet<>();
    for (int i = 0; i < 25; i++) {
      there.add(inserted().id());
    }
    List<TaskId> seen = new ArrayList<>();
    List<Task> page = store.list(query(4));
    while (!page.isEmpty()) {
      page.forEach(task -> seen.add(task.id()));
      inserted(); // newer than all of them: not on a later page
      Task changing = stored(page.get(0));
      exchanged(changing, chain.cancel(changing, START));
      page = store.list(olderThan(seen.get(seen.size() - 1), 4));
    }

    assertThat(seen).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(there);
  }

  @Test
  void subTasksAreListedByIndexFromArchiveAndWindow() {
    Task task = longTask(30);
    assertThat(task.subTasks().get(0).index()).isGreaterThan(20);

    List<SubTask> all = subTasks(task);

    assertThat(all)
        .extracting(SubTask::index)
        .isEqualTo(LongStream.range(0, all.size()).boxed().toList());
    assertThat(all).endsWith(task.subTasks().toArray(SubTask[]::new));
    for (int from = 0; from < all.size() + 2; from++) {
      int start = Math.min(from, all.size());
      assertThat(subTasks(task, Optional.empty(), from, 7))
          .isEqualTo(all.subList(start, Math.min(start + 7, all.size())));
    }
  }

  @Test
  void subTasksAreListedByStatus() {
    Task task = longTask(30);
    List<SubTask> all = subTasks(task);

    for (SubTaskStatus status : SubTaskStatus.values()) {
      List<SubTask> expected = all.stream().filter(s -> s.status() == status).toList();
      assertThat(subTasks(task, Optional.of(status), 0, 1_000)).isEqualTo(expected);
      assertThat(subTasks(task, Optional.of(status), 5, 3))
          .isEqualTo(expected.stream().filter(s -> s.index() >= 5).limit(3).toList());
    }
  }

  @Test
  void subTasksOfOneTaskAreNotThoseOfAnother() {
    Task one = longTask(12);
    Task other = longTask(5);

    assertThat(subTasks(other)).hasSize((int) lastIndex(other) + 1);
    assertThat(subTasks(one)).hasSize((int) lastIndex(one) + 1);
    assertThat(subTasks(create(Map.of()))).isEmpty();
  }

  private static long lastIndex(Task task) {
    return task.subTasks().get(task.subTasks().size() - 1).index();
  }

  @Test
  void pagingSubTasksMissesNothingWhileTheWindowMoves() {
    Task task = longTask(10);
    List<Long> seen = new ArrayList<>();
    while (seen.size() < 60) {
      List<SubTask> page = subTasks(task, Optional.empty(), seen.size(), 3);
      if (page.isEmpty()) {
        task = fired(smallChain, task);
      }
      page.forEach(subTask -> seen.add(subTask.index()));
      task = fired(smallChain, task);
    }

    assertThat(seen).isEqualTo(LongStream.range(0, seen.size()).boxed().toList());
  }

  private Task longTask(int firings) {
    Task task = inserted(create(smallChain, Map.of()));
    for (int i = 0; i < firings; i++) {
      task = fired(smallChain, task);
    }
    return task;
  }

  private List<SubTask> subTasks(
      Task task, Optional<SubTaskStatus> status, long fromIndex, int limit) {
    return store.subTasks(task.id(), new SubTaskQuery(status, fromIndex, limit));
  }

  @Test
  void theArchiveIsPurgedOfWhatEndedBefore() {
    Task task = longTask(30);
    int archived = (int) task.subTasks().get(0).index();
    // each ends when it is due: one a minute
    Instant beforeTheTenth = START.plus(Duration.ofMinutes(10));

    assertThat(store.purgeArchive(START, 100)).isZero();
    assertThat(store.purgeArchive(beforeTheTenth, 4)).isEqualTo(4);
    assertThat(subTasks(task)).hasSize((int) lastIndex(task) + 1 - 4);
    assertThat(store.purgeArchive(beforeTheTenth, 100)).isEqualTo(5);
    assertThat(store.purgeArchive(beforeTheTenth, 100)).isZero();
    assertThat(subTasks(task).get(0).index()).isEqualTo(9);

    assertThat(store.purgeArchive(START.plus(Duration.ofDays(1)), 100)).isEqualTo(archived - 9);
    assertThat(subTasks(task)).isEqualTo(task.subTasks());
    assertThat(stored(task)).isEqualTo(task);
  }

  /** It has no end of its own; it would stay for ever. */
  @Test
  void whatNeverRanIsPurgedByItsDueTime() {
    Task task = inserted();
    SubTask first = task.subTasks().get(0);
    SubTask skipped =
        new SubTask(
            0,
            Origin.SCHEDULE,
            Optional.empty(),
            first.dueAt(),
            first.runAt(),
            SubTaskStatus.SKIPPED,
            0,
            0,
            0,
            Optional.empty(),
            Optional.empty(),
            Optional.of("misfire"));
    List<SubTask> window = new ArrayList<>(task.subTasks());
    window.set(0, skipped);
    task = exchanged(task, edited(task, task.definition(), TaskStatus.ACTIVE, window));
    window.remove(0);
    task = exchanged(task, edited(task, task.definition(), TaskStatus.ACTIVE, window));
    assertThat(subTasks(task).get(0)).isEqualTo(skipped);

    assertThat(store.purgeArchive(first.dueAt(), 10)).isZero();
    assertThat(store.purgeArchive(first.dueAt().plusMillis(1), 10)).isEqualTo(1);
    assertThat(subTasks(task)).isEqualTo(window);
  }

  @Test
  void theStoreKnowsTheTime() {
    Instant before = Instant.now();

    Instant now = store.now();

    // a store elsewhere may have a clock of its own, but not one of another day
    assertThat(now)
        .isBetween(before.minus(Duration.ofMinutes(5)), Instant.now().plus(Duration.ofMinutes(5)));
    assertThat(store.now()).isAfterOrEqualTo(now);
  }
}
