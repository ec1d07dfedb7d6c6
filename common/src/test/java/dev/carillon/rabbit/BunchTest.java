package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.queue.Notice;
import dev.carillon.task.Priority;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BunchTest {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");
  private static final TaskId TASK = new TaskId("01hzy3v7k2m4n6p8r9s0t1v2w3");

  private final Wheel wheel = new Wheel(64, Duration.ofSeconds(1));
  private final List<Notice> notices = new ArrayList<>();

  private void add(String queue, Duration in, Priority priority) {
    int index = notices.size();
    notices.add(new Notice(TASK, index, 1, 1, NOW.plus(in), queue, NOW, priority));
  }

  private void addShared(int count, Duration in) {
    for (int i = 0; i < count; i++) {
      add("shared", in, Priority.NORMAL);
    }
  }

  private List<List<Integer>> bunches() {
    List<Bunch> bunches = Bunch.of(notices, notice -> notice.queue().equals("shared"), wheel, NOW);
    assertThat(bunches)
        .allSatisfy(
            bunch ->
                assertThat(bunch.notices())
                    .isEqualTo(bunch.positions().stream().map(notices::get).toList()));
    return bunches.stream().map(Bunch::positions).toList();
  }

  @Test
  void oneWithAQueueOfItsOwnTravelsAlone() {
    add("own 1", Duration.ofSeconds(20), Priority.NORMAL);
    add("own 2", Duration.ofSeconds(20), Priority.NORMAL);

    assertThat(bunches()).containsExactly(List.of(0), List.of(1));
  }

  @Test
  void thoseOfTheSameSlotAndPriorityTravelTogether() {
    add("shared", Duration.ofSeconds(20), Priority.NORMAL);
    add("shared", Duration.ofMillis(20_999), Priority.NORMAL);
    add("shared", Duration.ofSeconds(21), Priority.NORMAL);
    add("shared", Duration.ofSeconds(20), Priority.HIGH);
    add("shared", Duration.ofMillis(20_001), Priority.HIGH);

    assertThat(bunches()).containsExactly(List.of(0, 1), List.of(2), List.of(3, 4));
  }

  @Test
  void thoseThatAreDueTravelTogether() {
    addShared(1, Duration.ofSeconds(-90));
    addShared(1, Duration.ofMillis(1_999));
    addShared(1, Duration.ofSeconds(2));

    assertThat(bunches()).containsExactly(List.of(0, 1), List.of(2));
  }

  @Test
  void manyAreSharedByWorkers() {
    addShared(60, Duration.ofSeconds(20));

    assertThat(bunches()).extracting(List::size).containsExactly(15, 15, 15, 15);
  }

  @Test
  void noMessageIsLargerThanItMayBe() {
    addShared(1_001, Duration.ofSeconds(20));

    assertThat(bunches()).hasSize(11).allMatch(bunch -> bunch.size() <= NoticeCodec.MOST_NOTICES);
    assertThat(bunches().stream().flatMap(List::stream).distinct()).hasSize(1_001);
  }
}
