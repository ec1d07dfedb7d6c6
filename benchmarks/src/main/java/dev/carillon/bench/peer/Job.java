package dev.carillon.bench.peer;

import java.time.Instant;

/**
 * A job that does nothing but say that it has started.
 *
 * @param batch the name that the jobs of one measurement share
 * @param index unlike that of any other job in the batch
 */
record Job(String batch, int index, Instant dueAt) {

  String key() {
    return batch + "_" + index;
  }
}
