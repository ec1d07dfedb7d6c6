package dev.carillon.flow;

import dev.carillon.definition.DefinitionReader;
import dev.carillon.task.Action;
import dev.carillon.task.Bytes;
import dev.carillon.task.MessageProperty;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The headers by which a publisher says what is to become of a message. What cannot be read is not
 * guessed: the message would go out at a time that nobody has meant. Pure.
 */
final class MessageHeaders {

  static final String DELAY = "x-delay";
  static final String DELIVER_AT = "x-deliver-at";
  static final String SCHEDULE = "x-carillon-schedule";
  static final String KEY = "x-carillon-key";
  static final String CANCEL = "x-carillon-cancel";

  /** These, and what the broker writes on messages that it delivers again. */
  private static final List<String> NOT_FOR_THE_RECEIVER =
      List.of(DELAY, DELIVER_AT, SCHEDULE, KEY, CANCEL, "x-delivery-count", "x-acquired-count");

  private static final String NO_DELAY =
      DELAY + " must be a whole number of milliseconds from 0 on, and is ";

  /** Of milliseconds that can be added to an instant. */
  private static final int MOST_DIGITS = 15;

  private static final List<String> TIMES = List.of(DELAY, DELIVER_AT, SCHEDULE);

  private static final Action.Amqp NOTHING =
      new Action.Amqp("", "", Map.of(), Map.of(), Optional.empty(), true);

  /** So that every due time can be written in the usual way. */
  private static final Instant FARTHEST = Instant.parse("9999-12-31T00:00:00Z");

  /** Three quarters of the largest document there may be. */
  static final int MOST_BODY_CHARACTERS = 12 * 1024 * 1024;

  private MessageHeaders() {}

  /** Something in a message makes no sense. */
  private static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1;

