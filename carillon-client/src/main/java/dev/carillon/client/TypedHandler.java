package dev.carillon.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Delivery;
import java.io.IOException;

/** A handler and what it wants its payloads to be read as. */
record TypedHandler<T>(Class<T> payload, MessageHandler<T> handler) {

  void handle(Delivery delivery, int attempt, ObjectMapper mapper) throws Exception {
    T read;
    try {
      read = mapper.readValue(delivery.getBody(), payload);
    } catch (IOException e) {
      throw new Handling.UselessException(
          "its body is no " + payload.getSimpleName() + ": " + e.getMessage(), e);
    }
    handler.handle(read, new ReceivedMessage(delivery, attempt));
  }
}
