package dev.carillon.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.queue.GivenUp;
import dev.carillon.queue.ParkAnswer.NotParked;
import dev.carillon.queue.ParkAnswer.Parked;
import dev.carillon.queue.ParkedMessages;
import dev.carillon.queue.ParkedMessagesContract;
import dev.carillon.task.Tasks;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class InProcessParkedMessagesTest extends ParkedMessagesContract {

  private final InProcessBroker broker = new InProcessBroker(InstantSource.system());

  @Override
  protected ParkedMessages connect() {
    return broker.parkedMessages();
  }

  @AfterEach
  void closeBroker() {
    broker.close();
  }

  @Test
  void noMoreAreKeptThanAreWithinReach() {
    GivenUp givenUp = new GivenUp(Tasks.id(1), 1, "reason");
    for (int i = 0; i < ParkedMessages.REACH; i++) {
      assertThat(connect().park(givenUp)).isInstanceOf(Parked.class);
    }

    assertThat(connect().park(givenUp)).isInstanceOf(NotParked.class);

    connect().drop(connect().list(1).get(0).id());
    assertThat(connect().park(givenUp)).isInstanceOf(Parked.class);
  }
}
