package example.orders;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The orders of the shop; a real one has them in its database. Thread-safe. */
public final class Orders {

  /** What has become of an order. */
  public enum Status {
    OPEN,
    PAID,
    CLOSED
  }

  private final Map<String, Status> orders = new ConcurrentHashMap<>();

  /** Adds an order; nothing happens if it is there already. */
  public void open(String order) {
    orders.putIfAbsent(order, Status.OPEN);
  }

  /** Whether the order was open and is paid now. */
  public boolean pay(String order) {
    return orders.replace(order, Status.OPEN, Status.PAID);
  }

  /** Whether the order was open and is closed now: one that was paid stays paid. */
  public boolean close(String order) {
    return orders.replace(order, Status.OPEN, Status.CLOSED);
  }

  /** Empty when there is no such order. */
  public Optional<Status> status(String order) {
    return Optional.ofNullable(orders.get(order));
  }
}
