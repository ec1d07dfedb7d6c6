package dev.carillon.rabbit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import dev.carillon.queue.GivenUp;
import dev.carillon.queue.ParkedMessage;
import dev.carillon.task.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Messages as they are in the queue for what was put aside: as they were, with more headers. */
final class ParkedForm {

  static final String REASON = "x-carillon-reason";
  static final String EXCHANGE = "x-carillon-exchange";
  static final String ROUTING_KEY = "x-carillon-routing-key";
  static final String ID = "x-carillon-parked-id";
  static final String PARKED_AT = "x-carillon-parked-at";

  /** Word of a sub-task has it, what was in the work queue has not. */
  static final String GIVEN_UP = "x-carillon-given-up";

  private static final Set<String> OURS =
      Set.of(REASON, EXCHANGE, ROUTING_KEY, ID, PARKED_AT, GIVEN_UP);

  /** What the broker writes on a message that has waited for too long somewhere else. */
  private static final String FIRST_DEATH_REASON = "x-first-death-reason";

  private static final String FIRST_DEATH_EXCHANGE = "x-first-death-exchange";

  /** A character in UTF-8 has at most so many. */
  private static final int MAX_BYTES_A_CHARACTER = 4;

  /** Notices are small; what is larger is not looked into. */
  private static final int MAX_READ_BYTES = 16 * 1024;

  private static final ObjectMapper JSON = new ObjectMapper();

  private ParkedForm() {}

  /** What the broker would act on is left out: who sent it, how long it lives, who gets copies. */
  static Posting ofStray(
      String id,
      Instant now,
      String reason,
      Envelope cameBy,
      AMQP.BasicProperties original,
      byte[] body,
      String queue) {
    Map<String, Object> headers = headersOf(original);
    headers.put(ID, id);
    headers.put(PARKED_AT, now.toString());
    headers.put(REASON, reason);
    headers.put(EXCHANGE, cameBy.getExchange());
    headers.put(ROUTING_KEY, cameBy.getRoutingKey());
    AMQP.BasicProperties properties =
        original.builder().headers(headers).expiration(null).userId(null).build();
    return Posting.to("", queue, properties, body);
  }

  static Posting of(String id, Instant now, GivenUp givenUp, String queue) {
    Map<String, Object> headers = new HashMap<>();
    headers.put(ID, id);
    headers.put(PARKED_AT, now.toString());
    headers.put(REASON, givenUp.reason());
    headers.put(GIVEN_UP, true);
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .messageId(id)
            .contentType(NoticeCodec.CONTENT_TYPE)
            .headers(headers)
            .build();
    String body =
        JSON.createObjectNode()
            .put("task", givenUp.task().value())
            .put("index", givenUp.index())
            .toString();
    return Posting.to("", queue, properties, body.getBytes(StandardCharsets.UTF_8));
  }

  /** The message as it was before it was put aside. */
  static Posting sentBack(GetResponse message, String exchange, String routingKey) {
    AMQP.BasicProperties properties =
        message.getProps().builder().headers(headersOf(message.getProps())).build();
    return Posting.to(exchange, routingKey, properties, message.getBody());
  }

  /** Those that somebody else has set. */
  private static Map<String, Object> headersOf(AMQP.BasicProperties properties) {
    Map<String, Object> headers = new HashMap<>();
    if (properties.getHeaders() != null) {
      headers.putAll(properties.getHeaders());
      headers.keySet().removeAll(OURS);
      headers
          .keySet()
          .removeIf(name -> name.equals("x-death") || name.startsWith("x-first-death-"));
      headers.remove("CC");
      headers.remove("BCC");
      headers.remove("x-delivery-count");
      headers.remove("x-acquired-count");
    }
    return headers;
  }

  static boolean isGivenUp(GetResponse message) {
    return text(message, GIVEN_UP).isPresent();
  }

  /** One that somebody else has put there has no id: it is told from others by what it is. */
  static String idOf(GetResponse message) {
    return text(message, ID).orElseGet(() -> digest(message.getBody()));
  }

  static ParkedMessage read(GetResponse message) {
    Optional<JsonNode> notice = object(message.getBody());
    Optional<JsonNode> task = notice.map(fields -> fields.get("task"));
    Optional<JsonNode> index = notice.map(fields -> fields.get("index"));
    return new ParkedMessage(
        idOf(message),
        reasonOf(message),
        exchangeOf(message),
        routingKeyOf(message),
        text(message, PARKED_AT).flatMap(ParkedForm::instant),
        task.map(JsonNode::asText).flatMap(TaskId::parse),
        index.filter(JsonNode::canConvertToExactIntegral).isPresent()
            ? OptionalLong.of(index.get().longValue())
            : OptionalLong.empty(),
        message.getBody().length,
        beginning(message.getBody()));
  }

  private static String reasonOf(GetResponse message) {
    return text(message, REASON)
        .or(
            () ->
                text(message, FIRST_DEATH_REASON)
                    .map(why -> "the broker took it out of its queue: " + why))
        .orElse("put here by somebody else");
  }

  /** Where it came through; empty when that is not known. */
  static String exchangeOf(GetResponse message) {
    return text(message, EXCHANGE).or(() -> text(message, FIRST_DEATH_EXCHANGE)).orElse("");
  }

  /** What it was routed by. */
  static String routingKeyOf(GetResponse message) {
    return text(message, ROUTING_KEY).orElseGet(() -> firstRoutingKey(message).orElse(""));
  }

  /** The broker keeps it in a table for each queue that the message has left. */
  private static Optional<String> firstRoutingKey(GetResponse message) {
    Map<String, Object> headers = message.getProps().getHeaders();
    return headers != null
            && headers.get("x-death") instanceof List<?> deaths
            && !deaths.isEmpty()
            && deaths.get(deaths.size() - 1) instanceof Map<?, ?> death
            && death.get("routing-keys") instanceof List<?> keys
            && !keys.isEmpty()
        ? Optional.of(keys.get(0).toString())
        : Optional.empty();
  }

  private static Optional<String> text(GetResponse message, String header) {
    Map<String, Object> headers = message.getProps().getHeaders();
    return headers == null
        ? Optional.empty()
        : Optional.ofNullable(headers.get(header)).map(Object::toString);
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeException somethingElse) {
      return Optional.empty();
    }
  }

  private static Optional<JsonNode> object(byte[] body) {
    if (body.length > MAX_READ_BYTES) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(JSON.readTree(body)).filter(JsonNode::isObject);
    } catch (IOException notJson) {
      return Optional.empty();
    }
  }

  private static String beginning(byte[] body) {
    int enough = (ParkedMessage.MAX_PREVIEW_LENGTH + 1) * MAX_BYTES_A_CHARACTER;
    return new String(body, 0, Math.min(body.length, enough), StandardCharsets.UTF_8);
  }

  private static String digest(byte[] body) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JVM has SHA-256", impossible);
    }
  }
}
