package dev.carillon.dev;

import dev.carillon.config.CommonSettings;
import dev.carillon.config.ServerChecks;
import dev.carillon.inprocess.InProcessBroker;
import dev.carillon.inprocess.InProcessQueues;
import dev.carillon.ops.HealthCheck;
import dev.carillon.ops.HealthState;
import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.ops.Shutdown;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.queue.PendingQueues;
import dev.carillon.queue.WorkQueue;
import dev.carillon.rabbit.RabbitQueues;
import dev.carillon.task.Action;
import dev.carillon.task.Outcome;
import dev.carillon.worker.action.ActionHandler;
import dev.carillon.worker.action.AmqpHandler;
import java.time.InstantSource;
import java.util.Optional;

/**
 * The queues of the process: RabbitMQ's, or ones within the process.
 *
 * @param amqp how messages of users are published
 * @param broker empty for queues within the process
 */
record DevQueues(
    String description,
    PendingQueues pending,
    WorkQueue work,
    ParkedMessages parked,
    ActionHandler<Action.Amqp> amqp,
    HealthCheck check,
    Optional<RabbitQueues> broker) {

  static DevQueues onRabbitMq(
      CommonSettings settings, InstantSource clock, SchedulerMetrics metrics, Shutdown shutdown) {
    RabbitQueues queues = new RabbitQueues(settings.rabbit("carillon-dev"), clock, metrics);
    shutdown.add("queues", queues).start();
    return new DevQueues(
        "RabbitMQ at " + settings.rabbit("carillon-dev").maskedUri(),
        queues,
        queues,
        queues.parkedMessages(),
        new AmqpHandler(queues::messagePublisher),
        ServerChecks.of(queues),
        Optional.of(queues));
  }

  static DevQueues inProcess(InstantSource clock, Shutdown shutdown) {
    InProcessBroker broker = shutdown.add("queues", new InProcessBroker(clock));
    InProcessQueues queues = broker.connect();
    return new DevQueues(
        "in this process",
        queues,
        queues,
        broker.parkedMessages(),
        (action, attempt) ->
            new Outcome.Failed(
                "there is no broker: start with AMQP_URI to publish messages", false),
        () -> new HealthState(queues.isAvailable(), queues.isAvailable() ? "open" : "full"),
        Optional.empty());
  }
}
