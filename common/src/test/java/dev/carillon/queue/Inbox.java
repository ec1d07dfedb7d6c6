package dev.carillon.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.awaitility.Awaitility;

/** A listener that keeps what it gets. Thread-safe. */
public final class Inbox implements Consumer<Delivery> {

  /** Far more than it takes, for machines that are busy with something else. */
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A delivery and when it came. */
  public record Arrival(Delivery delivery, Instant at) {
    public Notice notice() {
      return delivery.notice();
    }
  }

  private final List<Arrival> arrivals = new CopyOnWriteArrayList<>();

  @Override
  public void accept(Delivery delivery) {
    arrivals.add(new Arrival(delivery, Instant.now()));
  }

  public List<Arrival> arrivals() {
    return List.copyOf(arrivals);
  }

  public List<Notice> notices() {
    return arrivals.stream().map(Arrival::notice).toList();
  }

  public long count(Notice notice) {
    return notices().stream().filter(notice::equals).count();
  }

  /** Waits for so many deliveries in all. */
  public List<Arrival> await(int count) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(PATIENCE)
        .until(() -> arrivals.size() >= count);
    return arrivals();
  }

  /** Waits for this notice to have come so many times. */
  public Delivery await(Notice notice, int times) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(PATIENCE)
        .until(() -> count(notice) >= times);
    return arrivals.stream()
        .map(Arrival::delivery)
        .filter(delivery -> delivery.notice().equals(notice))
        .skip(times - 1L)
        .findFirst()
        .orElseThrow();
  }

  public Delivery await(Notice notice) {
    return await(notice, 1);
  }
}
