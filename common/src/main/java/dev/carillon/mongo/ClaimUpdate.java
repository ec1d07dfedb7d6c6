package dev.carillon.mongo;

import dev.carillon.form.Form;
import dev.carillon.queue.Notice;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.task.Lease;
import dev.carillon.task.Overlap;
import dev.carillon.task.SubTaskStatus;
import dev.carillon.task.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bson.Document;
import org.bson.conversions.Bson;

/**
 * A claim as one conditional update: does to the stored task what {@link
 * dev.carillon.task.Chain#start} does to a task, provided that this is {@linkplain
 * dev.carillon.task.Task#isStartedByClaim all there is to do}. The arming that the notice names
 * tells everything that is needed to know about the task beforehand.
 */
final class ClaimUpdate {

  private ClaimUpdate() {}

  /** Matches while the notice's arming is the latest and nobody has claimed it. */
  static Bson filter(ClaimRequest request) {
    Notice notice = request.notice();
    return new Document(TaskCodec.ID, notice.task().value())
        .append(TaskCodec.TOKEN, notice.token())
        .append(TaskCodec.STATUS, TaskStatus.ACTIVE.name())
        .append(TaskCodec.OVERLAP, new Document("$ne", Form.word(Overlap.ALLOW)))
        .append(TaskCodec.CONCURRENCY, new Document("$exists", false))
        .append(ClaimsCodec.CLAIMS, new Document("$exists", false))
        .append(ClaimsCodec.SOLE_CLAIM, new Document("$exists", false))
        .append(TaskCodec.CURSOR, notice.index())
        // a number, in case somebody has made something else of it: then the task is not readable
        .append(TaskCodec.VERSION, new Document("$gte", 0))
        .append(TaskCodec.SUB_TASKS + "." + SubTaskCodec.INDEX, notice.index());
  }

  static Bson update(ClaimRequest request, Instant now, Instant leaseUntil) {
    Lease lease = new Lease(request.notice().index(), request.claim(), leaseUntil);
    Duration lateness = Duration.between(request.notice().runAt(), now);
    return new Document(
            "$set",
            new Document(ClaimsCodec.CLAIMS, ClaimsCodec.encode(List.of(lease)))
                .append(TaskCodec.UPDATED_AT, Date.from(now))
                .append(TaskCodec.WAKE_AT, Date.from(leaseUntil))
                .append(live(SubTaskCodec.STATUS), SubTaskStatus.RUNNING.name())
                .append(live(SubTaskCodec.ATTEMPT), request.notice().attempt())
                .append(live(SubTaskCodec.WORKER), request.worker())
                .append(live(SubTaskCodec.STARTED_AT), Date.from(now))
                .append(live(SubTaskCodec.LATENESS), lateness.toMillis()))
        .append("$inc", new Document(TaskCodec.VERSION, 1L))
        .append(
            "$unset",
            new Document(live(SubTaskCodec.QUEUE), "")
                .append(live(SubTaskCodec.PARKED_AT), "")
                .append(live(SubTaskCodec.FINISHED_AT), ""));
  }

  /** A field of the array element that the filter has found by its index. */
  private static String live(String field) {
    return TaskCodec.SUB_TASKS + ".$." + field;
  }
}
