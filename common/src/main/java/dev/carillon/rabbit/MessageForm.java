package dev.carillon.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.LongString;
import dev.carillon.task.Action.Body;
import dev.carillon.task.Bytes;
import dev.carillon.task.MessageProperty;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Messages between the driver's terms and ours. Nothing is lost on the way there and back but the
 * user id, which the broker holds against whoever publishes, and the milliseconds of timestamps,
 * which the wire does not have. Pure.
 */
final class MessageForm {

  private MessageForm() {}

  static Posting posting(AmqpMessage message) {
    Map<MessageProperty, String> given = message.properties();
    String priority = given.get(MessageProperty.PRIORITY);
    String timestamp = given.get(MessageProperty.TIMESTAMP);
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .contentType(given.get(MessageProperty.CONTENT_TYPE))
            .contentEncoding(given.get(MessageProperty.CONTENT_ENCODING))
            .correlationId(given.get(MessageProperty.CORRELATION_ID))
            .messageId(given.get(MessageProperty.MESSAGE_ID))
            .replyTo(given.get(MessageProperty.REPLY_TO))
            .type(given.get(MessageProperty.TYPE))
            .appId(given.get(MessageProperty.APP_ID))
            .expiration(given.get(MessageProperty.EXPIRATION))
            .priority(priority == null ? null : Integer.valueOf(priority))
            .timestamp(timestamp == null ? null : Date.from(Instant.parse(timestamp)))
            .headers(toDriver(message.headers()))
            .build();
    byte[] body = message.body().map(Body::bytes).orElseGet(() -> new byte[0]);
    return Posting.to(message.exchange(), message.routingKey(), properties, body);
  }

  static Map<MessageProperty, String> propertiesOf(AMQP.BasicProperties properties) {
    Map<MessageProperty, String> read = new EnumMap<>(MessageProperty.class);
    put(read, MessageProperty.CONTENT_TYPE, properties.getContentType());
    put(read, MessageProperty.CONTENT_ENCODING, properties.getContentEncoding());
    put(read, MessageProperty.CORRELATION_ID, properties.getCorrelationId());
    put(read, MessageProperty.MESSAGE_ID, properties.getMessageId());
    put(read, MessageProperty.REPLY_TO, properties.getReplyTo());
    put(read, MessageProperty.TYPE, properties.getType());
    put(read, MessageProperty.APP_ID, properties.getAppId());
    put(read, MessageProperty.EXPIRATION, properties.getExpiration());
    put(read, MessageProperty.PRIORITY, properties.getPriority());
    Date timestamp = properties.getTimestamp();
    put(read, MessageProperty.TIMESTAMP, timestamp == null ? null : timestamp.toInstant());
    return read;
  }

  private static void put(
      Map<MessageProperty, String> properties, MessageProperty property, Object value) {
    if (value != null) {
      properties.put(property, value.toString());
    }
  }

  static Map<String, Object> headersOf(AMQP.BasicProperties properties) {
    Map<String, Object> headers = new LinkedHashMap<>();
    if (properties.getHeaders() != null) {
      properties.getHeaders().forEach((name, value) -> headers.put(name, fromDriver(value)));
    }
    return headers;
  }

  /** As text where it is text, so that people can read it in the store. */
  static Body bodyOf(byte[] bytes) {
    Optional<String> text = text(bytes);
    return text.isPresent() ? Body.text(text.get()) : Body.of(bytes);
  }

  private static Optional<String> text(byte[] bytes) {
    try {
      // a new decoder reports what is not UTF-8
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.indexOf('\0') < 0 ? Optional.of(text) : Optional.empty();
    } catch (CharacterCodingException bytesOfSomeKind) {
      return Optional.empty();
    }
  }

  private static Object fromDriver(Object value) {
    if (value instanceof LongString string) {
      Optional<String> text = text(string.getBytes());
      return text.isPresent() ? text.get() : Bytes.of(string.getBytes());
    }
    if (value instanceof byte[] bytes) {
      return Bytes.of(bytes);
    }
    if (value instanceof Date date) {
      return date.toInstant();
    }
    if (value instanceof List<?> list) {
      List<Object> elements = new ArrayList<>();
      list.forEach(element -> elements.add(fromDriver(element)));
      return Collections.unmodifiableList(elements);
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> table = new LinkedHashMap<>();
      map.forEach((name, element) -> table.put(String.valueOf(name), fromDriver(element)));
      return Collections.unmodifiableMap(table);
    }
    return value;
  }

  private static Map<String, Object> toDriver(Map<String, Object> headers) {
    Map<String, Object> table = new LinkedHashMap<>();
    headers.forEach((name, value) -> table.put(name, toDriver(value)));
    return table;
  }

  private static Object toDriver(Object value) {
    if (value instanceof Bytes bytes) {
      return bytes.toArray();
    }
    if (value instanceof Instant instant) {
      return Date.from(instant);
    }
    if (value instanceof List<?> list) {
      List<Object> elements = new ArrayList<>();
      list.forEach(element -> elements.add(toDriver(element)));
      return elements;
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> table = new LinkedHashMap<>();
      map.forEach((name, element) -> table.put(String.valueOf(name), toDriver(element)));
      return table;
    }
    return value;
  }
}
