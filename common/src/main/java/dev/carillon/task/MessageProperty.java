package dev.carillon.task;

/** What a message can say of itself besides its headers: the properties of AMQP 0-9-1. */
public enum MessageProperty {
  CONTENT_TYPE("contentType"),
  CONTENT_ENCODING("contentEncoding"),
  CORRELATION_ID("correlationId"),
  MESSAGE_ID("messageId"),
  REPLY_TO("replyTo"),
  TYPE("type"),
  APP_ID("appId"),
  /** A whole number from 0 to 255. */
  PRIORITY("priority"),
  /** Milliseconds, as digits: how long the message may wait in a queue of its receiver. */
  EXPIRATION("expiration"),
  /** An ISO-8601 instant; the wire keeps whole seconds. */
  TIMESTAMP("timestamp");

  private final String word;

  MessageProperty(String word) {
    this.word = word;
  }

  /** How users write it. */
  public String word() {
    return word;
  }
}
