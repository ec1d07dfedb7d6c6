package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class WheelTest {

  private static final Instant SECOND_7 = Instant.ofEpochSecond(64 * 1_000 + 7);

  private final Wheel wheel = new Wheel(64, Duration.ofSeconds(1));

  @Test
  void whatIsDueInASecondLeavesTogetherOneSecondBefore() {
    for (int millis : new int[] {0, 1, 500, 999}) {
      Instant due = SECOND_7.plusMillis(millis);
      assertThat(wheel.slotOf(due)).isEqualTo("64x1000.07");
      assertThat(wheel.leavesAt(due)).isEqualTo(SECOND_7.minusSeconds(1));
      assertThat(wheel.openFrom(due)).isEqualTo(SECOND_7.minusSeconds(63));
    }
    assertThat(wheel.slotOf(SECOND_7.plusSeconds(1))).isEqualTo("64x1000.08");
    assertThat(wheel.slotOf(SECOND_7.plusSeconds(64))).isEqualTo("64x1000.07");
  }

  @Test
  void timesBeforeTheEpochHaveSlotsToo() {
    assertThat(wheel.slotOf(Instant.ofEpochSecond(-1))).isEqualTo("64x1000.63");
  }

  @Test
  void eachSlotHasItsName() {
    assertThat(wheel.names()).hasSize(64).doesNotHaveDuplicates().contains("64x1000.07");
    assertThat(new Wheel(10, Duration.ofMillis(1_500)).names()).contains("10x1500.09");
  }

  /** Whatever enters a slot while it may, nothing in it leaves later than what entered after it. */
  @Test
  void nothingWaitsBehindSomethingLater() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (Wheel any :
        new Wheel[] {
          wheel, new Wheel(4, Duration.ofSeconds(1)), new Wheel(30, Duration.ofMillis(2_500))
        }) {
      Map<String, Instant> lastLeaves = new HashMap<>();
      Instant now = Instant.parse("2027-01-04T08:00:00Z");
      int entered = 0;
      for (int i = 0; i < 20_000; i++) {
        now = now.plusMillis(random.nextInt(200));
        Instant due = now.plusMillis(random.nextInt((int) any.slot().toMillis() * any.slots() * 2));
        if (now.isBefore(any.openFrom(due)) || !now.isBefore(any.leavesAt(due))) {
          continue;
        }
        String slot = any.slotOf(due);
        Instant leaves = any.leavesAt(due);
        Instant before = lastLeaves.put(slot, leaves);
        if (before != null && !before.equals(leaves)) {
          assertThat(before).as("the turn before has left").isBefore(now);
        }
        entered++;
      }
      assertThat(entered).isGreaterThan(1_000);
    }
  }
}
