package dev.carillon.rabbit;

import dev.carillon.queue.Notice;
import dev.carillon.task.Priority;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Notices that travel in one message. Those for a queue of their own travel alone; those for the
 * same slot of the wheel go together, but not so many that one worker would get all of them.
 *
 * @param positions of the notices among those that are to be parked
 */
record Bunch(List<Integer> positions, List<Notice> notices) {

  /** What a message may have however few there are: to share less would not pay. */
  private static final int SMALL = 10;

  /** Into how many messages more of them are split, as long as these are not full. */
  private static final int SHARES = 4;

  /** Why notices go together: they leave the wheel at the same time, by the same way. */
  private record Together(Instant leavesAt, Priority priority) {}

  /** The first of them speaks for all: they have their place and priority in common. */
  Notice first() {
    return notices.get(0);
  }

  /**
   * Splits notices into bunches.
   *
   * @param sharesQueue whether a notice waits with others, or on its own
   */
  static List<Bunch> of(
      List<Notice> notices, Predicate<Notice> sharesQueue, Wheel wheel, Instant now) {
    List<Bunch> bunches = new ArrayList<>();
    Map<Together, List<Integer>> sharing = new LinkedHashMap<>();
    for (int i = 0; i < notices.size(); i++) {
      Notice notice = notices.get(i);
      if (sharesQueue.test(notice)) {
        Instant leavesAt = wheel.leavesAt(notice.runAt());
        Instant from = leavesAt.isAfter(now) ? leavesAt : now; // what has left goes out at once
        sharing
            .computeIfAbsent(new Together(from, notice.priority()), any -> new ArrayList<>())
            .add(i);
      } else {
        bunches.add(new Bunch(List.of(i), List.of(notice)));
      }
    }
    sharing.values().forEach(positions -> split(positions, notices, bunches));
    return bunches;
  }

  private static void split(List<Integer> positions, List<Notice> notices, List<Bunch> bunches) {
    int share = (positions.size() + SHARES - 1) / SHARES;
    int size = Math.max(SMALL, Math.min(NoticeCodec.MOST_NOTICES, share));
    for (int from = 0; from < positions.size(); from += size) {
      List<Integer> part =
          List.copyOf(positions.subList(from, Math.min(positions.size(), from + size)));
      bunches.add(new Bunch(part, part.stream().map(notices::get).toList()));
    }
  }
}
