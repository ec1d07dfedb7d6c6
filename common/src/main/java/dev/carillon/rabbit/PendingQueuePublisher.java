package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import dev.carillon.queue.Notice;
import dev.carillon.queue.ParkAnswer;
import dev.carillon.rabbit.RabbitSettings.QueueType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Parks notices, each in a durable queue of its own that hands it to the work exchange when its
 * time to live runs out. One that is due already goes there directly. Thread-safe.
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

  /**
   * @param topologyIsDamaged is told when a notice finds no way to a queue
   */
  PendingQueuePublisher(
      ChannelPool channels,
      QueueRemover remover,
      Topology topology,
      Runnable topologyIsDamaged,
      RabbitSettings settings,
      InstantSource clock) {
    this.channels = channels;
    this.remover = remover;
    this.topology = topology;
    this.topologyIsDamaged = topologyIsDamaged;
    this.clock = clock;
    this.lead = settings.lead();
    this.confirmDeadline = settings.confirmDeadline();
  }

  List<ParkAnswer> park(Collection<Notice> all) {
    List<Notice> notices = List.copyOf(all);
    Deadline deadline =
        Deadline.after(confirmDeadline.plus(ALLOWANCE.multipliedBy(notices.size())));
    remover.spare(notices.stream().map(Notice::queue).collect(Collectors.toSet()), deadline);
    PublishAnswer[] answers = new PublishAnswer[notices.size()];
    List<Integer> open = IntStream.range(0, answers.length).boxed().toList();
    while (!open.isEmpty()) {
      List<Supplier<Posting>> postings = new ArrayList<>(open.size());
      open.forEach(i -> postings.add(() -> posting(notices.get(i))));
      List<PublishAnswer> round = channels.publish(postings, deadline);
      for (int i = 0; i < round.size(); i++) {
        answers[open.get(i)] = round.get(i);
      }
      open = dragged(open, notices, answers);
    }
    return Arrays.stream(answers).map(this::parkAnswer).toList();
  }

  /**
   * The broker closes a channel for one queue that it refuses; the notices that were dragged along
   * get another try. Those are fewer each time.
   */
  private static List<Integer> dragged(
      List<Integer> tried, List<Notice> notices, PublishAnswer[] answers) {
    List<Integer> refused =
        tried.stream().filter(i -> answers[i] instanceof PublishAnswer.Refused).toList();
    List<Integer> others =
        refused.stream().filter(i -> !isMeant(notices.get(i), answers[i])).toList();
    return others.size() < refused.size() ? others : List.of();
  }

  private static boolean isMeant(Notice notice, PublishAnswer answer) {
    return answer instanceof PublishAnswer.Refused refused
        && refused.reason().contains("'" + notice.queue() + "'");
  }

  private Posting posting(Notice notice) {
    Instant now = clock.instant();
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .contentType(NoticeCodec.CONTENT_TYPE)
            .messageId(notice.queue())
            .timestamp(Date.from(now))
            .build();
    byte[] body = codec.encode(notice);
    long delay = millis(Duration.between(now, notice.runAt()).minus(lead));
    if (delay <= 0) {
      return Posting.to(topology.workExchange(), topology.workRoutingKey(), properties, body);
    }
    long timeToLive = Math.min(delay, LONGEST_MILLIS - QUEUE_MARGIN.toMillis());
    return Posting.toNewQueue(
        notice.queue(),
        arguments(notice),
        properties.builder().expiration(Long.toString(timeToLive)).build(),
        body);
  }

  /** Of the notice only: declaring a queue again with other arguments is an error. */
  private Map<String, Object> arguments(Notice notice) {
    Duration meant = Duration.between(notice.parkedAt(), notice.runAt());
    Duration life = (meant.isNegative() ? Duration.ZERO : meant).plus(QUEUE_MARGIN);
    return Map.of(
        "x-queue-type", QueueType.CLASSIC.argument(),
        "x-dead-letter-exchange", topology.workExchange(),
        "x-dead-letter-routing-key", topology.workRoutingKey(),
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
