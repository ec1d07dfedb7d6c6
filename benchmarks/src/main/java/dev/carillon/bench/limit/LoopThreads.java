package dev.carillon.bench.limit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;

/** Threads that each have a channel, and end the process when anything goes wrong. */
final class LoopThreads {

  private LoopThreads() {}

  /** What a thread does all the time. */
  @FunctionalInterface
  interface Step {
    void run(Channel channel) throws IOException, InterruptedException;
  }

  static void start(String name, Connection connection, int count, boolean confirms, Step step)
      throws IOException {
    for (int i = 0; i < count; i++) {
      Channel channel = connection.createChannel();
      if (confirms) {
        channel.confirmSelect();
        channel.addConfirmListener(
            (tag, multiple) -> {},
            (tag, multiple) -> die(new IOException("the broker refused a message")));
        channel.addReturnListener(back -> die(new IOException(back.getReplyText())));
      }
      Thread thread = new Thread(() -> repeat(channel, step), name + "-" + i);
      thread.setDaemon(true);
      thread.start();
    }
  }

  private static void repeat(Channel channel, Step step) {
    try {
      while (true) {
        step.run(channel);
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      die(e);
    }
  }

  private static void die(Exception cause) {
    cause.printStackTrace(); // seen by the bench, which stops the measurement
    Runtime.getRuntime().halt(1);
  }
}
