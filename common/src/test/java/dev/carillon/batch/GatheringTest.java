package dev.carillon.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120) // what hangs has failed
final class GatheringTest {

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<List<Integer>> trips = new CopyOnWriteArrayList<>();
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  @AfterEach
  void stop() {
    mayEnd.countDown();
    threads.shutdownNow();
  }

  private List<Integer> doubled(List<Integer> wishes) {
    trips.add(wishes);
    return wishes.stream().map(wish -> 2 * wish).toList();
  }

  /** The first one stands still until the test lets it end. */
  private List<Integer> slowAtFirst(List<Integer> wishes) {
    boolean first = trips.isEmpty();
    List<Integer> answers = doubled(wishes);
    if (first) {
      try {
        mayEnd.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return answers;
  }

  private CompletableFuture<List<Integer>> calling(
      Gathering<Integer, Integer> gathering, Integer... wishes) {
    return CompletableFuture.supplyAsync(() -> gathering.call(List.of(wishes)), threads);
  }

  @Test
  void aLoneCallGoesAtOnce() {
    Gathering<Integer, Integer> gathering =
        new Gathering<>(1, 100, this::doubled, failure -> false);

    assertThat(gathering.call(List.of(1, 2))).containsExactly(2, 4);
    assertThat(gathering.call(List.of(3))).containsExactly(6);
    assertThat(gathering.call(List.of())).isEmpty();

    assertThat(trips).containsExactly(List.of(1, 2), List.of(3));
  }

  /** Callers arrive one by one, each when the one before waits. */
  private List<CompletableFuture<List<Integer>>> arrive(
      Gathering<Integer, Integer> gathering, int count) {
    List<CompletableFuture<List<Integer>>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      calls.add(calling(gathering, i));
      int waiting = i;
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> trips.size() == 1 && gathering.waiting() == waiting);
    }
    return calls;
  }

  @Test
  void whatComesMeanwhileGoesTogether() {
    Gathering<Integer, Integer> gathering =
        new Gathering<>(1, 100, this::slowAtFirst, failure -> false);
    List<CompletableFuture<List<Integer>>> calls = arrive(gathering, 5);

    mayEnd.countDown();

    for (int i = 0; i < 5; i++) {
      assertThat(calls.get(i).join()).containsExactly(2 * i);
    }
    assertThat(trips).containsExactly(List.of(0), List.of(1, 2, 3, 4));
  }

  @Test
  void noMoreGoTogetherThanMay() {
    Gathering<Integer, Integer> gathering =
        new Gathering<>(1, 2, this::slowAtFirst, failure -> false);
    List<CompletableFuture<List<Integer>>> calls = arrive(gathering, 4);

    mayEnd.countDown();

    calls.forEach(CompletableFuture::join);
    assertThat(trips).containsExactly(List.of(0), List.of(1, 2), List.of(3));
    assertThat(gathering.call(List.of(7, 8, 9))).containsExactly(14, 16, 18);
  }

  @Test
  void severalMayBeUnderWay() {
    Gathering<Integer, Integer> gathering =
        new Gathering<>(2, 100, this::slowAtFirst, failure -> false);
    CompletableFuture<List<Integer>> slow = calling(gathering, 1);
    await().atMost(Duration.ofMinutes(1)).until(() -> trips.size() == 1);

    assertThat(gathering.call(List.of(2))).containsExactly(4);

    assertThat(slow).isNotDone();
  }

  @Test
  void whatIsWrongWithOneIsNoMatterOfTheOthers() {
    Gathering<Integer, Integer> gathering =
        new Gathering<>(
            1,
            100,
            wishes -> {
              List<Integer> answers = slowAtFirst(wishes);
              if (wishes.contains(3)) {
                throw new IllegalArgumentException("not 3");
              }
              return answers;
            },
            failure -> false);
    List<CompletableFuture<List<Integer>>> calls = arrive(gathering, 5);

    mayEnd.countDown();

    for (int i : new int[] {0, 1, 2, 4}) {
      assertThat(calls.get(i).join()).containsExactly(2 * i);
    }
    assertThatThrownBy(calls.get(3)::join).hasMessageContaining("not 3");
    assertThat(trips.subList(0, 2)).containsExactly(List.of(0), List.of(1, 2, 3, 4));
    assertThat(gathering.call(List.of(5))).containsExactly(10);
  }

  @Test
  void aFailureThatIsEverybodysIsNotTriedOnceMoreByEach() {
    Gathering<Integer, Integer> gathering =
        new Gathering<>(
            1,
            100,
            wishes -> {
              slowAtFirst(wishes);
              throw new IllegalStateException("away");
            },
            IllegalStateException.class::isInstance);
    List<CompletableFuture<List<Integer>>> calls = arrive(gathering, 3);

    mayEnd.countDown();

    calls.forEach(call -> assertThatThrownBy(call::join).hasMessageContaining("away"));
    assertThat(trips).containsExactly(List.of(0), List.of(1, 2));
  }

  @Test
  void anInterruptedCallerGetsItsAnswer() {
    Gathering<Integer, Integer> gathering =
        new Gathering<>(1, 100, this::slowAtFirst, failure -> false);
    List<CompletableFuture<List<Integer>>> calls = arrive(gathering, 1);
    CompletableFuture<List<Integer>> interrupted =
        CompletableFuture.supplyAsync(
            () -> {
              Thread.currentThread().interrupt();
              List<Integer> answers = gathering.call(List.of(1));
              assertThat(Thread.interrupted()).isTrue();
              return answers;
            },
            threads);
    await().atMost(Duration.ofMinutes(1)).until(() -> gathering.waiting() == 1);

    mayEnd.countDown();

    assertThat(interrupted.join()).containsExactly(2);
    calls.get(0).join();
  }

  @Test
  void manyThreadsGetTheirOwnAnswers() {
    AtomicInteger most = new AtomicInteger();
    AtomicInteger now = new AtomicInteger();
    Gathering<Integer, Integer> gathering =
        new Gathering<>(
            2,
            50,
            wishes -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              List<Integer> answers = doubled(wishes);
              now.decrementAndGet();
              return answers;
            },
            failure -> false);

    List<CompletableFuture<Void>> all =
        IntStream.range(0, 32)
            .mapToObj(
                thread ->
                    CompletableFuture.runAsync(
                        () -> {
                          for (int i = 0; i < 500; i++) {
                            int wish = thread * 1_000 + i;
                            assertThat(gathering.call(List.of(wish, -wish)))
                                .containsExactly(2 * wish, -2 * wish);
                          }
                        },
                        threads))
            .toList();

    all.forEach(CompletableFuture::join);
    assertThat(most.get()).isLessThanOrEqualTo(2);
    assertThat(trips).allMatch(wishes -> wishes.size() <= 50);
    assertThat(trips.stream().mapToInt(List::size).sum()).isEqualTo(32 * 500 * 2);
  }
}
