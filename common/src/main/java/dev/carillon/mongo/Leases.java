package dev.carillon.mongo;

import static com.mongodb.client.model.Filters.in;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import dev.carillon.task.Claim;
import java.time.Instant;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Extends the leases of claims. */
final class Leases {

  private final MongoCollection<Document> tasks;

  Leases(MongoCollection<Document> tasks) {
    this.tasks = tasks;
  }

  List<Boolean> extend(List<Claim> claims, Instant leaseUntil) {
    int matched =
        tasks
            .bulkWrite(
                claims.stream()
                    .map(
                        claim ->
                            new UpdateOneModel<Document>(
                                filter(claim), extension(claim, leaseUntil)))
                    .toList(),
                new BulkWriteOptions().ordered(false))
            .getMatchedCount();
    if (matched == claims.size()) {
      return Collections.nCopies(matched, true);
    }
    // a claim that has ended does not come back: one that holds now has held when it was extended
    Map<String, Document> held = held(claims);
    return claims.stream()
        .map(claim -> holds(claim, held.getOrDefault(claim.task().value(), new Document())))
        .toList();
  }

  private static Document filter(Claim claim) {
    return new Document(TaskCodec.ID, claim.task().value())
        .append(ClaimsCodec.path(claim, ClaimsCodec.WORKER), claim.worker())
        .append(ClaimsCodec.path(claim, ClaimsCodec.ID), claim.id());
  }

  private static Bson extension(Claim claim, Instant leaseUntil) {
    return Updates.set(ClaimsCodec.path(claim, ClaimsCodec.LEASE_UNTIL), Date.from(leaseUntil));
  }

  /** The claims that the tasks have now, by the task's id. */
  private Map<String, Document> held(List<Claim> claims) {
    List<String> ids = claims.stream().map(claim -> claim.task().value()).distinct().toList();
    Map<String, Document> held = new HashMap<>();
    tasks
        .find(in(TaskCodec.ID, ids))
        .projection(Projections.include(ClaimsCodec.CLAIMS))
        .limit(ids.size())
        .batchSize(ids.size())
        .forEach(task -> held.put(task.getString(TaskCodec.ID), task));
    return held;
  }

  private static boolean holds(Claim claim, Document task) {
    return task.get(ClaimsCodec.CLAIMS) instanceof Document claims
        && claims.get(ClaimsCodec.name(claim)) instanceof Document held
        && claim.worker().equals(held.get(ClaimsCodec.WORKER))
        && claim.id().equals(held.get(ClaimsCodec.ID));
  }
}
