package dev.carillon.ops;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

final class SparingLogTest {

  private final RecordedLog log = new RecordedLog();
  private final Queue<Runnable> pauses = new ArrayDeque<>();
  private final SparingLog sparing = new SparingLog(log.logger, pauses::add);

  private void endPause() {
    pauses.remove().run();
  }

  @Test
  void theFirstIsToldAtOnceAndTheOthersAreSummedUp() {
    for (int i = 0; i < 406; i++) {
      sparing.warn("{} is wrong ({})", i, "why");
    }

    assertThat(log.messages(Level.WARN)).containsExactly("0 is wrong (why)");
    assertThat(log.messages(Level.DEBUG)).hasSize(405).contains("7 is wrong (why)");

    endPause();

    assertThat(log.messages(Level.WARN))
        .containsExactly("0 is wrong (why)", "405 is wrong (why) (and 404 others in 30 s)");
  }

  @Test
  void aSingleOneInAPauseIsToldAsItIs() {
    sparing.warn("{} is wrong", 1);
    sparing.warn("{} is wrong", 2);

    endPause();

    assertThat(log.messages(Level.WARN)).containsExactly("1 is wrong", "2 is wrong");
  }

  @Test
  void aSummaryBeginsAnotherPause() {
    sparing.warn("{} is wrong", 1);
    sparing.warn("{} is wrong", 2);
    endPause();
    sparing.warn("{} is wrong", 3);

    assertThat(log.messages(Level.WARN)).containsExactly("1 is wrong", "2 is wrong");

    endPause();

    assertThat(log.messages(Level.WARN)).endsWith("3 is wrong");
  }

  @Test
  void afterAPauseWithoutAnyTheNextIsToldAtOnce() {
    sparing.warn("{} is wrong", 1);
    endPause();

    assertThat(pauses).isEmpty();
    sparing.warn("{} is wrong", 2);

    assertThat(log.messages(Level.WARN)).containsExactly("1 is wrong", "2 is wrong");
  }
}
