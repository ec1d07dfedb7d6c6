package dev.carillon.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Payloads as JSON. Thread-safe. */
final class JsonPayload {

  static final String CONTENT_TYPE = "application/json";

  private final ObjectMapper mapper;

  JsonPayload(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  byte[] bytes(DelayedMessage message) {
    try {
      return mapper.writeValueAsBytes(message.payload());
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("cannot be written as JSON: " + message.payload(), e);
    }
  }

  Object tree(DelayedMessage message) {
    return mapper.valueToTree(message.payload());
  }
}
