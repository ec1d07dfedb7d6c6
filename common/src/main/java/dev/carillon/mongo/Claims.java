package dev.carillon.mongo;

import static com.mongodb.client.model.Filters.in;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOneModel;
import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.ClaimAnswer.Gone;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.store.UnreadableTaskException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bson.Document;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes claims: one update for each, then a look at what the tasks are now. The id of a claim found
 * in its task says that it was won, be it by this try or by an earlier one whose reply got lost.
 */
final class Claims {

  private static final Logger log = LoggerFactory.getLogger(Claims.class);
  private static final int TRIES = 3;

  private final MongoCollection<Document> tasks;

  Claims(MongoCollection<Document> tasks) {
    this.tasks = tasks;
  }

  List<ClaimAnswer> claim(List<ClaimRequest> requests, Instant now, Instant leaseUntil) {
    ClaimAnswer[] answers = new ClaimAnswer[requests.size()];
    List<Integer> open = IntStream.range(0, answers.length).boxed().toList();
    for (int tries = 0; tries < TRIES && !open.isEmpty(); tries++) {
      Map<String, Document> found =
          write(open.stream().map(requests::get).toList(), now, leaseUntil);
      List<Integer> undecided = new ArrayList<>();
      for (int i : open) {
        ClaimRequest request = requests.get(i);
        Document document = found.get(request.notice().task().value());
        answer(request, document)
            .ifPresentOrElse(answer -> answers[i] = answer, () -> undecided.add(i));
      }
      open = undecided;
    }
    for (int i : open) {
      log.error(
          "{} does not fit its task, which is damaged; it is dropped", requests.get(i).notice());
      answers[i] = new Gone();
    }
    return Arrays.asList(answers);
  }

  /** Tries to claim; gives the tasks as they are afterwards, by id. */
  private Map<String, Document> write(
      List<ClaimRequest> requests, Instant now, Instant leaseUntil) {
    if (requests.size() == 1) {
      ClaimRequest request = requests.get(0);
      Document claimed =
          tasks.findOneAndUpdate(
              ClaimUpdate.filter(request),
              ClaimUpdate.update(request, now, leaseUntil),
              new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER));
      return claimed == null ? read(requests) : Map.of(claimed.getString(TaskCodec.ID), claimed);
    }
    tasks.bulkWrite(
        requests.stream()
            .map(
                request ->
                    new UpdateOneModel<Document>(
                        ClaimUpdate.filter(request), ClaimUpdate.update(request, now, leaseUntil)))
            .toList(),
        new BulkWriteOptions().ordered(false));
    return read(requests);
  }

  private Map<String, Document> read(List<ClaimRequest> requests) {
    List<String> ids = requests.stream().map(request -> request.notice().task().value()).toList();
    Map<String, Document> found = new HashMap<>();
    tasks
        .find(in(TaskCodec.ID, ids))
        .batchSize(ids.size())
        .limit(ids.size())
        .forEach(document -> found.put(document.getString(TaskCodec.ID), document));
    return found;
  }

  /** Empty when nothing stood in the way of a claim that was not won all the same. */
  private static Optional<ClaimAnswer> answer(ClaimRequest request, Document document) {
    try {
      return ClaimAnswer.beforeClaim(request, Optional.ofNullable(document).map(TaskCodec::decode));
    } catch (UnreadableTaskException unreadable) {
      log.error("{} is dropped: {}", request.notice(), unreadable.getMessage());
      return Optional.of(new Gone());
    }
  }
}
