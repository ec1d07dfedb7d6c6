package dev.carillon.ops;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class OutageLogTest {

  private final RecordedLog log = new RecordedLog();
  private final OutageLog outage = new OutageLog(log.logger, "ask");

  @Test
  void whatAServerSaysIsToldInOneLine() {
    outage.failed(new IOException("nobody is there"));
    outage.failed(new IOException("nobody is there"));
    outage.succeeded();

    assertThat(log.messages(Level.WARN))
        .containsExactly(
            "could not ask (java.io.IOException: nobody is there); trying again until it succeeds");
    assertThat(log.at(Level.WARN).get(0).getThrowableProxy()).isNull();
    assertThat(log.at(Level.DEBUG)).allMatch(event -> event.getThrowableProxy() != null);
    assertThat(log.messages(Level.INFO)).containsExactly("could ask again");
  }

  @Test
  void aFaultIsToldWithItsTrace() {
    outage.failed(new IllegalStateException("never"));

    assertThat(log.at(Level.WARN).get(0).getThrowableProxy()).isNotNull();
  }
}
