package dev.carillon.config;

import dev.carillon.mongo.MongoSettings;
import dev.carillon.ops.Environment;
import dev.carillon.ops.StoreClock;
import dev.carillon.rabbit.PendingShape;
import dev.carillon.rabbit.RabbitSettings;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import dev.carillon.task.Chain;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What the processes of one installation have to agree on, and what all of them have.
 *
 * @param amqpUri where the broker is; may hold a password
 * @param mongodbUri where the store is, with the name of the database; may hold a password
 * @param amqpPrefix what the names of all queues and exchanges begin with
 * @param horizon sub-tasks due later than this wait in the store
 * @param shape what notices wait in
 * @param lead how long before its time a notice is to reach a worker
 * @param chain how chains go on
 * @param retention how long finished sub-tasks that left their task's window are kept
 * @param shutdownGrace how long a process that is told to stop lets what it has begun come to its
 *     end
 * @param clockLimit by how much the clock of a process may be wrong
 */
public record CommonSettings(
    String amqpUri,
    String mongodbUri,
    String amqpPrefix,
    QueueType workQueueType,
    Duration horizon,
    PendingShape shape,
    Duration lead,
    Chain.Settings chain,
    Duration retention,
    Duration shutdownGrace,
    Duration clockLimit) {

  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_.-]{1,50}");
  private static final String RESERVED = "amq";
  private static final Duration MILLISECOND = Duration.ofMillis(1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Reads them all; {@link Environment#check} then tells whether they can be used. */
  public static CommonSettings read(Environment environment) {
    String amqpUri =
        environment.uri(
            "AMQP_URI",
            "amqp://guest:guest@localhost:5672",
            List.of("amqp", "amqps"),
            "Where RabbitMQ is");
    String mongodbUri =
        environment.uri(
            "MONGODB_URI",
            "mongodb://localhost:27017/carillon",
            List.of("mongodb", "mongodb+srv"),
            "Where MongoDB is, with the name of the database in the path");
    String amqpPrefix =
        environment.text(
            "AMQP_PREFIX",
            "carillon",
            "What the names of all queues and exchanges begin with: letters, digits and `._-`");
    if (!PREFIX.matcher(amqpPrefix).matches()) {
      environment.reject(
          "AMQP_PREFIX", "must be 1 to 50 letters, digits, dots, underscores, hyphens");
    }
    if (amqpPrefix.equals(RESERVED) || amqpPrefix.startsWith(RESERVED + ".")) {
      environment.reject(
          "AMQP_PREFIX", "must not be amq or begin with amq., which RabbitMQ keeps for itself");
    }
    QueueType workQueueType =
        environment.choice("WORK_QUEUE_TYPE", QueueType.QUORUM, "Kind of the work queue");
    Duration horizon =
        environment.duration(
            "HORIZON",
            Duration.ofHours(24),
            SECOND,
            Duration.ofDays(365),
            "Sub-tasks due later than this wait in MongoDB and get a queue of their own later");
    PendingShape shape = readShape(environment);
    Duration lead =
        environment.duration(
            "LEAD",
            Duration.ofMillis(50),
            Duration.ZERO,
            Duration.ofSeconds(30),
            "How long before its time a notice is to reach a worker, which then waits for the rest");
    if (lead.compareTo(horizon) >= 0) {
      environment.reject("LEAD", "must be shorter than HORIZON, which is " + horizon);
    }
    Chain.Settings chain = readChain(environment);
    Duration retention =
        environment.duration(
            "RETENTION",
            Duration.ofDays(30),
            Duration.ofMinutes(1),
            Duration.ofDays(3_650),
            "How long finished sub-tasks are kept after they left the window of their task");
    Duration shutdownGrace =
        environment.duration(
            "SHUTDOWN_GRACE",
            Duration.ofSeconds(20),
            Duration.ZERO,
            Duration.ofHours(1),
            "How long a process that is told to stop lets what it has begun come to its end");
    Duration clockLimit =
        environment.duration(
            "CLOCK_LIMIT",
            StoreClock.DEFAULT_LIMIT,
            MILLISECOND.multipliedBy(100),
            Duration.ofHours(1),
            "By how much a process may be wrong about MongoDB's clock before it arms, claims and"
                + " takes over nothing");
    CommonSettings settings =
        new CommonSettings(
            amqpUri,
            mongodbUri,
            amqpPrefix,
            workQueueType,
            horizon,
            shape,
            lead,
            chain,
            retention,
            shutdownGrace,
            clockLimit);
    rejectUnusable(environment, settings);
    return settings;
  }

  private static void rejectUnusable(Environment environment, CommonSettings settings) {
    try {
      new URI(settings.amqpUri);
    } catch (URISyntaxException malformed) { // whose message would repeat the password
      environment.reject("AMQP_URI", "is not a URI: " + malformed.getReason());
    }
    try {
      settings.mongodb("unused");
    } catch (IllegalArgumentException unusable) {
      environment.reject("MONGODB_URI", unusable.getMessage());
    }
  }

  /**
   * How to use the broker.
   *
   * @param process shown by the broker as the name of the connections
   */
  public RabbitSettings rabbit(String process) {
    return RabbitSettings.of(URI.create(amqpUri), process)
        .withPrefix(amqpPrefix)
        .withWorkQueueType(workQueueType)
        .withLead(lead)
        .withHorizon(horizon)
        .withShape(shape);
  }

  /**
   * How to use the store.
   *
   * @param process shown by the store as the name of the application
   */
  public MongoSettings mongodb(String process) {
    return new MongoSettings(mongodbUri, process, MongoSettings.DEFAULT_TIMEOUT, retention);
  }

  private static PendingShape readShape(Environment environment) {
    PendingShape standard = PendingShape.DEFAULT;
    return new PendingShape(
        environment.choice(
            "PENDING_QUEUES",
            standard.mode(),
            "Where messages wait: each in a queue of its own (`own`), together with others in the"
                + " slots of a wheel (`wheel`), or in own queues while there are few (`auto`)"),
        environment.wholeNumber(
            "OWN_QUEUES",
            standard.ownAlive(),
            0,
            100_000,
            "With `auto`, how many own queues there may be at a time, over all processes; beyond it the"
                + " wheel is used"),
        environment.wholeNumber(
            "OWN_QUEUES_PER_SECOND",
            standard.ownPerSecond(),
            0,
            10_000,
            "With `auto`, how many own queues a process may declare in a second"),
        environment.wholeNumber(
            "WHEEL_SLOTS",
            standard.slots(),
            PendingShape.FEWEST_SLOTS,
            PendingShape.MOST_SLOTS,
            "How many slots the wheel has; sub-tasks wait in MongoDB until they are less than one"
                + " turn away"),
        environment.duration(
            "WHEEL_SLOT",
            standard.slot(),
            PendingShape.SHORTEST_SLOT,
            PendingShape.LONGEST_SLOT,
            "How much time a slot stands for; workers hold messages for up to a second more"));
  }

  private static Chain.Settings readChain(Environment environment) {
    Chain.Settings standard = Chain.Settings.DEFAULT;
    return new Chain.Settings(
        environment.duration(
            "GRACE",
            standard.grace(),
            MILLISECOND.multipliedBy(100),
            Duration.ofHours(1),
            "How long after its time a parked sub-task may show no sign of life before it is parked"
                + " again"),
        environment.wholeNumber(
            "GENERATED_AHEAD",
            standard.generatedAhead(),
            1,
            1_000,
            "How many sub-tasks are generated ahead; tasks with no more show all of theirs"),
        environment.wholeNumber(
            "KEPT_FINISHED",
            standard.keptFinished(),
            0,
            1_000,
            "How many finished sub-tasks at least stay in the window of a longer task"),
        environment.wholeNumber(
            "LOST_WORKERS_LIMIT",
            standard.lostWorkersLimit(),
            1,
            1_000,
            "After how many lost workers a sub-task is given up"));
  }

  /** Without the addresses, which may hold passwords. */
  @Override
  public String toString() {
    return "CommonSettings[amqpPrefix=" + amqpPrefix + "]";
  }
}
