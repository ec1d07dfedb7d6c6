package dev.carillon.mongo;

import dev.carillon.definition.RangeForm;
import dev.carillon.task.Backfill;
import dev.carillon.task.Extras;
import java.util.Date;
import java.util.Optional;
import org.bson.Document;

/** What a task has besides its window; fields that would be empty are left out. */
final class ExtrasCodec {

  static final String EXTRAS = "extras";
  private static final String RUNS = "extraRuns";
  private static final String BACKFILLS = "backfills";
  private static final String SCHEDULE = "schedule";

  private ExtrasCodec() {}

  /** All but the sub-tasks. */
  static void encodeState(Document document, Extras extras) {
    if (extras.runs() > 0) {
      document.append(RUNS, extras.runs());
    }
    if (!extras.backfills().isEmpty()) {
      document.append(BACKFILLS, extras.backfills().stream().map(ExtrasCodec::encode).toList());
    }
  }

  private static Document encode(Backfill range) {
    Document document =
        new Document("from", Date.from(range.from()))
            .append("to", Date.from(range.to()))
            .append("done", Date.from(range.done()));
    RangeForm.toStored(range).ifPresent(form -> document.append(SCHEDULE, new Document(form)));
    range.request().ifPresent(by -> document.append(RequestCodec.REQUEST, RequestCodec.encode(by)));
    return document;
  }

  static Extras decode(StoredFields fields) {
    return new Extras(
        fields.optionalNumber(RUNS).orElse(0L),
        fields.objectsIfAny(EXTRAS, SubTaskCodec::decode),
        fields.objectsIfAny(BACKFILLS, ExtrasCodec::decodeRange));
  }

  private static Backfill decodeRange(StoredFields range) {
    Backfill decoded =
        new Backfill(
            range.time("from"),
            range.time("to"),
            range.time("done"),
            Optional.empty(),
            RequestCodec.decode(range));
    return range.names().contains(SCHEDULE)
        ? RangeForm.readStored(decoded, range.document(SCHEDULE))
        : decoded;
  }
}
