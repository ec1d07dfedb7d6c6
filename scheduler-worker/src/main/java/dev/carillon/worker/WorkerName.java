package dev.carillon.worker;

import dev.carillon.ops.Environment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;

/** What a worker is called where people look for it: after its host, and unlike any other. */
final class WorkerName {

  private static final int MAX_LENGTH = 100;

  private WorkerName() {}

  /** The name that is set, or the host's, made unique to this start of the process. */
  static String read(Environment environment) {
    String set =
        environment.text(
            "WORKER_NAME",
            "",
            "What a worker is called; by default its host. A random part is added at each start");
    if (set.length() > MAX_LENGTH) {
      environment.reject("WORKER_NAME", "must be at most " + MAX_LENGTH + " characters long");
    }
    String base = set.isEmpty() ? host() : set;
    return base + "-" + Integer.toHexString(new SecureRandom().nextInt() | 0x1000_0000);
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException hasNone) {
      return "worker";
    }
  }
}
