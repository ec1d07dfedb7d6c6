package dev.carillon.mongo;

import com.mongodb.ConnectionString;
import com.mongodb.ErrorCategory;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoWriteException;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import dev.carillon.batch.Gathering;
import dev.carillon.queue.QueueCensus;
import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.SubTaskQuery;
import dev.carillon.store.TaskKeys;
import dev.carillon.store.TaskListing;
import dev.carillon.store.TaskQuery;
import dev.carillon.store.TaskStore;
import dev.carillon.store.UnreadableTaskException;
import dev.carillon.task.Claim;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.bson.Document;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store on MongoDB: collection {@code tasks} with one document a task, which is the single
 * truth about its chain; collection {@code sub_tasks}, the archive of what the tasks have left
 * behind; and collections {@code idempotency_keys}, {@code task_keys}, {@code concurrency_keys} and
 * {@code own_queues}.
 *
 * <p>Uses nothing but atomic updates of single documents, each with the {@code _id} in its filter,
 * so it runs on a single server, a replica set and a cluster sharded by {@code _id} (the archive by
 * {@code taskId}). Writes are acknowledged by a majority, from its journals. Reads come from the
 * primary and see every acknowledged write. They may see one that is not acknowledged yet, which
 * keeps them in step with the conditions of updates; should it be rolled back, a sweep comes by.
 *
 * <p>Inserts, claims and exchanges of several threads share round trips: see {@link Gathering}.
 *
 * <p>Instants are kept in whole milliseconds. Thread-safe.
 */
