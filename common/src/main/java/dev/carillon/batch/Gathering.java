package dev.carillon.batch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Joins the calls of many threads to few round trips. While as many as may be are under way, the
 * wishes of further callers gather, and go together as soon as one has ended. There is no timer: a
 * lone call goes at once, and what waits waits for no longer than for a round trip to end.
 *
 * <p>A round trip that fails is repeated by each of its callers alone, so that what is wrong with
 * one of them is no matter of the others; wishes must therefore be safe to repeat. Only a failure
 * that is everybody's comes out of all calls. Thread-safe.
 *
 * @param <Q> a wish
 * @param <A> the answer to a wish
 */
public final class Gathering<Q, A> {

  private final int mostUnderWay;
  private final int mostWishes;
  private final Function<List<Q>, List<A>> roundTrip;
  private final Predicate<RuntimeException> isEverybodys;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Caller<Q, A>> waiting = new ArrayDeque<>();
  private int underWay;

  /** A thread with its wishes. Its fields are guarded by the lock. */
  private static final class Caller<Q, A> {
    final List<Q> wishes;
    final Condition changed;

    /** Whose wishes it is to carry out, its own included; empty until it is its turn. */
    List<Caller<Q, A>> leads = List.of();

    List<A> answers;
    RuntimeException failure;
    boolean isToGoAlone;

    Caller(List<Q> wishes, Condition changed) {
      this.wishes = wishes;
      this.changed = changed;
    }

    boolean waits() {
      return leads.isEmpty() && answers == null && failure == null && !isToGoAlone;
    }
  }

  /**
   * @param mostUnderWay how many round trips there may be at a time
   * @param mostWishes how many wishes may go together; a caller who has more goes alone
   * @param roundTrip gives an answer for each wish, in their order
   * @param isEverybodys whether a failure has nothing to do with what was wished for, so that going
   *     alone would be of no use
   */
  public Gathering(
      int mostUnderWay,
      int mostWishes,
      Function<List<Q>, List<A>> roundTrip,
      Predicate<RuntimeException> isEverybodys) {
    if (mostUnderWay < 1 || mostWishes < 1) {
      throw new IllegalArgumentException("there must be room for one at least");
    }
    this.mostUnderWay = mostUnderWay;
    this.mostWishes = mostWishes;
    this.roundTrip = roundTrip;
    this.isEverybodys = isEverybodys;
  }

  /**
   * Carries out the wishes, perhaps together with those of others. An interruption does not end the
   * waiting; it is kept.
   *
   * @return an answer for each wish, in their order
   */
  public List<A> call(List<Q> wishes) {
    if (wishes.isEmpty()) {
      return List.of();
    }
    Caller<Q, A> me = takePlace(wishes);
    if (!me.leads.isEmpty()) {
      lead(me.leads);
    }
    if (me.failure != null) {
      throw me.failure;
    }
    return me.isToGoAlone ? roundTrip.apply(me.wishes) : me.answers;
  }

  /** Returns when it is this caller's turn to lead, or others have carried its wishes out. */
  private Caller<Q, A> takePlace(List<Q> wishes) {
    lock.lock();
    try {
      Caller<Q, A> me = new Caller<>(List.copyOf(wishes), lock.newCondition());
      waiting.addLast(me);
      appointLeaders();
      while (me.waits()) {
        me.changed.awaitUninterruptibly();
      }
      return me;
    } finally {
      lock.unlock();
    }
  }

  /** How many callers wait; for tests. */
  int waiting() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  private void appointLeaders() {
    while (underWay < mostUnderWay && !waiting.isEmpty()) {
      List<Caller<Q, A>> together = new ArrayList<>();
      int wishes = 0;
      while (!waiting.isEmpty()
          && (together.isEmpty() || wishes + waiting.getFirst().wishes.size() <= mostWishes)) {
        Caller<Q, A> next = waiting.removeFirst();
        together.add(next);
        wishes += next.wishes.size();
      }
      underWay++;
      together.get(0).leads = together;
      together.get(0).changed.signal();
    }
  }

  private void lead(List<Caller<Q, A>> together) {
    List<A> answers = null;
    RuntimeException failure = null;
    try {
      List<Q> wishes = new ArrayList<>();
      together.forEach(caller -> wishes.addAll(caller.wishes));
      answers = roundTrip.apply(wishes);
    } catch (RuntimeException e) {
      boolean isForAll = together.size() == 1 || isEverybodys.test(e);
      failure = isForAll ? e : null; // else each of them finds out by itself
    } finally {
      end(together, answers, failure);
    }
  }

  /**
   * @param answers null if there are none, since the round trip has failed
   * @param failure what comes out of all calls; null when each is to go alone
   */
  private void end(List<Caller<Q, A>> together, List<A> answers, RuntimeException failure) {
    lock.lock();
    try {
      int from = 0;
      for (Caller<Q, A> caller : together) {
        int to = from + caller.wishes.size();
        if (answers != null) {
          caller.answers = List.copyOf(answers.subList(from, to));
        }
        caller.failure = failure;
        caller.isToGoAlone = answers == null && failure == null;
        from = to;
        caller.changed.signal();
      }
      underWay--;
      appointLeaders();
    } finally {
      lock.unlock();
    }
  }
}
