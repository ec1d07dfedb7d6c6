package dev.carillon.api;

import static dev.carillon.api.RunningApi.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.task.Chain;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
final class HostileInputTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private static RunningApi api;

  @BeforeAll
  static void start() throws Exception {
    api = new RunningApi(new ApiSettings("127.0.0.1", 0, 4, TIMEOUT), Chain.Settings.DEFAULT);
    api.post("{}");
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @AfterEach
  void storesNothingAndGoesOn() throws Exception {
    assertThat(api.memory.all()).isEmpty();
    assertThat(api.get("/health/live").statusCode()).isEqualTo(200);
  }

  static Stream<String> deep() {
    return Stream.of(
        "[".repeat(500_000),
        "{\"a\":".repeat(150_000),
        "{\"action\":" + "[".repeat(1_000) + "]".repeat(1_000) + "}",
        "{\"metadata\":" + "{\"a\":".repeat(101) + "1" + "}".repeat(102));
  }

  @ParameterizedTest
  @MethodSource("deep")
  void deepNestingIsRefusedFast(String body) throws Exception {
    Instant begun = Instant.now();

    HttpResponse<String> answer = api.post(body);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).get("errors").get(0).get("message").asText()).contains("nested deeper");
    assertThat(Duration.between(begun, Instant.now())).isLessThan(Duration.ofSeconds(20));
  }

  @Test
  void aBodyOfExactlyOneMebibyteIsRead() throws Exception {
    HttpResponse<String> answer = api.post(padded(RequestBody.MAX_BYTES));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).get("errors").findValuesAsText("field")).contains("name");
  }

  @Test
  void aLargerBodyIsRefused() throws Exception {
    for (int size : new int[] {RequestBody.MAX_BYTES + 1, 10 << 20}) {
      HttpResponse<String> answer = api.post(padded(size));

      assertThat(answer.statusCode()).isEqualTo(413);
      assertThat(json(answer).get("title").asText()).isEqualTo("Content Too Large");
    }
  }

  @Test
  void aLargerBodyIsRefusedWithoutItsLengthBeingTold() throws Exception {
    byte[] body = padded(10 << 20).getBytes(StandardCharsets.UTF_8);
    HttpRequest chunked =
        api.request("/api/tasks")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))
            .build();

    assertThat(api.send(chunked).statusCode()).isEqualTo(413);
  }

  private static String padded(int size) {
    String start = "{\"name\": \"";
    return start + "x".repeat(size - start.length() - 2) + "\"}";
  }

  static Stream<byte[]> notUtf8() {
    return Stream.of(
        bytes(0xFF),
        bytes(0xC3),
        bytes(0xC0, 0x80), // an overlong NUL
        bytes(0xED, 0xA0, 0x80), // half a surrogate pair
        bytes(0xF4, 0x90, 0x80, 0x80), // beyond Unicode
        bytes(0x80));
  }

  @ParameterizedTest
  @MethodSource("notUtf8")
  void whatIsNotUtf8IsRefused(byte[] inName) throws Exception {
    JsonNode problem = json(postInName(inName));

    assertThat(problem.get("status").asInt()).isEqualTo(400);
    assertThat(problem.get("detail").asText()).isEqualTo("the body is not UTF-8 from byte 10 on");
  }

  @Test
  void anotherEncodingIsNotGuessed() throws Exception {
    byte[] body = "{\"name\": \"x\", \"interval\": 1}".getBytes(StandardCharsets.UTF_16LE);

    assertThat(post(body).statusCode()).isEqualTo(400);
  }

  @Test
  void aRawNulIsRefused() throws Exception {
    assertThat(postInName(bytes(0)).statusCode()).isEqualTo(400);
  }

  private static HttpResponse<String> postInName(byte[] inName) throws Exception {
    byte[] start = "{\"name\": \"".getBytes(StandardCharsets.UTF_8);
    byte[] end = "\", \"interval\": 1}".getBytes(StandardCharsets.UTF_8);
    byte[] body = Arrays.copyOf(start, start.length + inName.length + end.length);
    System.arraycopy(inName, 0, body, start.length, inName.length);
    System.arraycopy(end, 0, body, start.length + inName.length, end.length);
    return post(body);
  }

  private static HttpResponse<String> post(byte[] body) throws Exception {
    return api.send(
        api.request("/api/tasks")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body))
            .build());
  }

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  @Test
  void hugeNumbersAndNamesCostLittle() throws Exception {
    Instant begun = Instant.now();
    String digits = "9".repeat(900);

    for (String body :
        new String[] {
          "{\"name\": \"x\", \"interval\": " + digits + "}",
          "{\"name\": \"x\", \"interval\": " + "9".repeat(900_000) + "}",
          "{\"name\": \"x\", \"interval\": 1, \"retry\": {\"factor\": 1e" + "9".repeat(9) + "}}",
          "{\"name\": \"x\", \"interval\": 1, \"retry\": {\"factor\": 1e-" + "9".repeat(9) + "}}",
          "{\"name\": \"x\", \"interval\": 1, \"retry\": {\"factor\": "
              + digits
              + "."
              + digits
              + "}}",
          "{\"" + "n".repeat(900_000) + "\": 1}",
          "{\"" + "n".repeat(4_000) + "\": 1}",
          "{\"name\": \"x\", \"interval\": \"P" + "9".repeat(900_000) + "D\"}",
        }) {
      HttpResponse<String> answer = api.post(body);
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).hasSizeLessThan(5_000);
    }
    assertThat(Duration.between(begun, Instant.now())).isLessThan(Duration.ofSeconds(20));
  }

  static Stream<String> halves() {
    return Stream.of(
        "\"half \\ud83c\": 1",
        "\"metadata\": {\"half \\udf89\": \"x\"}",
        "\"tags\": [\"half \\ud83c\"]",
        "\"action\": {\"type\": \"http\", \"url\": \"http://x\", \"body\": {\"a\": [\"\\ud83c\"]}}",
        "\"x" + "🎉".repeat(1_000) + "\": 1"); // of which the answer shows a part
  }

  @ParameterizedTest
  @MethodSource("halves")
  void halfASurrogatePairIsRefusedAndDoesNotBreakTheAnswer(String fields) throws Exception {
    HttpResponse<String> answer = api.post("{\"name\": \"x\", \"interval\": 1, " + fields + "}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).get("errors")).hasSize(1);
  }

  @Test
  void aBodyShorterThanAnnouncedIsGivenUpOn() throws Exception {
    String answer = raw(post("Content-Length: 100") + "{\"name\":");

    assertThat(answer).doesNotContain(" 201 ", " 200 ").contains("application/problem+json");
  }

  @Test
  void aBodyThatDripsIsGivenUpOn() throws Exception {
    try (Socket socket = connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(post("Content-Length: 100000").getBytes(StandardCharsets.ISO_8859_1));
      Awaitility.await()
          .atMost(TIMEOUT.multipliedBy(20))
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                out.write(' ');
                return socket.getInputStream().available() > 0;
              });
      assertThat(firstLine(socket)).isEqualTo("HTTP/1.1 408 Request Timeout");
    }
  }

  static Stream<String> notHttp() {
    return Stream.of(
        head("GARBAGE"),
        head("GET /api/tasks HTTP/9.9"),
        head("GET /api/tasks HTTP/1.1"), // without a host
        head("GET /api/tasks HTTP/1.1", "Host: x", "Bad Header"),
        head("GET /api/tasks/%zz HTTP/1.1", "Host: x"),
        head("GET /api/tasks?limit=%zz HTTP/1.1", "Host: x", "Connection: close"),
        head("GET /" + "a".repeat(20_000) + " HTTP/1.1", "Host: x"),
        head("GET /api/tasks HTTP/1.1", "Host: x", "X: " + "a".repeat(20_000)),
        post("Content-Length: -5"),
        post("Content-Length: 5", "Content-Length: 6") + "{    }",
        post("Content-Length: 5", "Transfer-Encoding: chunked") + head("0"),
        post("Transfer-Encoding: chunked") + "zz\r\n{}\r\n" + head("0"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"%00", "%0a", "a%00b", "%00/preview", "%7F", "a%1Fb/sub-tasks"})
  void aTaskWithoutAPrintableIdIsNotFound(String id) throws Exception {
    String answer = raw(head("GET /api/tasks/" + id + " HTTP/1.1", "Host: x", "Connection: close"));

    assertThat(answer).startsWith("HTTP/1.1 404 ").contains("application/problem+json", ":404");
  }

  private static String post(String... headers) {
    return head("POST /api/tasks HTTP/1.1", "Host: x", "Content-Type: application/json").strip()
        + "\r\n"
        + head(headers);
  }

  private static String head(String... lines) {
    return String.join("\r\n", lines) + "\r\n\r\n";
  }

  @ParameterizedTest
  @MethodSource("notHttp")
  void whatIsNotHttpIsAProblemWithoutAStackTrace(String request) throws Exception {
    String answer = raw(request);

    assertThat(answer).matches("(?s)HTTP/1.1 (400|414|431|501|505) .*");
    assertThat(answer)
        .contains("application/problem+json", "\"status\":")
        .doesNotContain("org.eclipse", "Exception", "<html");
  }

  @Test
  void manyConnectionsThatSayNothingDoNotKeepOthersOut() throws Exception {
    Socket[] silent = new Socket[200];
    try {
      for (int i = 0; i < silent.length; i++) {
        silent[i] = connect();
        silent[i].getOutputStream().write("POST /api/tasks HT".getBytes(StandardCharsets.UTF_8));
      }
      assertThat(api.get("/api/tasks").statusCode()).isEqualTo(200);
    } finally {
      for (Socket socket : silent) {
        if (socket != null) {
          socket.close();
        }
      }
    }
  }

  private static Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port());
    socket.setSoTimeout((int) TIMEOUT.multipliedBy(20).toMillis());
    return socket;
  }

  private static String firstLine(Socket socket) throws IOException {
    byte[] start = socket.getInputStream().readNBytes(200);
    return new String(start, StandardCharsets.ISO_8859_1).lines().findFirst().orElse("");
  }

  /** Everything that comes back until the server closes the connection. */
  private static String raw(String request) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }
}
