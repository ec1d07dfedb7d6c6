package dev.carillon.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.store.TaskQuery;
import dev.carillon.store.UnreliableStore;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Outcome;
import dev.carillon.worker.action.ActionHandlers;
import dev.carillon.worker.action.HttpHandler;
import dev.carillon.worker.action.LogHandler;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120) // what hangs has failed
final class RehearsalTest {

  private static final Outcome UNUSED = new Outcome.Failed("not rehearsed", false);

  private final Running carillon = new Running();
  private final UnreliableStore store = new UnreliableStore(carillon.store);
  private final Rehearsal rehearsal =
      new Rehearsal(
          carillon.ports(store),
          new ActionHandlers(
              new LogHandler(),
              new HttpHandler(),
              (message, attempt) -> UNUSED,
              (code, attempt) -> UNUSED));

  @Test
  void goesThroughAFiringAndLeavesNothingBehind() {
    try (carillon) {
      assertThat(rehearsal.run()).contains(new Outcome.Succeeded());

      assertThat(store.calls(Operation.CLAIM)).isOne();
      assertThat(store.calls(Operation.EXCHANGE)).isOne();
      Optional<String> any = Optional.empty();
      assertThat(
              carillon.store.list(new TaskQuery(Optional.empty(), any, any, Optional.empty(), 10)))
          .isEmpty();
    }
  }

  @Test
  void aStoreThatIsAwayIsNoReasonNotToStart() {
    try (carillon) {
      store.goAway();

      assertThat(rehearsal.run()).isEmpty();
    }
  }
}
