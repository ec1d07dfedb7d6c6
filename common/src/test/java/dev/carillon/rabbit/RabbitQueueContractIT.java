package dev.carillon.rabbit;

import static org.awaitility.Awaitility.await;

import dev.carillon.ops.SchedulerMetrics;
import dev.carillon.queue.Inbox;
import dev.carillon.queue.QueueContract;
import dev.carillon.rabbit.PendingShape.Mode;
import dev.carillon.testkit.TestBroker;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;

/** With own queues. */
class RabbitQueueContractIT extends QueueContract {

  private static URI uri;

  /** Each test has queues of its own. */
  private final String prefix = "test-" + UUID.randomUUID();

  @BeforeAll
  static void findBroker() {
    uri = URI.create(TestBroker.shared().freshVhost());
  }

  PendingShape shape() {
    return PendingShape.DEFAULT.withMode(Mode.OWN);
  }

  @Override
  protected Queues connect() {
    RabbitSettings settings =
        RabbitSettings.of(uri, "carillon contract").withPrefix(prefix).withShape(shape());
    RabbitQueues queues = new RabbitQueues(settings, InstantSource.system(), SchedulerMetrics.NONE);
    queues.start();
    await().atMost(Inbox.PATIENCE).until(queues::isAvailable);
    return new Queues(queues, queues);
  }

  @Override
  protected Duration lead() {
    return RabbitSettings.DEFAULT_LEAD;
  }
}
