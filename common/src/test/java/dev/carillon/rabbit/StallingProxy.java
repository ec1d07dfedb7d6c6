package dev.carillon.rabbit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands between a client and a broker, and can stop to pass on what the client says, as a broker
 * does that has no room: what the client writes then fills the buffers of the sockets.
 */
final class StallingProxy implements AutoCloseable {

  private static final int SMALL_BUFFER = 8 * 1024;

  private final URI broker;
  private final ServerSocket server;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private boolean stalled;
  private int held;

  StallingProxy(URI broker) throws IOException {
    this.broker = broker;
    this.server = new ServerSocket();
    server.setReceiveBufferSize(SMALL_BUFFER);
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    inBackground(this::acceptAll);
  }

  URI uri() {
    String address = "127.0.0.1:" + server.getLocalPort();
    return URI.create(
        broker.toString().replace(broker.getHost() + ":" + broker.getPort(), address));
  }

  synchronized void stall() {
    stalled = true;
  }

  synchronized void goOn() {
    stalled = false;
    notifyAll();
  }

  /** Whether a client has said something since it was stalled. */
  synchronized boolean holdsSomething() {
    return held > 0;
  }

  private synchronized void passIfNotStalled() throws InterruptedException {
    held++;
    while (stalled) {
      wait();
    }
    held--;
  }

  private void acceptAll() throws IOException {
    while (true) {
      Socket client = server.accept();
      Socket upstream = new Socket(broker.getHost(), broker.getPort());
      sockets.add(client);
      sockets.add(upstream);
      inBackground(() -> copy(client, upstream, true));
      inBackground(() -> copy(upstream, client, false));
    }
  }

  private void copy(Socket from, Socket to, boolean maybeStalled)
      throws IOException, InterruptedException {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[SMALL_BUFFER];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (maybeStalled) {
          passIfNotStalled();
        }
        out.write(buffer, 0, read);
      }
    }
  }

  private interface Task {
    void run() throws IOException, InterruptedException;
  }

  private static void inBackground(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException | InterruptedException e) {
                // one side has closed: so does the other
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