public final class MongoTaskStore implements TaskStore, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(MongoTaskStore.class);

  /** How many round trips of a kind may be under way while further calls gather. */
  private static final int TRIPS = 2;

  private static final int MOST_TOGETHER = 500;

  private final Duration indexRetry;
  private final MongoClient client;
  private final MongoDatabase database;
  private final MongoCollection<Document> tasks;
  private final StoreIndexes indexes;
  private final Archive archive;
  private final TaskReads reads;
  private final Claims claims;
  private final Gathering<Task, Written> inserting;
  private final Gathering<ClaimWish, ClaimAnswer> claiming;
  private final Gathering<Exchange, Written> exchanging;
  private final Leases leases;
  private final IdempotencyKeys keys;
  private final MongoPermits permits;
  private final TaskKeys taskKeys;
  private final ScheduledExecutorService background;

  private MongoTaskStore(MongoSettings settings, MongoClient client) {
    this.indexRetry = settings.timeout();
    this.client = client;
    this.database =
        client
            .getDatabase(settings.database())
            .withWriteConcern(WriteConcern.MAJORITY.withJournal(true))
            .withReadConcern(ReadConcern.LOCAL)
            .withReadPreference(ReadPreference.primary());
    this.tasks = database.getCollection("tasks");
    MongoCollection<Document> subTasks = database.getCollection("sub_tasks");
    MongoCollection<Document> keyed = database.getCollection("idempotency_keys");
    MongoCollection<Document> permitted = database.getCollection("concurrency_keys");
    this.indexes =
        new StoreIndexes(database, tasks, subTasks, keyed, permitted, settings.archiveRetention());
    this.archive = new Archive(subTasks);
    this.reads = new TaskReads(tasks);
    this.claims = new Claims(tasks);
    Exchanges exchanges = new Exchanges(tasks, archive);
    this.claiming =
        new Gathering<>(TRIPS, MOST_TOGETHER, this::claimTogether, Availability::isAway);
    this.exchanging =
        new Gathering<>(TRIPS, MOST_TOGETHER, exchanges::exchange, Availability::isAway);
    Inserts inserts = new Inserts(tasks);
    this.inserting = new Gathering<>(TRIPS, MOST_TOGETHER, inserts::insert, Availability::isAway);
    this.leases = new Leases(tasks);
    this.keys = new IdempotencyKeys(keyed);
    this.permits = new MongoPermits(permitted);
    this.taskKeys = new MongoTaskKeys(database.getCollection("task_keys"));
    this.background = Executors.newSingleThreadScheduledExecutor(MongoTaskStore::daemon);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "mongodb-indexes");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * A store that can be used at once. Does not wait for the server; each operation does, as long as
   * the settings say.
   */
  public static MongoTaskStore open(MongoSettings settings) {
    long millis = settings.timeout().toMillis();
    MongoClientSettings clientSettings =
        MongoClientSettings.builder()
            .timeout(millis, TimeUnit.MILLISECONDS)
            .applyToClusterSettings(
                cluster -> cluster.serverSelectionTimeout(millis, TimeUnit.MILLISECONDS))
            .applyToSocketSettings(
                socket ->
                    socket.connectTimeout(
                        Math.min(millis, Integer.MAX_VALUE), TimeUnit.MILLISECONDS))
            .applicationName(settings.applicationName())
            .applyConnectionString(new ConnectionString(settings.uri()))
            .build();
    return new MongoTaskStore(settings, MongoClients.create(clientSettings));
  }

  /**
   * Makes sure that the indexes are there. If the store is away, returns all the same and tries
   * again in the background until they are made: everything works without them, slowly.
   *
   * @throws RuntimeException what the server says when it refuses them
   */
  public void start() {
    try {
      indexes.ensure();
    } catch (RuntimeException failure) {
      if (!isAway(failure)) {
        throw failure;
      }
      log.warn(
          "the store is away ({}); its indexes are made when it is back", failure.getMessage());
      tryAgainLater();
    }
  }

  private void tryAgainLater() {
    var unused =
        background.schedule(
            () -> {
              try {
                indexes.ensure();
                log.info("the store is there and has its indexes");
              } catch (RuntimeException failure) {
                log.debug("the store has no indexes yet; trying again", failure);
                tryAgainLater();
              }
            },
            indexRetry.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /**
   * Whether what came out of an operation says that the store cannot be reached for the moment, so
   * that the same operation may succeed later. A write may have taken effect all the same.
   */
  public static boolean isAway(RuntimeException failure) {
    return Availability.isAway(failure);
  }

  @Override
  public boolean insert(Task task) {
    return insert(List.of(task)).get(0);
  }

  @Override
  public List<Boolean> insert(Collection<Task> added) {
    return inserting.call(List.copyOf(added)).stream().map(Written::orThrow).toList();
  }

  /**
   * Adds a document; false when its {@code _id} is there already. Even then, what is there has
   * reached a majority afterwards.
   */
  static boolean isInserted(MongoCollection<Document> collection, Document document) {
    try {
      collection.insertOne(document);
      return true;
    } catch (MongoWriteException failure) {
      if (failure.getError().getCategory() != ErrorCategory.DUPLICATE_KEY) {
        throw failure;
      }
      return false;
    }
  }

  /** The keys that publishers have chosen, in the same database. */
  public TaskKeys taskKeys() {
    return taskKeys;
  }

  @Override
  public Optional<KeyedCreation> findKeyed(String key, Instant now) {
    return keys.find(key).filter(creation -> !creation.isOver(now));
  }

  @Override
  public KeyedCreation takeKey(KeyedCreation wanted) {
    return keys.take(wanted);
  }

  @Override
  public List<KeyedCreation> takeKeys(Collection<KeyedCreation> wanted) {
    return keys.takeAll(List.copyOf(wanted));
  }

  @Override
  public List<ClaimAnswer> claim(Collection<ClaimRequest> requests, Instant now, Duration lease) {
    for (ClaimRequest request : requests) {
      if (now.isBefore(request.notice().runAt())) {
        throw new IllegalArgumentException(now + " is too early for " + request.notice());
      }
    }
    Instant start = now.truncatedTo(ChronoUnit.MILLIS);
    return claiming.call(
        requests.stream().map(request -> new ClaimWish(request, start, lease)).toList());
  }

  /** Those that go together start together: when the last of them was wished for. */
  private List<ClaimAnswer> claimTogether(List<ClaimWish> wishes) {
    Instant start = wishes.stream().map(ClaimWish::start).max(Instant::compareTo).orElseThrow();
    Duration lease = wishes.stream().map(ClaimWish::lease).max(Duration::compareTo).orElseThrow();
    return claims.claim(wishes.stream().map(ClaimWish::request).toList(), start, start.plus(lease));
  }

  private record ClaimWish(ClaimRequest request, Instant start, Duration lease) {}

  @Override
  public List<Boolean> exchange(Collection<Exchange> wanted) {
    return exchanging.call(List.copyOf(wanted)).stream().map(Written::orThrow).toList();
  }

  @Override
  public List<Boolean> extend(Collection<Claim> held, Instant leaseUntil) {
    return held.isEmpty() ? List.of() : leases.extend(List.copyOf(held), leaseUntil);
  }

  @Override
  public boolean take(Permit permit, int limit, Instant now, Instant until) {
    return permits.take(permit, limit, now, until);
  }

  @Override
  public List<Boolean> extendPermits(Collection<Permit> held, Instant until) {
    return held.isEmpty() ? List.of() : permits.extend(held, until);
  }

  @Override
  public void giveBack(Permit permit) {
    permits.giveBack(permit);
  }

  @Override
  public int held(String key, Instant now) {
    return permits.held(key, now);
  }

  @Override
  public int purgePermits(Instant endedBefore, int limit) {
    return permits.purge(endedBefore, limit);
  }

  /**
   * How many own queues there are, over all processes that use this store.
   *
   * @param process for people; need not be unlike others
   */
  public QueueCensus queueCensus(String process) {
    return new MongoQueueCensus(database.getCollection("own_queues"), process);
  }

  @Override
  public List<Task> inLine(String key, int limit) {
    return reads.inLine(key, limit);
  }

  @Override
  public List<Task> overdue(Instant now, int limit) {
    return reads.overdue(now, limit);
  }

  /**
   * {@inheritDoc}
   *
   * @throws UnreadableTaskException when the stored document is not a task
   */
  @Override
  public Optional<Task> find(TaskId id) {
    return reads.find(id);
  }

  @Override
  public boolean discardUnreadable(TaskId id) {
    return reads.discardUnreadable(id);
  }

  /**
   * {@inheritDoc}
   *
   * @throws UnreadableTaskException when a stored document is not a task
   */
  @Override
  public Map<TaskId, Task> findAll(Collection<TaskId> ids) {
    return reads.findAll(ids);
  }

  @Override
  public TaskListing listing(TaskQuery query) {
    return reads.listing(query);
  }

  @Override
  public List<SubTask> subTasks(TaskId id, SubTaskQuery query) {
    // the task first: what leaves it meanwhile is in the archive by then
    Optional<TaskReads.Here> here = reads.subTasks(id);
    if (here.isEmpty()) {
      return List.of();
    }
    List<SubTask> inTask = here.get().subTasks();
    long windowStart = here.get().windowStart();
    List<Long> extras =
        inTask.stream().map(SubTask::index).filter(index -> index < windowStart).toList();
    return Stream.concat(
            archive.find(id, query, windowStart, extras).stream(),
            inTask.stream()
                .filter(subTask -> subTask.index() >= query.fromIndex())
                .filter(subTask -> query.status().map(subTask.status()::equals).orElse(true)))
        .sorted(Comparator.comparing(SubTask::index))
        .limit(query.limit())
        .toList();
  }

  @Override
  public Optional<SubTask> findRequested(TaskId id, String key, Instant takenAfter) {
    return archive.findRequested(id, key, takenAfter);
  }

  @Override
  public int purgeArchive(Instant endedBefore, int limit) {
    return archive.purge(endedBefore, limit);
  }

  @Override
  public int purgeKeys(Instant takenBefore, int limit) {
    return keys.purge(takenBefore, limit);
  }

  @Override
  public Instant now() {
    return database.runCommand(new Document("hello", 1)).getDate("localTime").toInstant();
  }

  /** Idempotent. Operations under way are broken off. */
  @Override
  public void close() {
    background.shutdownNow();
    client.close();
  }
}
