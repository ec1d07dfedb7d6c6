package dev.carillon.mongo;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.bson.Document;

/** Adds documents whose ids are keys that may be taken. */
final class KeyInserts {

  private KeyInserts() {}

  /** For each whether its {@code _id} was not there yet, nor that of one before it. */
  static List<Boolean> insertAll(MongoCollection<Document> collection, List<Document> documents) {
    if (documents.isEmpty()) {
      return List.of();
    }
    List<Boolean> inserted = new ArrayList<>(Collections.nCopies(documents.size(), true));
    try {
      collection.insertMany(documents, new InsertManyOptions().ordered(false));
    } catch (MongoBulkWriteException failure) {
      boolean onlyThereAlready =
          failure.getWriteErrors().stream()
              .allMatch(error -> error.getCategory() == ErrorCategory.DUPLICATE_KEY);
      if (failure.getWriteConcernError() != null || !onlyThereAlready) {
        throw failure;
      }
      failure.getWriteErrors().forEach(error -> inserted.set(error.getIndex(), false));
    }
    return inserted;
  }
}