    Unreadable(String reason) {
      super(reason);
    }
  }

  static MessageWish read(Action.Amqp message, Instant now) {
    try {
      return readOrThrow(message, now);
    } catch (Unreadable e) {
      return new MessageWish.Unreadable(e.getMessage());
    }
  }

  private static MessageWish readOrThrow(Action.Amqp message, Instant now) throws Unreadable {
    Map<String, Object> headers = message.headers();
    Optional<String> key = key(headers.get(KEY));
    Optional<String> messageId =
        Optional.ofNullable(message.properties().get(MessageProperty.MESSAGE_ID));
    if (cancels(headers.get(CANCEL))) {
      return new MessageWish.Cancel(
          key.orElseThrow(() -> new Unreadable(CANCEL + " needs the header " + KEY)), messageId);
    }
    DueTime due = due(headers, now);
    boolean comesAgain = due instanceof DueTime.Recurring;
    return new MessageWish.Deliver(forTheReceiver(message, comesAgain), due, key, messageId);
  }

  /**
   * Why a message cannot be kept until it is due: the store must be able to read it again.
   *
   * @return empty when it can be kept
   */
  static Optional<String> problemOfStoring(MessageWish.Deliver wish, Instant now) {
    int size = wish.message().body().map(body -> body.text().length()).orElse(0);
    if (size > MOST_BODY_CHARACTERS) {
      return Optional.of(
          "its body is too large to be stored: "
              + size
              + " characters, and at most "
              + MOST_BODY_CHARACTERS
              + " can be; a body that is no UTF-8 text counts in base 64, four for three bytes");
    }
    return DefinitionReader.problemOfStoring(wish.due().definition(wish.message(), now, wish.key()))
        .map(problem -> "it cannot be stored: " + problem);
  }

  private static Optional<String> key(Object value) throws Unreadable {
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof String key && DefinitionReader.isKey(key)) {
      return Optional.of(key);
    }
    throw new Unreadable(KEY + " " + DefinitionReader.KEY_SHAPE + ", and is " + shown(value));
  }

  private static boolean cancels(Object value) throws Unreadable {
    if (value == null || Boolean.FALSE.equals(value) || "false".equals(value)) {
      return false;
    }
    if (Boolean.TRUE.equals(value) || "true".equals(value)) {
      return true;
    }
    throw new Unreadable(CANCEL + " must be true or false, and is " + shown(value));
  }

  private static DueTime due(Map<String, Object> headers, Instant now) throws Unreadable {
    List<String> given = TIMES.stream().filter(name -> headers.get(name) != null).toList();
    if (given.size() > 1) {
      throw new Unreadable("it has both " + given.get(0) + " and " + given.get(1));
    }
    if (given.isEmpty()) {
      return new DueTime.After(Duration.ZERO);
    }
    Object value = headers.get(given.get(0));
    DueTime due =
        switch (given.get(0)) {
          case DELAY -> new DueTime.After(Duration.ofMillis(millis(value)));
          case DELIVER_AT -> new DueTime.At(instant(value));
          default -> recurring(value, now);
        };
    if (due.from(now).filter(instant -> instant.isAfter(FARTHEST)).isPresent()) {
      throw new Unreadable("what " + given.get(0) + " says is after the year 9999");
    }
    return due;
  }

  private static DueTime recurring(Object value, Instant now) throws Unreadable {
    DueTime schedule = new DueTime.Recurring(String.valueOf(value));
    try {
      var unused = schedule.definition(NOTHING, now, Optional.empty());
    } catch (IllegalArgumentException e) {
      throw new Unreadable(SCHEDULE + ": " + e.getMessage() + ": " + shown(value));
    }
    return schedule;
  }

  private static Instant instant(Object value) throws Unreadable {
    if (value instanceof Instant instant) {
      return instant;
    }
    try {
      return OffsetDateTime.parse(String.valueOf(value)).toInstant();
    } catch (DateTimeException e) {
      throw new Unreadable(
          DELIVER_AT + " must be an ISO-8601 instant with an offset, and is " + shown(value));
    }
  }

  private static long millis(Object value) throws Unreadable {
    BigDecimal millis = number(value);
    // unlike stripping zeros, this is quick for 1E999999999 as well
    boolean isHuge = millis.precision() - (long) millis.scale() > MOST_DIGITS;
    if (millis.signum() > 0 && isHuge) {
      throw new Unreadable(
          DELAY + " is too large: what it says is after the year 9999: " + shown(value));
    }
    try {
      long exact = isHuge ? -1 : millis.longValueExact();
      if (exact >= 0) {
        return exact;
      }
    } catch (ArithmeticException isFraction) {
      // told below
    }
    throw new Unreadable(NO_DELAY + shown(value));
  }

  private static BigDecimal number(Object value) throws Unreadable {
    try {
      if (value instanceof Number || value instanceof String) {
        return new BigDecimal(value.toString().strip());
      }
    } catch (NumberFormatException isOther) {
      // told below
    }
    throw new Unreadable(NO_DELAY + shown(value));
  }

  private static String shown(Object value) {
    String text = value instanceof Bytes ? "bytes" : String.valueOf(value);
    return "\"" + (text.length() > 100 ? text.substring(0, 100) + "…" : text) + "\"";
  }

  /**
   * @param comesAgain then every delivery is another message, which one id cannot name
   */
  private static Action.Amqp forTheReceiver(Action.Amqp message, boolean comesAgain) {
    Map<String, Object> headers = new LinkedHashMap<>(message.headers());
    NOT_FOR_THE_RECEIVER.forEach(headers::remove);
    // of the delivery before, when a receiver sends the message once more
    headers.keySet().removeIf(DefinitionReader::isOwnHeader);
    Map<MessageProperty, String> properties = new LinkedHashMap<>(message.properties());
    if (comesAgain) {
      properties.remove(MessageProperty.MESSAGE_ID);
    }
    return new Action.Amqp(
        message.exchange(),
        message.routingKey(),
        headers,
        properties,
        message.body(),
        message.verbatim());
  }
}
