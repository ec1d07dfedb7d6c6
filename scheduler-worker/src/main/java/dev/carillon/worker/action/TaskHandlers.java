package dev.carillon.worker.action;

import dev.carillon.handler.TaskHandler;
import dev.carillon.ops.HealthState;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handlers that a worker has: those on its class path, and those in the jars of a folder. Each
 * jar has a class loader of its own, in which it finds the JDK, the handler API and SLF4J, and
 * nothing else of the worker's: its libraries may have other versions than the worker's.
 * Thread-safe.
 */
public final class TaskHandlers implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(TaskHandlers.class);
  private static final int MOST_UNKNOWN_SHOWN = 20;

  private final Map<String, TaskHandler> handlers = new TreeMap<>();
  private final Map<String, String> origins = new TreeMap<>();
  private final List<URLClassLoader> loaders = new ArrayList<>();
  private final Set<String> unknown = new ConcurrentSkipListSet<>();
  private final AtomicLong unknownCalls = new AtomicLong();

  private TaskHandlers() {}

  /**
   * Loads all there are.
   *
   * @param folder with the jars; it need not be there
   * @throws IllegalStateException when a handler cannot be loaded, or two have the same name
   */
  public static TaskHandlers load(Path folder) {
    TaskHandlers loaded = new TaskHandlers();
    try {
      loaded.addAll(TaskHandlers.class.getClassLoader(), "the class path");
      for (Path jar : jars(folder)) {
        loaded.add(jar);
      }
      return loaded;
    } catch (RuntimeException | Error e) {
      loaded.close();
      throw e;
    }
  }

  private static List<Path> jars(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().endsWith(".jar")).sorted().toList();
    } catch (IOException e) {
      throw new IllegalStateException("the folder of handlers cannot be read: " + e, e);
    }
  }

  private void add(Path jar) {
    URL url;
    try {
      url = jar.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(jar + " cannot be loaded: " + e, e);
    }
    URLClassLoader loader =
        new URLClassLoader(
            jar.getFileName().toString(),
            new URL[] {url},
            new SharedClasses(TaskHandlers.class.getClassLoader()));
    loaders.add(loader);
    if (addAll(loader, jar.toString()) == 0) {
      throw new IllegalStateException(
          jar
              + " has no handler: META-INF/services/"
              + TaskHandler.class.getName()
              + " is missing");
    }
  }

  private int addAll(ClassLoader loader, String origin) {
    int count = 0;
    try {
      for (TaskHandler handler : ServiceLoader.load(TaskHandler.class, loader)) {
        add(handler, origin);
        count++;
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new IllegalStateException("a handler in " + origin + " cannot be loaded: " + e, e);
    }
    return count;
  }

  private void add(TaskHandler handler, String origin) {
    String name = handler.name();
    String other = origins.putIfAbsent(name, origin);
    if (other != null) {
      throw new IllegalStateException(
          "there are two handlers \"%s\", in %s and in %s".formatted(name, other, origin));
    }
    handlers.put(name, handler);
    log.info("handler \"{}\" is {} from {}", name, handler.getClass().getName(), origin);
  }

  /** The handler of this name. One that is not there is remembered, for people to see. */
  Optional<TaskHandler> find(String name) {
    TaskHandler handler = handlers.get(name);
    if (handler == null) {
      unknownCalls.incrementAndGet();
      if (unknown.size() < MOST_UNKNOWN_SHOWN) {
        unknown.add(name);
      }
    }
    return Optional.ofNullable(handler);
  }

  /** For people. */
  String names() {
    return handlers.isEmpty() ? "none" : String.join(", ", handlers.keySet());
  }

  /** How often a handler was asked for that is not there. */
  public long unknownCalls() {
    return unknownCalls.get();
  }

  /**
   * What there is, and what was asked for in vain since the start. Up all the same: one task with a
   * wrong name is no reason to take a worker out of service.
   */
  public HealthState state() {
    return HealthState.up(
        "has " + names() + (unknown.isEmpty() ? "" : "; asked for and not there: " + unknown));
  }

  /** Lets go of the jars. Handlers must not be called any more. Idempotent. */
  @Override
  public void close() {
    for (URLClassLoader loader : loaders) {
      try {
        loader.close();
      } catch (IOException e) {
        log.warn("{} could not be closed", loader.getName(), e);
      }
    }
  }

  /** What a jar sees of the worker. */
  private static final class SharedClasses extends ClassLoader {

    private final ClassLoader worker;

    SharedClasses(ClassLoader worker) {
      super(ClassLoader.getPlatformClassLoader());
      this.worker = worker;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith("dev.carillon.handler.") || name.startsWith("org.slf4j.")) {
        return worker.loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }
}
