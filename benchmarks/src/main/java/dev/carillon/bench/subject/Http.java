package dev.carillon.bench.subject;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * Requests to a process on this machine over connections that are kept. The plainest client that
 * the JDK has: what it takes of the machine is taken from what is measured.
 */
final class Http {

  private static final int CONNECT_MILLIS = 5_000;
  private static final int READ_MILLIS = 300_000;

  private final int port;

  Http(int port) {
    this.port = port;
  }

  record Answer(int status, String body) {}

  Answer get(String path) throws IOException {
    return answer(open(path));
  }

  Answer post(String path, String json) throws IOException {
    HttpURLConnection connection = open(path);
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    connection.setRequestMethod("POST");
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    connection.setFixedLengthStreamingMode(body.length);
    connection.getOutputStream().write(body);
    return answer(connection);
  }

  private HttpURLConnection open(String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(READ_MILLIS);
    return connection;
  }

  private static Answer answer(HttpURLConnection connection) throws IOException {
    int status = connection.getResponseCode();
    try (InputStream body =
        status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      return new Answer(
          status, body == null ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8));
    }
  }
}
