package dev.carillon.bench.subject;

import dev.carillon.bench.process.Broker;
import dev.carillon.bench.process.Postgres;
import dev.carillon.bench.process.Store;
import dev.carillon.bench.subject.PeerSubject.Backing;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** All that can be measured side by side. */
public enum SubjectKind {
  CARILLON_OWN("carillon-own", "Carillon, own queues"),
  CARILLON_WHEEL("carillon-wheel", "Carillon, wheel"),
  CARILLON_AUTO("carillon-auto", "Carillon, auto"),
  NAIVE("naive", "the naive form of it"),
  DB_SCHEDULER_LOCK("db-scheduler-lock", "db-scheduler 16.7.1, lock-and-fetch"),
  DB_SCHEDULER("db-scheduler", "db-scheduler 16.7.1, default fetch"),
  QUARTZ("quartz", "Quartz 2.5.2, JDBC, clustered"),
  JOBRUNR("jobrunr", "JobRunr 8.7.0, free edition");

  private static final int MANY = 10_000_000;

  private final String id;
  private final String title;

  SubjectKind(String id, String title) {
    this.id = id;
    this.title = title;
  }

  /** As settings name it. */
  public String id() {
    return id;
  }

  /** As tables name it. */
  public String title() {
    return title;
  }

  /**
   * The one that settings name so.
   *
   * @throws IllegalArgumentException if there is none of that name, with those there are
   */
  public static SubjectKind of(String id) {
    return Arrays.stream(values())
        .filter(kind -> kind.id.equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no subject is called "
                        + id
                        + "; there are "
                        + Arrays.stream(values())
                            .map(SubjectKind::id)
                            .collect(Collectors.joining(", "))));
  }

  /**
   * Starts it with an empty store and returns when it takes jobs.
   *
   * @throws UnknownModeException if Carillon has no such mode
   */
  public Subject start(SubjectSettings settings) {
    return switch (this) {
      case CARILLON_OWN -> CarillonSubject.start(settings, Mode.OWN, 1);
      case CARILLON_WHEEL -> CarillonSubject.start(settings, Mode.WHEEL, 1);
      case CARILLON_AUTO -> CarillonSubject.start(settings, Mode.AUTO, 1);
      case NAIVE -> PeerSubject.start(settings, id, brokerAndStore(settings));
      default -> PeerSubject.start(settings, id, postgres(settings));
    };
  }

  private static Backing postgres(SubjectSettings settings) {
    Postgres postgres = settings.servers().postgres();
    String database = freshName();
    return new Backing(
        postgres.version(),
        Map.of("JDBC_URL", postgres.createDatabase(database)),
        Map.of("PostgreSQL", List.of(postgres.pid())),
        MANY,
        () -> postgres.dropDatabase(database));
  }

  private static Backing brokerAndStore(SubjectSettings settings) {
    Broker broker = settings.servers().broker();
    Store store = settings.servers().store();
    String vhost = broker.freshVhost();
    String database = freshName();
    return new Backing(
        store.name(),
        Map.of("AMQP_URI", vhost, "MONGODB_URI", store.database(database)),
        Map.of("RabbitMQ", broker.pids(), "store", store.pids()),
        settings.mostQueues(),
        () -> {
          broker.deleteVhost(vhost);
          store.drop(database);
        });
  }

  private static String freshName() {
    return "bench_" + UUID.randomUUID().toString().replace("-", "");
  }
}
