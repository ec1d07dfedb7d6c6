package dev.carillon.testkit;

import java.util.function.Supplier;

/**
 * A value that is made on first use. A failure is kept as well: what could not be started for one
 * test is not tried again for each of the following ones. Safe for use by several threads.
 */
final class OncePerJvm<T> {

  private final Supplier<T> maker;
  private T value;
  private RuntimeException failure;

  OncePerJvm(Supplier<T> maker) {
    this.maker = maker;
  }

  synchronized T get() {
    if (failure != null) {
      throw new IllegalStateException(failure.getMessage(), failure);
    }
    if (value == null) {
      try {
        value = maker.get();
      } catch (RuntimeException exception) {
        failure = exception;
        throw exception;
      }
    }
    return value;
  }
}
