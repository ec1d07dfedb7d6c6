package dev.carillon.ops;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;

/** A log that remembers; it has nothing to do with the log of the test run. */
final class RecordedLog {

  final Logger logger = new LoggerContext().getLogger("recorded");
  private final ListAppender<ILoggingEvent> events = new ListAppender<>();

  RecordedLog() {
    events.start();
    logger.setLevel(Level.DEBUG);
    logger.addAppender(events);
  }

  List<ILoggingEvent> at(Level level) {
    return events.list.stream().filter(event -> event.getLevel().equals(level)).toList();
  }

  List<String> messages(Level level) {
    return at(level).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
