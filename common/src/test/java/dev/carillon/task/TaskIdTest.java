package dev.carillon.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TaskIdTest {

  @Test
  void eachIsFollowedByAnother() {
    assertThat(new TaskId("01kbceg1c2y4k8w0r8v0mh8g5p").successor())
        .isEqualTo(new TaskId("01kbceg1c2y4k8w0r8v0mh8g5q"));
    assertThat(new TaskId("01kbceg1c2y4k8w0r8v0mh8gzz").successor())
        .isEqualTo(new TaskId("01kbceg1c2y4k8w0r8v0mh8h00"));
  }

  @Test
  void idsSortByTheirTimeOfCreation() {
    Random random = new Random(1);
    List<TaskId> ids = new ArrayList<>();
    for (String year : List.of("1970", "2026", "2027", "9999")) {
      ids.add(TaskId.create(Instant.parse(year + "-01-01T00:00:00Z"), random));
      ids.add(TaskId.create(Instant.parse(year + "-01-01T00:00:00.001Z"), random));
    }
    assertThat(ids).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void whatCannotBeAnIdIsNotRead() {
    String good = Tasks.id(1).value();
    assertThat(TaskId.parse(good)).contains(Tasks.id(1));
    for (String bad :
        List.of(
            "",
            "x",
            good + "0",
            good.toUpperCase(java.util.Locale.ROOT),
            "8" + good.substring(1),
            good.substring(1) + "\n",
            "../../etc/passwd",
            "i" + good.substring(1))) {
      assertThat(TaskId.parse(bad)).as(bad).isEmpty();
    }
  }
}
