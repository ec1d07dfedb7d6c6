package dev.carillon.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompactionTest {

  private static final int ENTRIES = 500;
  private static final int HOT_ENTRIES = 20;

  @TempDir Path folder;

  @Test
  void whatIsOverwrittenIsGivenBack() {
    Random random = new Random(1);
    Map<Integer, byte[]> expected = new HashMap<>();
    String file = folder.resolve("data").toString();
    try (MVStore store = open(file)) {
      MVMap<Integer, byte[]> map = store.openMap("data");
      for (int i = 0; i < 3 * ENTRIES; i++) {
        int key = i < ENTRIES || i % 3 == 0 ? random.nextInt(ENTRIES) : random.nextInt(HOT_ENTRIES);
        byte[] value = new byte[3_000];
        random.nextBytes(value);
        map.put(key, value);
        expected.put(key, value);
        store.commit();
      }
      assertThat(usedPercent(store)).isLessThan(Compaction.WANTED_FILL_PERCENT);

      var access = new ReentrantReadWriteLock();
      var commits = new GroupCommit(store, access.readLock(), false);
      try (Compaction compaction = new Compaction(store, access.writeLock(), commits)) {
        compaction.start();
        await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> usedPercent(store) >= Compaction.WANTED_FILL_PERCENT);
      }
    }
    try (MVStore store = open(file)) {
      assertThat(store.<Integer, byte[]>openMap("data"))
          .containsExactlyInAnyOrderEntriesOf(expected);
    }
  }

  private static int usedPercent(MVStore store) {
    return store.getFileStore().getChunksFillRate();
  }

  private static MVStore open(String file) {
    MVStore store = new MVStore.Builder().fileName(file).autoCommitDisabled().open();
    store.setRetentionTime(0);
    store.setVersionsToKeep(0);
    return store;
  }
}
