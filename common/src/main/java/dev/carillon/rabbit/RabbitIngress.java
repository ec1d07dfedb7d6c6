package dev.carillon.rabbit;

import dev.carillon.queue.IncomingMessages;
import java.util.List;

/**
 * Where publishers send messages that are to be delivered later: for each target exchange an
 * exchange and a queue of the same name. Messages keep their routing keys, which mean nothing here.
 *
 * <p>Of all processes that take messages from a queue, one at a time gets them, in their order, so
 * that a message which cancels another does not overtake it. Thread-safe.
 */
public final class RabbitIngress implements AutoCloseable {

  /**
   * How often the broker delivers a message before it puts it aside. What the store refuses is kept
   * by the consumer, so a message is delivered again only when a connection or a worker has gone.
   */
  static final int DELIVERY_LIMIT = 50;

  private final RabbitConnection connection;
  private final List<IngressConsumer> consumers;
  private final TargetExchanges targetExchanges;

  /**
   * Does not connect yet.
   *
   * @param aside where messages are put that nobody can deal with
   */
  RabbitIngress(
      RabbitSettings settings,
      Topology topology,
      Aside aside,
      List<String> targets,
      IncomingMessages taker) {
    this.connection = new RabbitConnection(settings, "ingress");
    this.consumers =
        targets.stream()
            .map(
                target ->
                    new IngressConsumer(connection, target, topology.ingress(target), taker, aside))
            .toList();
    connection.add(
        new IngressTopology(topology, consumers.stream().map(IngressConsumer::queue).toList()));
    consumers.forEach(connection::add);
    this.targetExchanges = new TargetExchanges(targets, System::nanoTime);
    connection.add(targetExchanges);
  }

  /** Begins to connect, in the background, and takes messages from then on. To be called once. */
  public void start() {
    consumers.forEach(IngressConsumer::start);
    connection.start();
  }

  /** Whether messages can arrive from all of the queues, be it here or at another process. */
  public boolean isActive() {
    return consumers.stream().allMatch(IngressConsumer::isActive);
  }

  /**
   * The target exchanges that the broker has not got, as of some seconds ago at most while it can
   * be asked. Messages for them arrive all the same. May wait for the broker.
   */
  public List<String> missingTargets() {
    return targetExchanges.missing();
  }

  /** Why messages cannot arrive, as far as the connection knows. */
  public RabbitState state() {
    return connection.state();
  }

  /**
   * Lets what is being taken in come to its end for a moment, and disconnects. What was not taken
   * in goes to others. Idempotent.
   */
  @Override
  public void close() {
    consumers.forEach(IngressConsumer::close);
    connection.close();
  }
}
