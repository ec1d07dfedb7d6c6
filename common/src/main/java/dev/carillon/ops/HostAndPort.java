package dev.carillon.ops;

/** How a place on the network is written, in URLs and for people. */
public final class HostAndPort {

  private HostAndPort() {}

  /** With brackets around an IPv6 address, whose colons would be taken for the port's. */
  public static String of(String host, int port) {
    boolean isBare = host.indexOf(':') >= 0 && !host.startsWith("[");
    return (isBare ? "[" + host + "]" : host) + ":" + port;
  }
}
