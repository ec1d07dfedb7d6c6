package dev.carillon.mongo;

import dev.carillon.store.BatchContract;
import dev.carillon.store.ClaimContract;
import dev.carillon.store.ContentContract;
import dev.carillon.store.ExchangeContract;
import dev.carillon.store.ExtraRunsContract;
import dev.carillon.store.KeyContract;
import dev.carillon.store.LeaseContract;
import dev.carillon.store.ListingContract;
import dev.carillon.store.PermitContract;
import dev.carillon.store.RandomStepsContract;
import dev.carillon.store.TaskKeys;
import dev.carillon.store.TaskKeysContract;
import dev.carillon.store.TaskStore;
import dev.carillon.testkit.TestStore;
import org.junit.jupiter.api.Nested;

/** The store on a server keeps the contract. */
final class MongoTaskStoreIT {

  private static TaskStore newStore() {
    String uri = TestStore.shared().freshDatabase();
    MongoTaskStore store = MongoTaskStore.open(MongoSettings.of(uri, "MongoTaskStoreIT"));
    store.start();
    return store;
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
  final class ChosenKeys extends TaskKeysContract {
    @Override
    protected TaskKeys open() {
      String uri = TestStore.shared().freshDatabase();
      return MongoTaskStore.open(MongoSettings.of(uri, "MongoTaskStoreIT")).taskKeys();
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
