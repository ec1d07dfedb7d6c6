package dev.carillon.rabbit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Keeps what a class logs at INFO and above. */
final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final Logger logger;
  private final Level before;

  LogCapture(Class<?> of) {
    logger = (Logger) LoggerFactory.getLogger(of);
    before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addAppender(this);
    start();
  }

  @Override
  protected void append(ILoggingEvent event) {
    events.add(event);
  }

  List<String> messages(Level level) {
    return events.stream()
        .filter(event -> event.getLevel().equals(level))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    logger.setLevel(before);
  }
}
