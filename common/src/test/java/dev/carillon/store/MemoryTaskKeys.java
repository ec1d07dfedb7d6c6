package dev.carillon.store;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Keys in memory. Thread-safe. */
public final class MemoryTaskKeys implements TaskKeys {

  private final TreeMap<String, Holder> holders = new TreeMap<>();

  @Override
  public synchronized Optional<Holder> find(String key) {
    return Optional.ofNullable(holders.get(key));
  }

  @Override
  public synchronized List<Holder> takeFree(Collection<Holder> wanted) {
    wanted.forEach(holder -> holders.putIfAbsent(holder.key(), holder));
    return wanted.stream().map(holder -> holders.get(holder.key())).toList();
  }

  @Override
  public synchronized boolean pass(Holder seen, Holder wanted) {
    find(seen.key())
        .filter(now -> now.task().equals(seen.task()))
        .ifPresent(now -> holders.put(wanted.key(), wanted));
    return find(wanted.key()).filter(now -> now.task().equals(wanted.task())).isPresent();
  }

  @Override
  public synchronized void release(Holder seen) {
    find(seen.key())
        .filter(now -> now.task().equals(seen.task()))
        .ifPresent(now -> holders.remove(seen.key()));
  }

  @Override
  public synchronized List<Holder> scan(String after, int limit) {
    return holders.tailMap(after, false).values().stream().limit(limit).toList();
  }
}
