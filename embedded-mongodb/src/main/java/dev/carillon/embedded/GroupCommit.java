package dev.carillon.embedded;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.h2.mvstore.MVStore;

/**
 * Makes writes durable before they are acknowledged, with one commit for all that wait at the same
 * time: whoever comes first commits for everybody, and the others find it done.
 */
final class GroupCommit {

  private final MVStore store;
  private final Lock writersKeptOut;
  private final boolean sync;
  private final Lock committing = new ReentrantLock();
  private final AtomicLong applied = new AtomicLong();
  private volatile long durable;

  /**
   * Commits a store that others change.
   *
   * @param writersKeptOut while it is held nothing changes the store, so that a commit never takes
   *     half a command
   * @param sync whether to force each commit to the disk
   */
  GroupCommit(MVStore store, Lock writersKeptOut, boolean sync) {
    this.store = store;
    this.writersKeptOut = writersKeptOut;
    this.sync = sync;
  }

  /** Counts one write that was applied; to be called before other writers are let in again. */
  long countApplied() {
    return applied.incrementAndGet();
  }

  /**
   * Returns when a write is durable.
   *
   * @param write the number that {@link #countApplied} gave it
   * @throws RuntimeException if it could not be made durable
   */
  void awaitDurable(long write) {
    committing.lock();
    try {
      if (durable < write) {
        commit();
      }
    } finally {
      committing.unlock();
    }
  }

  private void commit() {
    long covered;
    writersKeptOut.lock();
    try {
      covered = applied.get();
      store.commit();
    } finally {
      writersKeptOut.unlock();
    }
    if (store.isClosed()) { // a store that failed has closed itself, and ignores later commits
      throw new IllegalStateException("The data file failed earlier", store.getPanicException());
    }
    if (sync) {
      store.sync();
    }
    durable = covered;
  }
}
