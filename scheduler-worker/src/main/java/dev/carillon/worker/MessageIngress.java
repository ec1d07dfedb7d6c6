package dev.carillon.worker;

import dev.carillon.flow.Ingress;
import dev.carillon.flow.Ports;
import dev.carillon.flow.TaskLifecycle;
import dev.carillon.mongo.MongoTaskStore;
import dev.carillon.ops.HealthState;
import dev.carillon.ops.UnreliableClockException;
import dev.carillon.rabbit.RabbitIngress;
import dev.carillon.rabbit.RabbitQueues;
import dev.carillon.rabbit.RabbitState;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Takes in messages from RabbitMQ that are to be delivered later. The store and the queues are
 * given and are not closed with it. Thread-safe.
 */
public final class MessageIngress implements AutoCloseable {

  private static final Executor SOON = CompletableFuture.delayedExecutor(3, TimeUnit.SECONDS);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final List<String> targets;
  private final RabbitIngress queues;

  /**
   * Does not connect yet.
   *
   * @param targets the exchanges that the messages are for in the end
   * @param ports whose clock throws while it cannot be relied on
   */
  public MessageIngress(List<String> targets, RabbitQueues broker, Ports ports) {
    this.targets = targets;
    SecureRandom random = new SecureRandom();
    this.queues =
        broker.ingress(
            targets,
            new Ingress(
                new TaskLifecycle(ports, random, SOON),
                ports,
                messages -> broker.messagePublisher().asOutlet(PATIENCE).publish(messages),
                random,
                MessageIngress::isEverybodys));
  }

  private static boolean isEverybodys(RuntimeException failure) {
    return failure instanceof UnreliableClockException || MongoTaskStore.isAway(failure);
  }

  /** Returns at once; the broker may come later. To be called once. */
  public void start() {
    queues.start();
  }

  /**
   * Up while messages can arrive, also for exchanges that do not exist: they are safe here,
   * somebody may declare the exchange before they are due, and a wrong name is no reason to take a
   * worker out of service. It is told all the same.
   */
  public HealthState state() {
    String all = String.join(", ", targets);
    if (!queues.isActive()) {
      return HealthState.down("takes in no messages for " + all + reason(queues.state()));
    }
    List<String> missing = queues.missingTargets();
    String warning =
        missing.isEmpty()
            ? ""
            : "RabbitMQ has no exchange "
                + String.join(", ", missing)
                + ": what is due there fails until it is declared; ";
    return HealthState.up(warning + "takes in messages for " + all);
  }

  private static String reason(RabbitState state) {
    if (state instanceof RabbitState.NotConnected not) {
      return ": " + not.reason();
    }
    return state instanceof RabbitState.Blocked blocked ? ": " + blocked.reason() : "";
  }

  /** Idempotent. */
  @Override
  public void close() {
    queues.close();
  }
}
