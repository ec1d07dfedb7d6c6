package dev.carillon.api;

import dev.carillon.form.Problem;
import dev.carillon.ops.SparingLog;
import dev.carillon.ops.UnreliableClockException;
import dev.carillon.queue.BrokerAwayException;
import dev.carillon.queue.ParkedBusyException;
import dev.carillon.store.UnreadableTaskException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what went wrong into an answer, and logs it if it is not the sender's fault. */
final class Failures {

  private static final Logger log = LoggerFactory.getLogger(Failures.class);
  private static final String SECONDS_UNTIL_RETRY = "2";

  /**
   * Repeating the request does not help, so no 5xx, which clients and proxies repeat; what is
   * stored stands in its way, and the sender can put that right.
   */
  private static final String UNREADABLE =
      "the stored task %1$s cannot be read, and nothing of it starts: somebody has edited the"
          + " document, or a newer version has written it. Correct it in the collection tasks, or"
          + " DELETE /api/tasks/%1$s, which removes it";

  private final Predicate<RuntimeException> storeIsAway;
  private final SparingLog overload = new SparingLog(log);
  private final SparingLog slowness = new SparingLog(log);
  private final SparingLog absence = new SparingLog(log);
  private final SparingLog damage = new SparingLog(log);

  /**
   * @param storeIsAway tells a store that cannot be reached now from a fault
   */
  Failures(Predicate<RuntimeException> storeIsAway) {
    this.storeIsAway = storeIsAway;
  }

  /**
   * @param what the request, for the log
   */
  Answer answer(Throwable thrown, String what) {
    Throwable failure =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (failure instanceof RefusedException refused) {
      return refused.answer();
    }
    if (failure instanceof RejectedExecutionException) {
      overload.warn("{}: refused, since too many requests are waiting", what);
      return unavailable("too many requests are waiting");
    }
    if (failure instanceof TimeoutException) {
      slowness.warn("{}: not carried out in time; answered that it still may be", what);
      return unavailable("the request was not carried out in time; it may still be");
    }
    if (failure instanceof RuntimeException exception && storeIsAway.test(exception)) {
      absence.warn("{}: not carried out, since the store is away: {}", what, failure.toString());
      return unavailable(
          "the store cannot be reached; if this was a change, it may or may not have been made");
    }
    if (failure instanceof BrokerAwayException) {
      absence.warn("{}: not carried out, since the broker is away: {}", what, failure.toString());
      return unavailable("the broker cannot be used now; a change may or may not have been made");
    }
    if (failure instanceof ParkedBusyException) {
      overload.warn("{}: not carried out: {}", what, failure.getMessage());
      return unavailable(failure.getMessage() + "; repeat the request");
    }
    if (failure instanceof UnreadableTaskException unreadable) {
      damage.warn("{}: not carried out: {}", what, failure.getMessage());
      return Problems.answer(
          409,
          UNREADABLE.formatted(unreadable.id()),
          List.of(new Problem("document", unreadable.problems())));
    }
    if (failure instanceof UnreliableClockException) {
      absence.warn("{}: not carried out: {}", what, failure.getMessage());
      return unavailable(failure.getMessage());
    }
    String id = UUID.randomUUID().toString();
    log.error("{}: failed, answered with error id {}", what, id, failure);
    return Problems.answer(500, "something went wrong; the log has it as " + id, List.of());
  }

  private static Answer unavailable(String detail) {
    return Problems.answer(503, detail).with("Retry-After", SECONDS_UNTIL_RETRY);
  }
}
