package dev.carillon.bench.process;

import dev.carillon.bench.process.ChildProcess.Surroundings;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The servers that subjects need. Each is started when it is first asked for, and is the same for
 * all that are measured, so that all have one that is warm. Not thread-safe.
 */
public final class Servers implements AutoCloseable {

  private final Path repository;
  private final Path data;
  private final Surroundings surroundings;
  private final Optional<String> mongodbUri;
  private final List<Long> storePids;
  private final Deque<Runnable> started = new ArrayDeque<>();
  private Broker broker;
  private Store store;
  private Postgres postgres;

  /**
   * Starts nothing yet.
   *
   * @param repository where the jars of the modules are
   * @param data an empty folder
   * @param mongodbUri instead of the embedded store
   * @param storePids the processes behind it, if they are to be counted
   */
  public Servers(
      Path repository,
      Path data,
      Surroundings surroundings,
      Optional<String> mongodbUri,
      List<Long> storePids) {
    this.repository = repository;
    this.data = data;
    this.surroundings = surroundings;
    this.mongodbUri = mongodbUri;
    this.storePids = storePids;
  }

  /** The jar that the build has made of a module. */
  public Path jar(String module) {
    return repository.resolve(module).resolve("target").resolve(module + ".jar");
  }

  public Surroundings surroundings() {
    return surroundings;
  }

  public Broker broker() {
    if (broker == null) {
      broker = Broker.start();
      started.push(broker::close);
    }
    return broker;
  }

  public Store store() {
    if (store == null) {
      store =
          mongodbUri
              .map(uri -> Store.of(uri, storePids))
              .orElseGet(
                  () -> Store.embedded(jar("scheduler-dev"), data.resolve("store"), surroundings));
      started.push(store::close);
    }
    return store;
  }

  public Postgres postgres() {
    if (postgres == null) {
      postgres = Postgres.start(data.resolve("postgresql"), surroundings);
      started.push(postgres::close);
    }
    return postgres;
  }

  /** What those that have been started are. */
  public List<String> versions() {
    List<String> versions = new ArrayList<>();
    if (broker != null) {
      versions.add(broker.version());
    }
    if (store != null) {
      versions.add("store: " + store.name());
    }
    if (postgres != null) {
      versions.add(postgres.version());
    }
    return versions;
  }

  /** Stops all that were started, the last one first. */
  @Override
  public void close() {
    while (!started.isEmpty()) {
      started.pop().run();
    }
  }
}
