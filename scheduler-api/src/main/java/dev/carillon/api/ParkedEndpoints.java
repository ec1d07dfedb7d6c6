package dev.carillon.api;

import dev.carillon.flow.SubTaskLifecycle;
import dev.carillon.queue.ParkedListing;
import dev.carillon.queue.ParkedMessage;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What can be done over HTTP with messages that were put aside. Thread-safe. */
public final class ParkedEndpoints {

  private final ParkedMessages parked;
  private final SubTaskLifecycle subTasks;

  /**
   * @param subTasks runs again what was given up
   */
  public ParkedEndpoints(ParkedMessages parked, SubTaskLifecycle subTasks) {
    this.parked = parked;
    this.subTasks = subTasks;
  }

  Answer list(QueryParameters parameters) {
    int limit = parameters.limit();
    parameters.check();
    ParkedListing listing = parked.look(limit);
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("items", listing.messages().stream().map(ParkedEndpoints::view).toList());
    view.put("total", listing.total());
    view.put("truncated", listing.others() > 0);
    view.put("truncatedBecause", listing.others() > 0 ? whyTruncated(listing, limit) : null);
    return Answer.json(200, view);
  }

  private static String whyTruncated(ParkedListing listing, int limit) {
    List<String> reasons = new ArrayList<>();
    long unlisted = listing.others() - listing.beyondReach();
    if (unlisted > 0) {
      reasons.add(unlisted + " more are left out by the limit of " + limit);
    }
    if (listing.beyondReach() > 0) {
      reasons.add(
          "%d more are not within reach, since at most %d messages and about %d MiB are looked at"
              .formatted(
                  listing.beyondReach(), ParkedMessages.REACH, ParkedMessages.REACH_BYTES >> 20));
    }
    return String.join("; ", reasons) + "; retry or delete some of these to see the others";
  }

  Answer retry(String id) {
    return switch (parked.retry(id)) {
      case SENT_BACK -> Answer.empty(204);
      case UNKNOWN -> throw unknown(id);
      case GIVEN_UP -> retryGivenUp(id);
    };
  }

  /** If the process dies before the word is taken away, all of this can be done once more. */
  private Answer retryGivenUp(String id) {
    ParkedMessage word =
        parked.list(ParkedMessages.REACH).stream()
            .filter(message -> message.id().equals(id))
            .findFirst()
            .orElseThrow(() -> unknown(id));
    TaskId task = word.task().orElseThrow(() -> goneFromStore(id));
    SubTaskLifecycle.Answer answer = subTasks.retry(task, word.index().orElseThrow());
    if (answer instanceof SubTaskLifecycle.Answer.Refused refused) {
      throw new RefusedException(
          Problems.answer(409, "task " + task + " cannot have it run again: " + refused.reason()));
    }
    if (!(answer instanceof SubTaskLifecycle.Answer.Done)) {
      throw goneFromStore(id);
    }
    parked.drop(id);
    return Answer.empty(204);
  }

  private static RefusedException goneFromStore(String id) {
    return new RefusedException(
        Problems.answer(
            409,
            "the sub-task that " + id + " is about is not stored any more; delete this message"));
  }

  Answer drop(String id) {
    if (!parked.drop(id)) {
      throw unknown(id);
    }
    return Answer.empty(204);
  }

  private static RefusedException unknown(String id) {
    return new RefusedException(
        Problems.answer(
            404,
            "there is no parked message "
                + id
                + " within reach; GET /api/parked tells whether there are others"));
  }

  private static Map<String, Object> view(ParkedMessage message) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("id", message.id());
    view.put("reason", message.reason());
    view.put("parkedAt", message.parkedAt().map(Instant::toString).orElse(null));
    view.put("exchange", message.exchange());
    view.put("routingKey", message.routingKey());
    view.put("taskId", message.task().map(TaskId::toString).orElse(null));
    view.put("index", message.index().isPresent() ? message.index().getAsLong() : null);
    view.put("bytes", message.bytes());
    view.put("preview", message.preview());
    return view;
  }
}
