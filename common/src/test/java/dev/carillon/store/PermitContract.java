package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.store.ClaimAnswer.Open;
import dev.carillon.store.Permits.Permit;
import dev.carillon.task.Claim;
import dev.carillon.task.Task;
import dev.carillon.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a store does with permits of concurrency keys, and with those who wait for one. */
public abstract class PermitContract extends StoreContract {

  private static final Instant END = START.plus(LEASE);
  private static final String KEY = "a.key $with {everything}";
  private static final Map<String, Object> SHARED =
      Map.of("concurrency", Map.of("key", KEY, "limit", 2));

  private Permit permit(String key, int number) {
    TaskId task = nextId();
    return new Permit(key, new Claim(task, number, "worker.1", "worker.1/" + number));
  }

  private Permit permit(int number) {
    return permit(KEY, number);
  }

  private boolean take(Permit permit, int limit, Instant now) {
    return store.take(permit, limit, now, now.plus(LEASE));
  }

  @Test
  void asManyAsTheLimitAreHeld() {
    assertThat(take(permit(1), 2, START)).isTrue();
    assertThat(take(permit(2), 2, START)).isTrue();
    assertThat(take(permit(3), 2, START)).isFalse();
    assertThat(store.held(KEY, START)).isEqualTo(2);
    assertThat(take(permit("another", 4), 1, START)).isTrue();
    assertThat(store.held("unknown", START)).isZero();
  }

  @Test
  void eachGoesByItsOwnLimit() {
    assertThat(take(permit(1), 1, START)).isTrue();
    assertThat(take(permit(2), 1, START)).isFalse();
    assertThat(take(permit(3), 3, START)).isTrue();
    assertThat(take(permit(4), 2, START)).isFalse();
    assertThat(take(permit(5), 3, START)).isTrue();
  }

  @Test
  void oneThatIsGivenBackCanBeTaken() {
    Permit first = permit(1);
    take(first, 1, START);

    store.giveBack(first);
    store.giveBack(first);
    store.giveBack(permit(9));
    store.giveBack(permit("unknown", 9));

    assertThat(store.held(KEY, START)).isZero();
    assertThat(take(permit(2), 1, START)).isTrue();
  }

  @Test
  void takingCanBeRepeatedAndExtends() {
    Permit first = permit(1);
    assertThat(take(first, 1, START)).isTrue();
    assertThat(take(first, 1, START.plusSeconds(10))).isTrue();

    assertThat(store.held(KEY, END.plusSeconds(9))).isEqualTo(1);
    assertThat(take(permit(2), 1, END.plusSeconds(9))).isFalse();
  }

  @Test
  void oneThatHasEndedMakesRoom() {
    Permit lost = permit(1);
    take(lost, 2, START);
    take(permit(2), 2, START.plusSeconds(10));

    assertThat(take(permit(3), 2, END.minusMillis(1))).isFalse();
    assertThat(store.held(KEY, END)).isEqualTo(1);
    assertThat(take(permit(4), 2, END)).isTrue();
    assertThat(store.extendPermits(List.of(lost), END.plusSeconds(60))).containsExactly(false);
    assertThat(take(permit(5), 2, END)).isFalse();
  }

  @Test
  void extendingMovesTheEndOfThoseThatAreThere() {
    Permit first = permit(1);
    Permit second = permit("another", 2);
    Permit gone = permit(3);
    take(first, 3, START);
    take(second, 3, START);
    take(gone, 3, START);
    store.giveBack(gone);

    assertThat(
            store.extendPermits(
                List.of(second, gone, first, permit("unknown", 4)), END.plusSeconds(60)))
        .containsExactly(true, false, true, false);
    assertThat(store.held(KEY, END.plusSeconds(59))).isEqualTo(1);
    assertThat(store.held("another", END.plusSeconds(59))).isEqualTo(1);
    assertThat(store.extendPermits(List.of(), END)).isEmpty();
  }

  @Test
  void neverMoreThanTheLimitAreHeldWhoeverRaces() throws Exception {
    try (Race race = new Race(8)) {
      for (int round = 0; round < 10; round++) {
        String key = "round " + round;
        Permit ended = permit(key, 1_000);
        store.take(ended, 1, START.minus(LEASE), START);
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          permits.add(permit(key, i));
        }

        List<Boolean> taken = race.run(runner -> take(permits.get(runner), 3, START));

        assertThat(taken.stream().filter(won -> won)).hasSize(3);
        assertThat(store.held(key, START)).isEqualTo(3);
      }
    }
  }

  @Test
  void keysThatNobodyUsesAreForgotten() {
    take(permit("old", 1), 1, START);
    take(permit("older", 2), 1, START.minusSeconds(10));
    take(permit("used", 3), 1, START.plusSeconds(10));

    assertThat(store.purgePermits(END, 10)).isEqualTo(1);
    assertThat(store.purgePermits(END.plusMillis(1), 10)).isEqualTo(1);
    assertThat(store.held("used", START)).isEqualTo(1);
    assertThat(take(permit("old", 4), 1, START)).isTrue();
  }

  @Test
  void whatHasAKeyIsNotStartedByItsClaimAlone() {
    Task task = inserted(SHARED);

    assertThat(claim(request(task), dueAt(task))).isEqualTo(new Open(task));
    assertThat(stored(task)).isEqualTo(task);
  }

  @Test
  void thoseWhoHaveWaitedLongestAreFirstInLine() {
    Task late = inLine(inserted(with(SHARED, "PT90S")));
    Task early = inLine(inserted(with(SHARED, "PT60S")));
    inLine(inserted(with(Map.of("concurrency", Map.of("key", "another")), "PT60S")));
    inserted(with(SHARED, "PT60S"));

    assertThat(stored(early)).isEqualTo(early);
    assertThat(early.inLineSince()).contains(START.plusSeconds(60));
    assertThat(store.inLine(KEY, 10)).containsExactly(early, late);
    assertThat(store.inLine(KEY, 1)).containsExactly(early);

    exchanged(early, chain.wake(early, START.plusSeconds(100)));
    exchanged(late, chain.cancel(late, START.plusSeconds(100)));

    assertThat(store.inLine(KEY, 10)).isEmpty();
    assertThat(stored(early).inLineSince()).isEqualTo(Optional.empty());
  }

  private static Map<String, Object> with(Map<String, Object> fields, String interval) {
    Map<String, Object> all = new java.util.HashMap<>(fields);
    all.put("interval", interval);
    return all;
  }

  private Task inLine(Task task) {
    return exchanged(task, chain.waitInLine(task, dueAt(task)));
  }
}
