package dev.carillon.store;

import java.time.InstantSource;
import org.junit.jupiter.api.Nested;

/** The store of the simulation keeps the contract of a real one. */
final class MemoryTaskStoreTest {

  private static TaskStore newStore() {
    return new MemoryTaskStore(InstantSource.system());
  }

  @Nested
  final class Claims extends ClaimContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }

  @Nested
  final class Exchanges extends ExchangeContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }

  @Nested
  final class Batches extends BatchContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }

  @Nested
  final class Keys extends KeyContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }

  @Nested
  final class ConcurrencyKeys extends PermitContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }

  @Nested
  final class Leases extends LeaseContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }

  @Nested
  final class Listings extends ListingContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }

  @Nested
  final class Content extends ContentContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }

  @Nested
  final class RandomSteps extends RandomStepsContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }

  @Nested
  final class ExtraRuns extends ExtraRunsContract {
    @Override
    protected TaskStore open() {
      return newStore();
    }
  }
}
