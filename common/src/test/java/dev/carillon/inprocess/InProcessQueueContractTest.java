package dev.carillon.inprocess;

import dev.carillon.queue.QueueContract;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;

final class InProcessQueueContractTest extends QueueContract {

  private final InProcessBroker broker = new InProcessBroker(InstantSource.system());

  @Override
  protected Queues connect() {
    InProcessQueues queues = broker.connect();
    return new Queues(queues, queues);
  }

  @Override
  protected Duration lead() {
    return InProcessQueues.LEAD;
  }

  @Override
  protected Duration farAway() {
    return InProcessBroker.DEFAULT_HORIZON.minusSeconds(1);
  }

  @AfterEach
  void closeBroker() {
    broker.close();
  }
}
