package dev.carillon.embedded;

import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.AbstractMongoBackend;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoQuery;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.h2.mvstore.MVStore;

/**
 * Carries out commands on the databases in one store: one that writes alone, those that read side
 * by side. The reply to one that writes is given when the write is durable; those that read may see
 * it a moment earlier.
 */
final class DurableBackend extends AbstractMongoBackend {

  /** That of MongoDB 4.4: newer shells and drivers refuse to talk to anything older. */
  private static final int WIRE_VERSION = 9;

  private static final Set<String> WRITING =
      Set.of(
          "insert",
          "update",
          "delete",
          "findandmodify",
          "create",
          "createindexes",
          "drop",
          "dropindexes",
          "dropdatabase",
          "renamecollection");

  private final MVStore store;
  private final ReadWriteLock access = new ReentrantReadWriteLock(true);
  private final GroupCommit commits;
  private final Compaction compaction;
  private final Map<String, MongoDatabase> opened = new ConcurrentHashMap<>();
  private final LongAdder documentsExamined = new LongAdder();

  /** Takes over the store, which is closed with this backend, or if its data cannot be read. */
  DurableBackend(MVStore store, EmbeddedMongoDb.Durability durability) {
    this.store = store;
    boolean sync = durability == EmbeddedMongoDb.Durability.FSYNC;
    this.commits = new GroupCommit(store, access.readLock(), sync);
    this.compaction = new Compaction(store, access.writeLock(), commits);
    try {
      StoredDocuments.databaseNames(store).toList().forEach(this::resolveDatabase);
    } catch (RuntimeException e) {
      store.closeImmediately();
      throw e;
    }
    compaction.start();
  }

  /** Also asked for a database that is open already, by the command that lists them. */
  @Override
  protected MongoDatabase openOrCreateDatabase(String name) {
    return opened.computeIfAbsent(
        name, absent -> new DurableDatabase(name, store, getCursorRegistry(), documentsExamined));
  }

  @Override
  public void dropDatabase(String name) {
    super.dropDatabase(name);
    opened.remove(name);
  }

  @Override
  public Document handleCommand(Channel channel, String database, String name, Document command) {
    if (name.equalsIgnoreCase("hello")) {
      return super.handleCommand(channel, database, "ismaster", command)
          .append("isWritablePrimary", true)
          .append("maxWireVersion", WIRE_VERSION);
    }
    if (name.equalsIgnoreCase("ismaster")) {
      return super.handleCommand(channel, database, name, command)
          .append("maxWireVersion", WIRE_VERSION);
    }
    if (!writes(name, command)) {
      return within(access.readLock(), () -> super.handleCommand(channel, database, name, command));
    }
    long[] write = {0};
    Document reply =
        within(
            access.writeLock(),
            () -> {
              try {
                return super.handleCommand(channel, database, name, command);
              } finally {
                write[0] = commits.countApplied(); // one that failed may have done a part
              }
            });
    commits.awaitDurable(write[0]);
    return reply;
  }

  private static boolean writes(String name, Document command) {
    String lowerCase = name.toLowerCase(Locale.ROOT);
    return WRITING.contains(lowerCase)
        || (lowerCase.equals("aggregate") && storesItsResult(command.get("pipeline")));
  }

  private static boolean storesItsResult(Object pipeline) {
    return pipeline instanceof List<?> stages
        && !stages.isEmpty()
        && stages.get(stages.size() - 1) instanceof Document last
        && (last.containsKey("$out") || last.containsKey("$merge"));
  }

  /** The form in which clients queried before MongoDB 3.6. */
  @Override
  public QueryResult handleQuery(MongoQuery query) {
    return within(access.readLock(), () -> super.handleQuery(query));
  }

  private static <T> T within(Lock lock, Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  /** Tells, as MongoDB does, how many documents the queries looked at so far. */
  @Override
  public Document getServerStatus() {
    Document status = super.getServerStatus();
    ((Document) status.get("metrics"))
        .append("queryExecutor", new Document("scannedObjects", documentsExamined.sum()));
    return status;
  }

  @Override
  public void close() {
    compaction.close();
    super.close();
    opened.clear();
    store.close();
  }
}
