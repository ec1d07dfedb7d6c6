package dev.carillon.handler;

/**
 * Code of yours that a worker runs when a sub-task with the action {@code {"type": "handler",
 * "name": …}} is due. Workers find it with {@link java.util.ServiceLoader}: name the class in
 * {@code META-INF/services/dev.carillon.handler.TaskHandler} of a jar in the worker's folder of
 * handlers, or on its class path. It needs a public constructor without arguments.
 *
 * <p>One instance serves all sub-tasks of its name, many at a time: it must be thread-safe.
 */
public interface TaskHandler {

  /** What actions call it by; the same on every call, and unlike that of any other handler. */
  String name();

  /**
   * Does what is to be done for one attempt of a sub-task. Returning means success, and any
   * exception that the attempt has failed and is tried again as the task's retry policy says; the
   * exception's message is kept and shown, so there should be no secrets in it.
   *
   * <p>The thread is interrupted when the task's timeout is over, the worker stops or its lease is
   * lost; what does not end then keeps the worker from stopping.
   *
   * <p>A sub-task may be run more than once, when a worker dies between the effect and recording
   * it: make the effect happen once with {@link TaskRun#idempotencyKey}.
   *
   * @throws PermanentFailureException when trying again is of no use
   */
  void handle(TaskRun run) throws Exception;
}
