package dev.carillon.mongo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A line to a server on this machine that can be cut, or go dead without a sign. Thread-safe. */
public final class Line implements AutoCloseable {

  private final int target;
  private final int port;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile ServerSocket listener;
  private volatile boolean dead;

  /** Not connected yet. */
  public Line(int target) throws IOException {
    this.target = target;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      this.port = free.getLocalPort();
    }
  }

  /** Where it begins. */
  public int port() {
    return port;
  }

  /** Connects, or connects again. */
  public void connect() throws IOException {
    dead = false;
    ServerSocket opened = new ServerSocket();
    opened.setReuseAddress(true);
    opened.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    listener = opened;
    start(
        () -> {
          while (true) {
            Socket near = opened.accept();
            sockets.add(near);
            Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(far);
            start(() -> forward(near, far));
            start(() -> forward(far, near));
          }
        });
  }

  private void forward(Socket from, Socket to) throws IOException {
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    byte[] bytes = new byte[8192];
    for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
      if (!dead) {
        out.write(bytes, 0, n);
      }
    }
    to.close();
  }

  /** Nothing comes through any more, in either direction, and nobody is told. */
  public void goDead() {
    dead = true;
  }

  /** Breaks all connections and lets nobody connect. */
  public void cut() throws IOException {
    if (listener != null) {
      listener.close();
    }
    for (Socket socket : sockets) {
      socket.close();
    }
    sockets.clear();
  }

  @Override
  public void close() throws IOException {
    cut();
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException closed) {
                // that is how all of them end
              }
            },
            "line");
    thread.setDaemon(true);
    thread.start();
  }
}
