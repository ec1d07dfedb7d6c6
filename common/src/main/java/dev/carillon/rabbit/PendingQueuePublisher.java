package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import dev.carillon.task.SubTask;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Parks notices: each in a durable queue of its own that hands it to the work exchange when its
 * time to live runs out, or together with others in a slot of the wheel, as the notice says. What
 * is due already goes to the work exchange directly. Thread-safe.
 */
final class PendingQueuePublisher {

  /** How long a pending queue outlives its notice if nobody deletes it. */
  static final Duration QUEUE_MARGIN = Duration.ofMinutes(10);

  /** Longest time that the broker accepts for messages and queues. */
  static final long LONGEST_MILLIS = 315_360_000_000L;

  /** What each further notice of a batch adds to the deadline. */
  private static final Duration ALLOWANCE = Duration.ofMillis(10);

  private final ChannelPool channels;
  private final QueueRemover remover;
  private final Runnable topologyIsDamaged;
  private final Topology topology;
  private final NoticeCodec codec = new NoticeCodec();
  private final InstantSource clock;
  private final Duration lead;
  private final Duration confirmDeadline;
  private final Wheel wheel;
  private final boolean hasWheel;
  private final OwnQueueBudget budget;

  /**
   * @param topologyIsDamaged is told when a notice finds no way to a queue
   * @param budget is told of queues that are declared
   */
  PendingQueuePublisher(
      ChannelPool channels,
      QueueRemover remover,
      Topology topology,
      Runnable topologyIsDamaged,
      RabbitSettings settings,
      OwnQueueBudget budget,
      InstantSource clock) {
    this.channels = channels;
    this.remover = remover;
    this.topology = topology;
    this.topologyIsDamaged = topologyIsDamaged;
    this.clock = clock;
    this.lead = settings.lead();
    this.confirmDeadline = settings.confirmDeadline();
    this.wheel = settings.shape().wheel();
    this.hasWheel = settings.shape().hasWheel();
    this.budget = budget;
  }

  List<ParkAnswer> park(Collection<Notice> all) {
    List<Notice> notices = List.copyOf(all);
    Deadline deadline =
        Deadline.after(confirmDeadline.plus(ALLOWANCE.multipliedBy(notices.size())));
    remover.spare(notices.stream().map(Notice::queue).collect(Collectors.toSet()), deadline);
    Instant now = clock.instant();
    ParkAnswer[] answers = new ParkAnswer[notices.size()];
    List<Bunch> open = new ArrayList<>();
    for (Bunch bunch : Bunch.of(notices, this::isForWheel, wheel, now)) {
      refusal(bunch, now)
          .ifPresentOrElse(refused -> answer(answers, bunch, refused), () -> open.add(bunch));
    }
    publish(open, deadline, answers);
    return Arrays.asList(answers);
  }

  private boolean isForWheel(Notice notice) {
    return topology.isSlotQueue(notice.queue());
  }

  /** It was armed with other settings, or by another clock: it is to be armed once more. */
  private Optional<ParkAnswer> refusal(Bunch bunch, Instant now) {
    Instant runAt = bunch.first().runAt();
    if (!isForWheel(bunch.first()) || isToGoDirectly(runAt, now)) {
      return Optional.empty();
    }
    if (!hasWheel) {
      return Optional.of(new ParkAnswer.NotParked("the wheel is not used any more"));
    }
    return now.isBefore(wheel.openFrom(runAt))
        ? Optional.of(new ParkAnswer.NotParked("further away than one turn of the wheel"))
        : Optional.empty();
  }

  private boolean isToGoDirectly(Instant runAt, Instant now) {
    return !now.isBefore(wheel.leavesAt(runAt));
  }

  private void publish(List<Bunch> all, Deadline deadline, ParkAnswer[] answers) {
    List<Bunch> open = all;
    while (!open.isEmpty()) {
      List<Supplier<Posting>> postings = new ArrayList<>(open.size());
      open.forEach(bunch -> postings.add(() -> posting(bunch)));
      List<PublishAnswer> round = channels.publish(postings, deadline);
      for (int i = 0; i < round.size(); i++) {
        answer(answers, open.get(i), parkAnswer(round.get(i)));
      }
      open = dragged(open, round);
    }
  }

