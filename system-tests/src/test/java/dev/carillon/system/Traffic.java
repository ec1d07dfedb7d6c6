package dev.carillon.system;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Users who create short tasks all the time, whatever the answer. They wait for each answer, so
 * that the rate falls when the API is slow. Thread-safe.
 */
final class Traffic implements AutoCloseable {

  /**
   * What they create.
   *
   * @param perSecond tasks
   * @param runs of each
   * @param more further fields of the task, in JSON with single quotes, each after a comma
   */
  record Kind(double perSecond, int runs, String more) {}

  /** Few enough tasks that the machine is not the fault. */
  static final Kind USUAL = new Kind(4, 5, ", 'misfire': 'run-all'");

  /** What they have in turns, besides. */
  private static final List<String> VARIETY =
      List.of(
          "",
          ", 'overlap': 'allow'",
          ", 'priority': 'high'",
          ", 'overlap': 'allow', 'priority': 'low'");

  private final ApiClient api;
  private final String name;
  private final String url;
  private final Kind kind;
  private final Set<String> accepted = ConcurrentHashMap.newKeySet();
  private final List<String> wrongAnswers = new CopyOnWriteArrayList<>();
  private final AtomicReference<Duration> slowest = new AtomicReference<>(Duration.ZERO);
  private final AtomicInteger unanswered = new AtomicInteger();
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<Thread> users = new CopyOnWriteArrayList<>();

  Traffic(ApiClient api, String name, String url, Kind kind) {
    this.api = api;
    this.name = name;
    this.url = url;
    this.kind = kind;
    start(this::createAtRate);
  }

  private void start(Runnable work) {
    Thread user = new Thread(work, "user-" + users.size());
    users.add(user);
    user.start();
  }

  private void createAtRate() {
    long pause = (long) (1_000 / kind.perSecond());
    try {
      for (int i = 0; !end.await(pause, TimeUnit.MILLISECONDS); i++) {
        create(i % 3 == 2 ? 3 : 1, kind.runs(), VARIETY.get(i % VARIETY.size()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Some more users who create without a pause until one of their calls is not accepted. */
  void flood(int howMany) {
    for (int i = 0; i < howMany; i++) {
      start(
          () -> {
            boolean isAccepted = true;
            while (isAccepted && end.getCount() > 0) {
              isAccepted = create(2, 1, "");
            }
          });
    }
  }

  private boolean create(int seconds, int runs, String more) {
    String task =
        String.format(
            Locale.ROOT,
            "{'name': '%s', 'interval': 'PT%dS', 'maxRuns': %d,"
                + " 'action': {'type': 'http', 'url': '%s'}%s}",
            name,
            seconds,
            runs,
            url,
            kind.more() + more);
    long began = System.nanoTime();
    try {
      ApiClient.Answer answer = api.post("/api/tasks", task.replace('\'', '"'));
      Duration took = Duration.ofNanos(System.nanoTime() - began);
      slowest.accumulateAndGet(took, (a, b) -> a.compareTo(b) > 0 ? a : b);
      if (answer.status() == 201) {
        accepted.add(answer.body().path("id").asText());
        return true;
      }
      if (answer.status() != 503 || answer.retryAfter().isEmpty()) {
        wrongAnswers.add(answer.toString());
      }
    } catch (UncheckedIOException noAnswer) {
      // it may have been created all the same: found by its name then
    }
    unanswered.incrementAndGet();
    return false;
  }

  /** Ids of all tasks whose creation was answered with 201. */
  Set<String> accepted() {
    return Set.copyOf(accepted);
  }

  /** How many creations failed or were not answered. */
  int unanswered() {
    return unanswered.get();
  }

  /**
   * Answers that neither accept a task nor say that it may be tried again later; there must be
   * none.
   */
  List<String> wrongAnswers() {
    return List.copyOf(wrongAnswers);
  }

  /** How long the slowest answer took, of those that came. */
  Duration slowest() {
    return slowest.get();
  }

  /** Lets the last answers come in. */
  @Override
  public void close() {
    end.countDown();
    for (Thread user : users) {
      try {
        user.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
