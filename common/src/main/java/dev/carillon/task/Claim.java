package dev.carillon.task;

import java.util.Objects;

/**
 * The right to run one attempt of a sub-task, until its lease ends.
 *
 * @param token the fencing number: of two claims of a task the later has the greater
 * @param worker who holds it
 * @param id unique to this one act of claiming, so that a worker can tell its claim from an earlier
 *     one of its own
 */
public record Claim(TaskId task, long token, String worker, String id) {

  public Claim {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(worker, "worker");
    Objects.requireNonNull(id, "id");
  }
}
