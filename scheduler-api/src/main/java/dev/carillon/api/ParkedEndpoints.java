package dev.carillon.api;

import dev.carillon.queue.ParkedMessage;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** What can be done over HTTP with messages that were put aside. Thread-safe. */
public final class ParkedEndpoints {

  private final ParkedMessages parked;

  public ParkedEndpoints(ParkedMessages parked) {
    this.parked = parked;
  }

  Answer list(QueryParameters parameters) {
    int limit = parameters.limit();
    parameters.check();
    return Answer.json(
        200, Map.of("items", parked.list(limit).stream().map(ParkedEndpoints::view).toList()));
  }

  Answer retry(String id) {
    return switch (parked.retry(id)) {
      case SENT_BACK -> Answer.empty(204);
      case UNKNOWN -> throw unknown(id);
      case GIVEN_UP ->
          throw new RefusedException(
              Problems.answer(
                  409,
                  "the sub-task that this is about has been recorded as FAILED and its task has"
                      + " gone on, so there is nothing to send back; create a task to have it done"
                      + " after all, or delete this message"));
    };
  }

  Answer drop(String id) {
    if (!parked.drop(id)) {
      throw unknown(id);
    }
    return Answer.empty(204);
  }

  private static RefusedException unknown(String id) {
    return new RefusedException(Problems.answer(404, "there is no parked message " + id));
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