  private static void answer(ParkAnswer[] answers, Bunch bunch, ParkAnswer answer) {
    bunch.positions().forEach(position -> answers[position] = answer);
  }

  /**
   * The broker closes a channel for one queue that it refuses; the notices that were dragged along
   * get another try. Those are fewer each time.
   */
  private static List<Bunch> dragged(List<Bunch> tried, List<PublishAnswer> answers) {
    List<Bunch> refused = new ArrayList<>();
    List<Bunch> others = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      if (answers.get(i) instanceof PublishAnswer.Refused answer) {
        refused.add(tried.get(i));
        if (!answer.reason().contains("'" + tried.get(i).first().queue() + "'")) {
          others.add(tried.get(i));
        }
      }
    }
    return others.size() < refused.size() ? others : List.of();
  }

  private Posting posting(Bunch bunch) {
    return isForWheel(bunch.first()) ? wheelPosting(bunch) : ownPosting(bunch.first());
  }

  private Posting wheelPosting(Bunch bunch) {
    Instant now = clock.instant();
    Notice first = bunch.first();
    String name =
        "%s.%d+%d"
            .formatted(
                SubTask.idempotencyKey(first.task(), first.index()),
                first.token(),
                bunch.notices().size() - 1);
    AMQP.BasicProperties properties = properties(name, now);
    byte[] body = codec.encode(bunch.notices());
    long delay = millis(Duration.between(now, wheel.leavesAt(first.runAt())));
    if (delay <= 0) {
      return direct(first, properties, body);
    }
    return Posting.to(
        topology.wheelExchange(),
        topology.wheelRoutingKey(first.priority(), wheel.slotOf(first.runAt())),
        properties.builder().expiration(Long.toString(delay)).build(),
        body);
  }

  private Posting ownPosting(Notice notice) {
    Instant now = clock.instant();
    AMQP.BasicProperties properties = properties(notice.queue(), now);
    byte[] body = codec.encode(List.of(notice));
    long delay = millis(Duration.between(now, notice.runAt()).minus(lead));
    if (delay <= 0) {
      return direct(notice, properties, body);
    }
    long timeToLive = Math.min(delay, LONGEST_MILLIS - QUEUE_MARGIN.toMillis());
    budget.declared(notice.queue(), notice.runAt());
    return Posting.toNewQueue(
        notice.queue(),
        arguments(notice),
        properties.builder().expiration(Long.toString(timeToLive)).build(),
        body);
  }

  private Posting direct(Notice first, AMQP.BasicProperties properties, byte[] body) {
    return Posting.to(
        topology.workExchange(), topology.workRoutingKey(first.priority()), properties, body);
  }

  private static AMQP.BasicProperties properties(String messageId, Instant now) {
    return new AMQP.BasicProperties.Builder()
        .contentType(NoticeCodec.CONTENT_TYPE)
        .messageId(messageId)
        .timestamp(Date.from(now))
        .build();
  }

  /** Of the notice only: declaring a queue again with other arguments is an error. */
  private Map<String, Object> arguments(Notice notice) {
    Duration meant = Duration.between(notice.parkedAt(), notice.runAt());
    Duration life = (meant.isNegative() ? Duration.ZERO : meant).plus(QUEUE_MARGIN);
    return Map.of(
        "x-queue-type", QueueType.CLASSIC.argument(),
        "x-dead-letter-exchange", topology.workExchange(),
        "x-dead-letter-routing-key", topology.workRoutingKey(notice.priority()),
        "x-expires", millis(life));
  }

  /** Rounded up, since a notice must not come early; bounded by what the broker accepts. */
  private static long millis(Duration duration) {
    Duration longest = Duration.ofMillis(LONGEST_MILLIS);
    Duration bounded = duration.compareTo(longest) < 0 ? duration : longest;
    return bounded.plusNanos(999_999).toMillis();
  }

  private ParkAnswer parkAnswer(PublishAnswer answer) {
    if (answer instanceof PublishAnswer.Published) {
      return new ParkAnswer.Parked();
    }
    if (answer instanceof PublishAnswer.Unroutable) {
      topologyIsDamaged.run();
    }
    return new ParkAnswer.NotParked(answer.reason());
  }
}
