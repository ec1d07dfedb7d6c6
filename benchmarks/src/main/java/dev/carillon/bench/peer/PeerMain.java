package dev.carillon.bench.peer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A process with one peer in it. Takes commands on standard input:
 *
 * <ul>
 *   <li>{@code create BATCH COUNT FIRST_DUE_MILLIS SPACING_NANOS THREADS}: one by one
 *   <li>{@code batch BATCH COUNT FIRST_DUE_MILLIS SPACING_NANOS}
 * </ul>
 *
 * The answer is the nanoseconds that it took, or {@code none} if the peer cannot do it.
 */
public final class PeerMain {

  private PeerMain() {}

  /**
   * Runs until standard input ends.
   *
   * @param arguments which peer, and how many threads run its jobs
   */
  public static void main(String[] arguments) throws Exception {
    Peer peer = open(arguments[0], Integer.parseInt(arguments[1]));
    peer.start();
    Commands.serve(
        Map.of("create", words -> create(peer, words), "batch", words -> batch(peer, words)));
    peer.stop();
    System.exit(0); // whatever threads it has left
  }

  private static Peer open(String kind, int threads) {
    Map<String, String> environment = System.getenv();
    String jdbcUrl = environment.get("JDBC_URL");
    Duration poll = Duration.parse(environment.getOrDefault("BENCH_POLL", "PT0.01S"));
    return switch (kind) {
      case "db-scheduler" -> new DbSchedulerPeer(jdbcUrl, threads, poll, false);
      case "db-scheduler-lock" -> new DbSchedulerPeer(jdbcUrl, threads, poll, true);
      case "quartz" -> new QuartzPeer(jdbcUrl, threads);
      case "jobrunr" -> new JobRunrPeer(jdbcUrl, threads);
      case "naive" ->
          new NaivePeer(environment.get("AMQP_URI"), environment.get("MONGODB_URI"), threads);
      default -> throw new IllegalArgumentException("no peer is called " + kind);
    };
  }

  private static List<Job> jobs(String[] words) {
    String batch = words[0];
    Instant first = Instant.ofEpochMilli(Long.parseLong(words[2]));
    long spacing = Long.parseLong(words[3]);
    return IntStream.range(0, Integer.parseInt(words[1]))
        .mapToObj(i -> new Job(batch, i, first.plusMillis(i * spacing / 1_000_000)))
        .toList();
  }

  private static String create(Peer peer, String[] words) throws Exception {
    List<Job> jobs = jobs(words);
    int threads = Integer.parseInt(words[4]);
    AtomicInteger next = new AtomicInteger();
    Callable<Void> creator =
        () -> {
          for (int i = next.getAndIncrement(); i < jobs.size(); i = next.getAndIncrement()) {
            peer.create(jobs.get(i));
          }
          return null;
        };
    ExecutorService creators = Executors.newFixedThreadPool(threads);
    try {
      long begin = System.nanoTime();
      List<Callable<Void>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        all.add(creator);
      }
      for (Future<Void> created : creators.invokeAll(all)) {
        created.get();
      }
      return String.valueOf(System.nanoTime() - begin);
    } finally {
      creators.shutdown();
    }
  }

  private static String batch(Peer peer, String[] words) throws Exception {
    List<Job> jobs = jobs(words);
    long begin = System.nanoTime();
    return peer.createAll(jobs) ? String.valueOf(System.nanoTime() - begin) : "none";
  }
}
