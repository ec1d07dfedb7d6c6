package dev.carillon.worker;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Virtual threads, found by their names: this is compiled for Java 17, which has none. With 19 and
 * 20 they are there but refuse to be used.
 */
final class VirtualThreads {

  private static final Logger log = LoggerFactory.getLogger(VirtualThreads.class);

  private VirtualThreads() {}

  /** Makes virtual threads {@code name-1}, {@code name-2} …; empty where the JVM has none. */
  static Optional<ThreadFactory> factory(String name) {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      Method named = type.getMethod("name", String.class, long.class);
      Method factory = type.getMethod("factory");
      return Optional.of((ThreadFactory) factory.invoke(named.invoke(builder, name + "-", 1L)));
    } catch (NoSuchMethodException | ClassNotFoundException | InvocationTargetException e) {
      log.debug("this JVM has no virtual threads", e);
      return Optional.empty();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("what is public in the JDK can be called", e);
    }
  }
}
