package dev.carillon.mongo;

import dev.carillon.task.Claim;
import dev.carillon.task.Lease;
import dev.carillon.task.TaskId;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.Document;

/**
 * The claims that a task's document has, each in a field named after its token: so one of them is
 * changed without the others. The field around them is there only if there are any.
 */
final class ClaimsCodec {

  static final String CLAIMS = "claims";
  static final String WORKER = "worker";
  static final String ID = "id";
  static final String LEASE_UNTIL = "leaseUntil";
  private static final String INDEX = "index";

  /**
   * The claim of the sub-task at the cursor, for the latest arming, held until {@code wakeAt}: as
   * it was stored when a task could have only one. It is read, never written.
   */
  static final String SOLE_CLAIM = "claim";

  private static final Pattern NAME = Pattern.compile("t([0-9]{1,18})");

  private ClaimsCodec() {}

  /** The field of a claim, within {@link #CLAIMS}. */
  static String name(Claim claim) {
    return "t" + claim.token();
  }

  /** The path of a part of a claim. */
  static String path(Claim claim, String part) {
    return CLAIMS + "." + name(claim) + "." + part;
  }

  static Document encode(Lease lease) {
    return new Document(INDEX, lease.index())
        .append(WORKER, lease.claim().worker())
        .append(ID, lease.claim().id())
        .append(LEASE_UNTIL, Date.from(lease.until()));
  }

  static Document encode(List<Lease> leases) {
    Document claims = new Document();
    leases.forEach(lease -> claims.append(name(lease.claim()), encode(lease)));
    return claims;
  }

  /**
   * @throws IllegalArgumentException when the fields are not those of claims
   */
  static List<Lease> decode(TaskId task, StoredFields fields) {
    Optional<StoredFields> claims = fields.optionalObject(CLAIMS);
    if (claims.isPresent()) {
      return claims.get().names().stream()
          .map(name -> decode(task, name, claims.get().object(name)))
          .sorted(Comparator.comparing(lease -> lease.claim().token()))
          .toList();
    }
    return fields.optionalObject(SOLE_CLAIM).stream()
        .map(claim -> decodeSole(task, claim, fields))
        .toList();
  }

  private static Lease decode(TaskId task, String name, StoredFields claim) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(CLAIMS + "." + name + " is not named after a token");
    }
    long token = Long.parseLong(name.substring(1));
    return new Lease(
        claim.number(INDEX),
        new Claim(task, token, claim.text(WORKER), claim.text(ID)),
        claim.time(LEASE_UNTIL));
  }

  private static Lease decodeSole(TaskId task, StoredFields claim, StoredFields fields) {
    return new Lease(
        fields.number(TaskCodec.CURSOR),
        new Claim(task, fields.number(TaskCodec.TOKEN), claim.text(WORKER), claim.text(ID)),
        fields.time(TaskCodec.WAKE_AT));
  }
}
