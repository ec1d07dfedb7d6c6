package dev.carillon.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

final class VirtualThreadsTest {

  private static final int FIRST_WITH_THEM = 21;

  @Test
  void theyAreUsedWhereTheJvmHasThem() throws Exception {
    Optional<ThreadFactory> factory = VirtualThreads.factory("name");

    int version = Runtime.version().feature();
    assertThat(factory.isPresent()).as("on Java %d", version).isEqualTo(version >= FIRST_WITH_THEM);
    if (factory.isPresent()) {
      CompletableFuture<Thread> ran = new CompletableFuture<>();
      Thread thread = factory.get().newThread(() -> ran.complete(Thread.currentThread()));
      thread.start();
      assertThat(ran.get()).isSameAs(thread);
      assertThat(thread.getName()).isEqualTo("name-1");
      assertThat(thread.isDaemon()).isTrue();
      assertThat(Thread.class.getMethod("isVirtual").invoke(thread)).isEqualTo(true);
    }
  }
}
