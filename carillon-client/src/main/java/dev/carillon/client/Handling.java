package dev.carillon.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Delivery;
import java.util.Map;

/** Finds the handler for a message. Thread-safe. */
final class Handling {

  /** There is no point in trying again. */
  static final class UselessException extends Exception {
    private static final long serialVersionUID = 1;

    UselessException(String reason, Throwable cause) {
      super(reason, cause);
    }
  }

  private final Map<String, TypedHandler<?>> handlers;
  private final ObjectMapper mapper;

  Handling(Map<String, TypedHandler<?>> handlers, ObjectMapper mapper) {
    this.handlers = Map.copyOf(handlers);
    this.mapper = mapper;
  }

  /**
   * @throws Exception what the handler throws
   */
  void handle(Delivery delivery, int attempt) throws Exception {
    String type = String.valueOf(delivery.getProperties().getType());
    TypedHandler<?> handler = handlers.get(type);
    if (handler == null) {
      throw new UselessException("there is no handler for its type \"" + type + "\"", null);
    }
    handler.handle(delivery, attempt, mapper);
  }
}
