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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.Document;
import org.bson.conversions.Bson;

/** Extends the leases of claims. */
final class Leases {

  private static final String CLAIM_WORKER = TaskCodec.CLAIM + "." + TaskCodec.CLAIM_WORKER;
  private static final String CLAIM_ID = TaskCodec.CLAIM + "." + TaskCodec.CLAIM_ID;

  private final MongoCollection<Document> tasks;

  Leases(MongoCollection<Document> tasks) {
    this.tasks = tasks;
  }

  List<Boolean> extend(List<Claim> claims, Instant leaseUntil) {
    Bson extension = Updates.set(TaskCodec.WAKE_AT, Date.from(leaseUntil));
    int matched =
        tasks
            .bulkWrite(
                claims.stream()
                    .map(claim -> new UpdateOneModel<Document>(filter(claim), extension))
                    .toList(),
                new BulkWriteOptions().ordered(false))
            .getMatchedCount();
    if (matched == claims.size()) {
      return Collections.nCopies(matched, true);
    }
    // a claim that has ended does not come back: one that holds now has held when it was extended
    Set<Document> holding = holding(claims);
    return claims.stream().map(claim -> holding.contains(filter(claim))).toList();
  }

  private static Document filter(Claim claim) {
    return new Document(TaskCodec.ID, claim.task().value())
        .append(TaskCodec.TOKEN, claim.token())
        .append(CLAIM_WORKER, claim.worker())
        .append(CLAIM_ID, claim.id());
  }

  /** The claims that the tasks have now, in the form of their filters. */
  private Set<Document> holding(List<Claim> claims) {
    List<String> ids = claims.stream().map(claim -> claim.task().value()).distinct().toList();
    Set<Document> holding = new HashSet<>();
    tasks
        .find(in(TaskCodec.ID, ids))
        .projection(Projections.include(TaskCodec.TOKEN, TaskCodec.CLAIM))
        .limit(ids.size())
        .batchSize(ids.size())
        .forEach(
            task ->
                holding.add(
                    new Document(TaskCodec.ID, task.get(TaskCodec.ID))
                        .append(TaskCodec.TOKEN, task.get(TaskCodec.TOKEN))
                        .append(
                            CLAIM_WORKER,
                            task.getEmbedded(
                                List.of(TaskCodec.CLAIM, TaskCodec.CLAIM_WORKER), Object.class))
                        .append(
                            CLAIM_ID,
                            task.getEmbedded(
                                List.of(TaskCodec.CLAIM, TaskCodec.CLAIM_ID), Object.class))));
    return holding;
  }
}
