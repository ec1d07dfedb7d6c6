package dev.carillon.task;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Brings a change of a task to its end: skips what is not to be run any more, arms the one sub-task
 * that comes next, and says when somebody has to look after it all. Pure and thread-safe.
 */
final class Settlement {

  /** Longest pause between two looks at a parked sub-task that shows no sign of life. */
  private static final Duration LONGEST_GRACE = Duration.ofMinutes(1);

  /** Pause between two runs of a backfill. */
  private static final Duration BACKFILL_PAUSE = Duration.ofSeconds(1);

  private final Parking parking;
  private final Chain.Settings settings;

  Settlement(Parking parking, Chain.Settings settings) {
    this.parking = parking;
    this.settings = settings;
  }

  Task of(ChainDraft draft) {
    boolean isLeftBehind = false;
    if (!draft.status.isFinal()) {
      draft.letGo(settings);
      draft.advance(settings);
    }
    if (draft.status == TaskStatus.ACTIVE) {
      isLeftBehind = !skipWhatIsNotToRun(draft);
      draft.fillBack(draft.now().plus(BACKFILL_PAUSE));
    }
    if (!draft.status.isFinal() && draft.isOver()) {
      draft.status = TaskStatus.FINISHED;
    }
    if (isLeftBehind) { // the next sweep goes on
      draft.unparkAllBut(Optional.empty());
      draft.token++;
      draft.wakeAt = Optional.of(draft.now());
    } else {
      draft.wakeAt = earliest(armNext(draft), draft);
    }
    return draft.build();
  }

  private static Optional<Instant> earliest(Optional<Instant> armed, ChainDraft draft) {
    return Stream.concat(armed.stream(), draft.leases.stream().map(Lease::until))
        .min(Instant::compareTo);
  }

  /**
   * Skips what was missed and is not to be made up for, and what fell due during another run. After
   * a long time that takes several steps: a single exchange must stay small.
   *
   * @return whether nothing is left to be skipped
   */
  private boolean skipWhatIsNotToRun(ChainDraft draft) {
    int surplus = draft.surplusMissed();
    for (int i = 0; i <= Chain.MOST_SKIPPED_AT_ONCE; i++) {
      Optional<String> why = draft.reasonToSkip(surplus);
      if (why.isEmpty()) {
        draft.forgetBusyInThePast();
        return true;
      }
      if (i < Chain.MOST_SKIPPED_AT_ONCE) {
        draft.skipAtCursor(why.get());
        draft.advance(settings);
        surplus--;
      }
    }
    return false;
  }

  /**
   * Has the notice of the sub-task that comes next waiting, and no other; an arming that is as it
   * should be stays.
   *
   * @return when to look after it
   */
  private Optional<Instant> armNext(ChainDraft draft) {
    Optional<SubTask> next = draft.next();
    draft.unparkAllBut(next);
    if (next.isEmpty()) {
      return Optional.empty();
    }
    boolean isArmed = next.get().status() == SubTaskStatus.PENDING;
    return Optional.of(isArmed ? patience(next.get(), draft.now()) : arm(draft, next.get()));
  }

  private Instant arm(ChainDraft draft, SubTask next) {
    draft.token++;
    Instant now = draft.now();
    Parking.Arming arming =
        new Parking.Arming(draft.id(), next.index(), next.attempt() + 1, next.runAt(), draft.token);
    Parking.Place place = parking.placeFor(arming, now);
    if (place instanceof Parking.Place.InStore store) {
      return store.until();
    }
    draft.replace(next.pending(((Parking.Place.InQueue) place).name(), now));
    return later(next.runAt(), now).plus(settings.grace());
  }

  /**
   * When to look after a parked sub-task. The longer nothing has happened the longer the next wait:
   * a busy system is not a broken one.
   */
  private Instant patience(SubTask parked, Instant now) {
    Instant first = parked.runAt().plus(settings.grace());
    if (first.isAfter(now)) {
      return first;
    }
    Duration overdue = Duration.between(parked.runAt(), now);
    Duration longer = overdue.compareTo(settings.grace()) > 0 ? overdue : settings.grace();
    Duration cap = settings.grace().compareTo(LONGEST_GRACE) > 0 ? settings.grace() : LONGEST_GRACE;
    return now.plus(longer.compareTo(cap) < 0 ? longer : cap);
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }
}
