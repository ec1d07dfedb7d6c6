package dev.carillon.worker.action;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that answers each connection's first request with whatever it is told to write. */
final class RawServer implements AutoCloseable {

  /** What is written, byte by byte if need be. */
  interface Answer {
    void writeTo(OutputStream out) throws IOException, InterruptedException;
  }

  private final ServerSocket listener;
  private final Answer answer;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger requests = new AtomicInteger();

  RawServer(Answer answer) throws IOException {
    this.answer = answer;
    this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    start(this::acceptAll);
  }

  /** Writes a text, and waits until the client has closed the connection. */
  static Answer text(String text) {
    return out -> out.write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  String url() {
    return "http://127.0.0.1:" + listener.getLocalPort();
  }

  int requests() {
    return requests.get();
  }

  /** How many connections the client holds open. */
  int openConnections() {
    return open.size();
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        start(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      if (in.read(new byte[65_536]) < 0) {
        return;
      }
      requests.incrementAndGet();
      answer.writeTo(socket.getOutputStream());
      socket.getOutputStream().flush();
      while (in.read() >= 0) {
        // until the client closes it
      }
    } catch (IOException | InterruptedException ended) {
      // by one side or the other
    } finally {
      open.remove(socket);
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "raw-server");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
