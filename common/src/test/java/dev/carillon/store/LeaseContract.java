package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.task.Claim;
import dev.carillon.task.Lease;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a store does with leases and with what is overdue. */
public abstract class LeaseContract extends StoreContract {

  @Test
  void extendingMovesTheEndOfTheLeaseAndNothingElse() {
    Task task = started(inserted());
    Instant until = task.wakeAt().orElseThrow().plusSeconds(10);

    assertThat(store.extend(List.of(claimOf(task)), until)).containsExactly(true);

    Task extended = stored(task);
    assertThat(extended.leases()).containsExactly(task.leases().get(0).extended(until));
    assertThat(extended).usingRecursiveComparison().ignoringFields("leases").isEqualTo(task);
  }

  @Test
  void extendingCanBeRepeated() {
    Task task = started(inserted());
    Instant until = task.wakeAt().orElseThrow().plusSeconds(10);

    assertThat(store.extend(List.of(claimOf(task)), until)).containsExactly(true);
    assertThat(store.extend(List.of(claimOf(task)), until)).containsExactly(true);
  }

  @Test
  void aLeaseCanBeExtendedAfterItsEndIfNobodyHasTakenOver() {
    Task task = started(inserted());
    Instant late = task.wakeAt().orElseThrow().plusSeconds(100);

    assertThat(store.extend(List.of(claimOf(task)), late)).containsExactly(true);
    assertThat(stored(task).leases()).containsExactly(task.leases().get(0).extended(late));
  }

  @Test
  void aClaimThatHasEndedIsNotExtended() {
    Task task = started(inserted());
    Task next = exchanged(task, chain.complete(task, new Outcome.Succeeded(), dueAt(task)));

    assertThat(store.extend(List.of(claimOf(task)), START.plusSeconds(900))).containsExactly(false);
    assertThat(stored(task)).isEqualTo(next);
  }

  @Test
  void aClaimThatWasTakenOverIsNotExtended() {
    Task task = started(inserted());
    Task waiting = exchanged(task, chain.wake(task, task.wakeAt().orElseThrow()));
    Task running = started(waiting);

    assertThat(store.extend(List.of(claimOf(task)), START.plusSeconds(900))).containsExactly(false);
    assertThat(stored(task)).isEqualTo(running);
  }

  @Test
  void onlyTheVeryClaimIsExtended() {
    Task task = started(inserted());
    Claim claim = claimOf(task);
    Instant until = START.plusSeconds(900);

    assertThat(
            store.extend(
                List.of(
                    new Claim(task.id(), claim.token(), claim.worker(), "another id"),
                    new Claim(task.id(), claim.token(), "another worker", claim.id()),
                    new Claim(task.id(), claim.token() + 1, claim.worker(), claim.id()),
                    new Claim(nextId(), claim.token(), claim.worker(), claim.id())),
                until))
        .containsExactly(false, false, false, false);
    assertThat(stored(task)).isEqualTo(task);
  }

  @Test
  void extendingAnswersABatchOneByOneAndInOrder() {
    List<Claim> claims = new ArrayList<>();
    List<Boolean> expected = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Task task = started(inserted());
      claims.add(claimOf(task));
      boolean ended = i % 4 == 1;
      if (ended) {
        exchanged(task, chain.complete(task, new Outcome.Succeeded(), dueAt(task)));
      }
      expected.add(!ended);
    }
    Instant until = START.plusSeconds(900);

    assertThat(store.extend(claims, until)).isEqualTo(expected);
    for (int i = 0; i < 10; i++) {
      Optional<Lease> lease = store.find(claims.get(i).task()).orElseThrow().lease(claims.get(i));
      assertThat(lease.map(Lease::until).equals(Optional.of(until))).isEqualTo(expected.get(i));
    }
    assertThat(store.extend(List.of(), until)).isEmpty();
  }

  @Test
  void theMostUrgentIsOverdueFirst() {
    Task late = inserted(Map.of("interval", "PT50S"));
    Task latest = inserted(Map.of("interval", "PT40S"));
    Task notYet = inserted(Map.of("interval", "PT300S"));
    Task running = started(inserted(Map.of("interval", "PT10S")));
    Task justNow = inserted(Map.of("interval", "PT55S"));
    Instant now = justNow.wakeAt().orElseThrow();
    assertThat(notYet.wakeAt().orElseThrow()).isAfter(now);

    assertThat(store.overdue(now, 10)).containsExactly(running, latest, late, justNow);
    assertThat(store.overdue(now, 2)).containsExactly(running, latest);
    assertThat(store.overdue(now.minusMillis(1), 10)).containsExactly(running, latest, late);
    assertThat(store.overdue(START, 10)).isEmpty();
  }

  @Test
  void whatIsOverIsNotOverdue() {
    Task canceled = inserted();
    exchanged(canceled, chain.cancel(canceled, START));
    fired(chain, inserted(Map.of("maxRuns", 1)));

    assertThat(store.overdue(START.plusSeconds(1_000_000), 10)).isEmpty();
  }

  /** Its worker may have died. */
  @Test
  void aCanceledTaskThatStillRunsIsOverdueAtTheEndOfItsLease() {
    Task running = started(inserted());
    Task canceled = exchanged(running, chain.cancel(running, dueAt(running)));

    assertThat(store.overdue(running.wakeAt().orElseThrow(), 10)).containsExactly(canceled);
  }
}
