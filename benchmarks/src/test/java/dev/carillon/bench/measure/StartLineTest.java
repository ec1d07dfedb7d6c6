package dev.carillon.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.read.ListAppender;
import dev.carillon.bench.peer.RunLog;
import dev.carillon.task.Action;
import dev.carillon.task.TaskId;
import dev.carillon.worker.action.ActionHandler.Attempt;
import dev.carillon.worker.action.LogHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Lines are made with the configuration that the processes have, from {@code common}. */
final class StartLineTest {

  private static final Instant DUE = Instant.parse("2027-01-04T08:00:00.120Z");

  /** The only line that the action writes, as it stands in the output of a process. */
  private static String lineOf(Runnable action, Class<?> source) {
    Logger logger = (Logger) LoggerFactory.getLogger(source);
    ListAppender<ILoggingEvent> events = new ListAppender<>();
    events.start();
    logger.addAppender(events);
    try {
      action.run();
    } finally {
      logger.detachAppender(events);
    }
    assertThat(events.list).hasSize(1);
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    ConsoleAppender<ILoggingEvent> console =
        (ConsoleAppender<ILoggingEvent>)
            context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("STDOUT");
    PatternLayoutEncoder encoder = (PatternLayoutEncoder) console.getEncoder();
    return new String(encoder.encode(events.list.get(0)), StandardCharsets.UTF_8).strip();
  }

  @Test
  void readsWhatCarillonsActionLogWrites() {
    Attempt attempt =
        new Attempt(
            new TaskId("01kbceg1c2y4k8w0r8v0mh8g5p"),
            "rate-50-3",
            Map.of(),
            7,
            1,
            DUE,
            8,
            Duration.ofMinutes(5));
    long before = System.currentTimeMillis();

    String line =
        lineOf(() -> new LogHandler().handle(new Action.Log(), attempt), LogHandler.class);

    StartLine start = StartLine.parse(line).orElseThrow();
    assertThat(start.at()).isBetween(before, System.currentTimeMillis());
    assertThat(start.batch()).isEqualTo("rate-50-3");
    assertThat(start.key()).isEqualTo("01kbceg1c2y4k8w0r8v0mh8g5p_7");
    assertThat(start.dueAt()).isEqualTo(DUE.toEpochMilli());
  }

  @Test
  void readsWhatJobsOfOthersWrite() {
    String line = lineOf(() -> RunLog.started("all-4_17", DUE), RunLog.class);

    StartLine start = StartLine.parse(line).orElseThrow();
    assertThat(start.batch()).isEqualTo("all-4");
    assertThat(start.key()).isEqualTo("all-4_17");
    assertThat(start.dueAt()).isEqualTo(DUE.toEpochMilli());
  }

  @Test
  void takesOtherLinesForWhatTheyAre() {
    List<String> others =
        List.of(
            "",
            "2027-01-04T08:00:00.123Z INFO  [main] Commands: answer ready",
            "2027-01-04T08:00:00.123Z INFO  [firing-1] Firing: task x \"name\" has finished: …",
            "\tat dev.carillon.Somewhere: \"a\": b {X-Carillon-Due-At=2027-01-04T08:00:00Z}",
            "yesterday INFO [a] B: \"a\": b_1 {X-Carillon-Due-At=2027-01-04T08:00:00Z}",
            "2027-01-04T08:00:00.123Z INFO [a] B: \"a\": b_1 {X-Carillon-Due-At=soon}");

    assertThat(others).allMatch(line -> StartLine.parse(line).isEmpty());
  }
}
