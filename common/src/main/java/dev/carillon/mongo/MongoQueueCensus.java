package dev.carillon.mongo;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.lte;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.ReplaceOptions;
import dev.carillon.queue.QueueCensus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import org.bson.Document;

/**
 * The census in a collection that stays small: one document for each process that may still have
 * queues. Whoever reports writes first and reads then: of two that do so at the same time at least
 * one sees the other.
 */
final class MongoQueueCensus implements QueueCensus {

  private static final String PROCESS = "_id";
  private static final String UNTIL = "until";
  private static final String QUEUES = "queues";
  private static final String NUMBER = "number";

  /** More processes than that count as so many. */
  private static final int MOST_PROCESSES = 10_000;

  private final MongoCollection<Document> processes;
  private final String process;

  /** What is on record; used by one thread at a time. */
  private Document onRecord = new Document();

  /**
   * @param name of the process, for people
   */
  MongoQueueCensus(MongoCollection<Document> processes, String name) {
    this.processes = processes;
    this.process = name + "/" + UUID.randomUUID();
  }

  @Override
  public synchronized long exchange(SortedMap<Instant, Integer> mine, Instant now) {
    put(mine, now);
    long others = 0;
    for (Document other :
        processes.find(gt(UNTIL, Date.from(now))).limit(MOST_PROCESSES).batchSize(1_000)) {
      if (!process.equals(other.getString(PROCESS))) {
        others += count(other, now);
      }
    }
    return others;
  }

  private void put(SortedMap<Instant, Integer> mine, Instant now) {
    Document report = encode(mine);
    if (report.equals(onRecord)) {
      return;
    }
    if (mine.isEmpty()) {
      processes.deleteOne(eq(PROCESS, process));
    } else {
      processes.replaceOne(eq(PROCESS, process), report, new ReplaceOptions().upsert(true));
    }
    onRecord = report;
    processes.deleteMany(lte(UNTIL, Date.from(now))); // those whose queues are all gone
  }

  private Document encode(SortedMap<Instant, Integer> mine) {
    List<Document> queues = new ArrayList<>();
    mine.forEach(
        (until, number) ->
            queues.add(new Document(UNTIL, Date.from(until)).append(NUMBER, number)));
    Document report = new Document(PROCESS, process).append(QUEUES, queues);
    return mine.isEmpty() ? report : report.append(UNTIL, Date.from(mine.lastKey()));
  }

  private static long count(Document other, Instant now) {
    return other.getList(QUEUES, Document.class, List.of()).stream()
        .filter(some -> some.getDate(UNTIL).toInstant().isAfter(now))
        .mapToLong(some -> some.getInteger(NUMBER))
        .sum();
  }
}
