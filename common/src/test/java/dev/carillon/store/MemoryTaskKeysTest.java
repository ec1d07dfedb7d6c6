package dev.carillon.store;

final class MemoryTaskKeysTest extends TaskKeysContract {
  @Override
  protected TaskKeys open() {
    return new MemoryTaskKeys();
  }
}
