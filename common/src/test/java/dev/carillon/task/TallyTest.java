package dev.carillon.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TallyTest {

  @Test
  void isToldInWords() {
    assertThat(new Tally(30, 1, 0, 2).inWords())
        .isEqualTo("30 sub-tasks succeeded, 1 failed, 0 skipped, 2 canceled");
    assertThat(new Tally(1, 0, 0, 0).inWords()).startsWith("1 sub-task succeeded");
  }
}
