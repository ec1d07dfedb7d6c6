package dev.carillon.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports on loopback that nobody listens on.
 *
 * <p>They lie below the range from which systems take ports for outgoing connections, so that a
 * server which is stopped for a while finds its port still free.
 */
public final class FreePort {

  private static final int LOWEST = 20_000;
  private static final int HIGHEST = 29_999;
  private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

  private FreePort() {}

  /** A port that no earlier call in this JVM has answered. */
  public static int next() {
    while (TAKEN.size() <= HIGHEST - LOWEST) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST + 1);
      if (TAKEN.add(port) && isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("No port is free from " + LOWEST + " to " + HIGHEST);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException inUse) {
      return false;
    }
  }
}
