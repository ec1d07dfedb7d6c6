package dev.carillon.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** By what a private broker can be noticed on its machine. */
record Remains(int amqpPort, int epmdPort, Path folder) {

  static Remains of(PrivateBroker broker) {
    NodeFolder folder = broker.folder();
    return new Remains(folder.amqpPort(), folder.epmdPort(), folder.path());
  }

  /** The reverse of {@link #toString}. */
  static Remains parse(String line) {
    String[] parts = line.split(" ", 3);
    return new Remains(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Path.of(parts[2]));
  }

  boolean areThere() {
    return listens(amqpPort) && listens(epmdPort) && Files.exists(folder);
  }

  boolean areGone() {
    return !listens(amqpPort) && !listens(epmdPort) && !Files.exists(folder);
  }

  @Override
  public String toString() {
    return amqpPort + " " + epmdPort + " " + folder;
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }
}
