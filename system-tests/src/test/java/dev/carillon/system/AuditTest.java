package dev.carillon.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.definition.DefinitionReader;
import dev.carillon.form.Form;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.MisfirePolicy;
import dev.carillon.task.Outcome;
import dev.carillon.task.Overlap;
import dev.carillon.task.Parking;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The chaos tests prove nothing unless what they look out for is seen. */
final class AuditTest {

  private static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration RUN = Duration.ofMillis(100);

  private final Chain chain = new Chain(new Beforehand(), Chain.Settings.DEFAULT);
  private final List<Ledger.Entry> entries = new ArrayList<>();
  private Instant time = NOW;
  private Task task =
      chain
          .create(
              TaskId.create(NOW, new Random(1)),
              DefinitionReader.readNew(
                      Form.of(
                          new LinkedHashMap<>(
                              Map.of("name", "audited", "interval", "PT1S", "maxRuns", 2))),
                      NOW)
                  .orElseThrow(),
              NOW)
          .orElseThrow();

  /** Everything is parked at once. */
  private record Beforehand() implements Parking {

    @Override
    public Place placeFor(Arming arming, Instant now) {
      return new Place.InQueue("queue-" + arming.token(), true);
    }
  }

  private Instant due() {
    return task.live().orElseThrow().runAt();
  }

  private void start(Instant at) {
    Claim claim = new Claim(task.id(), task.token(), "worker", "claim-" + task.token());
    task = Chain.start(task, claim, at, at.plus(LEASE));
    note(at);
  }

  /** Writes the run down that the task has now. */
  private void note(Instant at) {
    SubTask live = task.live().orElseThrow();
    entries.add(
        new Ledger.Entry(
            new Receiver.Run(
                at,
                "key",
                task.id().value(),
                live.index(),
                live.attempt(),
                live.dueAt(),
                task.token()),
            at.plus(RUN)));
  }

  /** Has a run that was written down begin at another time. */
  private void move(int position, Instant at) {
    Receiver.Run run = entries.get(position).run();
    entries.set(
        position,
        new Ledger.Entry(
            new Receiver.Run(
                at,
                run.key(),
                run.taskId(),
                run.index(),
                run.attempt(),
                run.dueAt(),
                run.fencingToken()),
            at.plus(RUN)));
  }

  private void succeed(Instant at) {
    task = chain.complete(task, new Outcome.Succeeded(), at);
  }

  private void run() {
    time = due().isAfter(time) ? due() : time;
    start(time);
    time = time.plus(RUN);
    succeed(time);
  }

  private Audit audit(Fault.Effects allowed) {
    return new Audit(allowed, LEASE).of(List.of(task), entries);
  }

  @Test
  void aTaskOfWhichEverythingRanOnceIsInOrder() {
    run();
    run();
    Audit audit = audit(Fault.Effects.NONE);
    assertThat(audit.violations()).isEmpty();
    assertThat(audit.runs()).isEqualTo(2);
    assertThat(audit.repeated()).isZero();
  }

  @Test
  void aTaskThatHasNotComeToItsEndIsSeen() {
    run();
    assertThat(audit(Fault.Effects.NONE).violations())
        .anyMatch(violation -> violation.contains("is ACTIVE"));
  }

  @Test
  void aSuccessThatNobodyHasSeenIsALoss() {
    run();
    run();
    entries.remove(0);
    Audit audit = audit(Fault.Effects.NONE);
    assertThat(audit.lost()).isEqualTo(1);
    assertThat(audit.violations()).hasSize(1).allMatch(violation -> violation.contains("is lost"));
  }

  @Test
  void aRunBeforeItsTimeIsSeen() {
    run();
    run();
    move(1, entries.get(1).run().dueAt().minusMillis(1));
    Audit audit = audit(Fault.Effects.NONE);
    assertThat(audit.early()).isEqualTo(1);
    assertThat(audit.violations()).anyMatch(violation -> violation.contains("was early"));
  }

  @Test
  void anAttemptThatIsMadeTwiceIsSeen() {
    start(due());
    note(due().plusMillis(10));
    succeed(due().plus(RUN));
    run();
    assertThat(audit(Fault.Effects.LATE_FINISH_OR_HAND_BACK).violations())
        .anyMatch(violation -> violation.contains("ran more often than it was claimed"))
        .anyMatch(violation -> violation.contains("fencing tokens do not grow"));
  }

  @Test
  void aTakeOverAfterTheLeaseIsInOrder() {
    start(due());
    time = due().plus(LEASE);
    task = chain.wake(task, time);
    run();
    run();
    Audit audit = audit(Fault.Effects.TAKE_OVER);
    assertThat(audit.violations()).isEmpty();
    assertThat(audit.repeated()).isEqualTo(1);
    assertThat(audit.handedBack()).isZero();
  }

  @Test
  void aTakeOverBeforeTheEndOfTheLeaseIsSeen() {
    start(due());
    time = due().plus(LEASE);
    task = chain.wake(task, time);
    run();
    run();
    move(1, entries.get(0).at().plusMillis(200));
    assertThat(audit(Fault.Effects.TAKE_OVER).violations())
        .anyMatch(violation -> violation.contains("before the lease had ended"));
  }

  @Test
  void aHandBackIsCounted() {
    start(due());
    task = chain.complete(task, new Outcome.HandedBack(), due().plus(RUN));
    run();
    run();
    assertThat(audit(Fault.Effects.NONE).handedBack()).isEqualTo(1);
  }

  @Test
  void aSubTaskThatWasNotToBeSkippedIsSeen() {
    time = due().plusSeconds(3_600);
    task = chain.wake(task, time);
    MisfirePolicy runAll = new MisfirePolicy(MisfirePolicy.Rule.RUN_ALL, RUN);
    task = chain.edit(task, task.definition().toBuilder().misfire(runAll).build(), false, time);
    run();
    Audit audit = audit(Fault.Effects.NONE);
    assertThat(audit.skipped()).isEqualTo(1);
    assertThat(audit.violations()).anyMatch(violation -> violation.contains("was skipped"));
  }

  @Test
  void twoRunsAtATimeAreSeen() {
    run();
    run();
    Ledger.Entry first = entries.remove(0);
    entries.add(new Ledger.Entry(first.run(), first.until().plusSeconds(1)));
    assertThat(audit(Fault.Effects.NONE).violations())
        .anyMatch(violation -> violation.contains("ran twice at a time"));
  }

  @Test
  void twoRunsAtATimeAreInOrderIfTheyMayOverlap() {
    task =
        chain.edit(task, task.definition().toBuilder().overlap(Overlap.ALLOW).build(), false, time);
    run();
    run();
    Ledger.Entry first = entries.remove(0);
    entries.add(new Ledger.Entry(first.run(), first.until().plusSeconds(1)));
    assertThat(audit(Fault.Effects.NONE).violations()).isEmpty();
  }
}
