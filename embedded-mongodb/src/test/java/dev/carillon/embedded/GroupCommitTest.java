package dev.carillon.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class GroupCommitTest {

  @AutoClose private final MVStore store = new MVStore.Builder().autoCommitDisabled().open();
  private final ReentrantLock writers = new ReentrantLock();
  private final GroupCommit commits = new GroupCommit(store, writers, true);

  @Test
  void oneCommitServesAllThatWait() throws InterruptedException {
    List<Thread> waiting = new ArrayList<>();
    long before = store.getCurrentVersion();
    writers.lock();
    try {
      for (int i = 0; i < 10; i++) {
        store.openMap("data").put(i, "written");
        long write = commits.countApplied();
        Thread thread = new Thread(() -> commits.awaitDurable(write));
        thread.start();
        waiting.add(thread);
      }
      await().atMost(Duration.ofMinutes(1)).until(writers::hasQueuedThreads);
    } finally {
      writers.unlock();
    }
    for (Thread thread : waiting) {
      thread.join();
    }
    assertThat(store.hasUnsavedChanges()).isFalse();
    assertThat(store.getCurrentVersion()).isEqualTo(before + 1);
  }

  @Test
  void aWriteIsNotDurableInAStoreThatFailed() {
    store.openMap("data").put(1, "written");
    long write = commits.countApplied();
    store.closeImmediately();
    assertThatThrownBy(() -> commits.awaitDurable(write))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("failed");
  }
}
