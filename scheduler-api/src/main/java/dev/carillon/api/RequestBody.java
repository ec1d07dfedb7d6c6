package dev.carillon.api;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpException;

/** Takes in the JSON body of a request, if it is one, is not too large and comes in time. */
final class RequestBody {

  static final int MAX_BYTES = 1 << 20;

  /** What is read and thrown away of a body that is too large, so that its sender sees why. */
  private static final int MAX_DISCARDED_BYTES = 16 << 20;

  /**
   * What is accepted.
   *
   * @param types without parameters
   */
  record Limits(int maxBytes, Set<String> types) {}

  /** The second type is for edits (RFC 7396); it does no harm elsewhere. */
  private static final Limits USUAL =
      new Limits(MAX_BYTES, Set.of(Answer.JSON, "application/merge-patch+json"));

  private static final int CHUNK = 16 << 10;

  private RequestBody() {}

  /**
   * @param limit how long the body may take to arrive
   * @throws RefusedException for anything but a JSON body that is small enough
   */
  static byte[] receive(HttpServletRequest request, Duration limit) {
    return receive(request, limit, USUAL);
  }

  /**
   * @param limit how long the body may take to arrive
   * @throws RefusedException for anything but a body of an accepted type that is small enough
   */
  static byte[] receive(HttpServletRequest request, Duration limit, Limits limits) {
    checkType(request, limits.types());
    long deadline = System.nanoTime() + limit.toNanos();
    try (InputStream in = request.getInputStream()) {
      return read(in, request.getContentLengthLong(), deadline, limits.maxBytes());
    } catch (IOException | HttpException.RuntimeException broken) {
      throw new RefusedException(Problems.answer(400, "the body did not arrive as announced"));
    }
  }

  /** The type of the body, without parameters. */
  static String typeOf(HttpServletRequest request) {
    String type = request.getContentType() == null ? "" : request.getContentType();
    return type.toLowerCase(Locale.ROOT).split(";", -1)[0].strip();
  }

  private static byte[] read(InputStream in, long announced, long deadline, int maxBytes)
      throws IOException {
    if (announced > maxBytes) {
      throw tooLarge(in, deadline, maxBytes);
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] chunk = new byte[CHUNK];
    int read = in.read(chunk);
    while (read >= 0) {
      body.write(chunk, 0, read);
      if (body.size() > maxBytes) {
        throw tooLarge(in, deadline, maxBytes);
      }
      checkTime(deadline);
      read = in.read(chunk);
    }
    return body.toByteArray();
  }

  private static void checkType(HttpServletRequest request, Set<String> accepted) {
    String type = request.getContentType() == null ? "" : request.getContentType();
    String[] parts = type.toLowerCase(Locale.ROOT).split(";", -1);
    boolean isJson = accepted.contains(parts[0].strip());
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip().replace("\"", "");
      isJson &= !parameter.startsWith("charset=") || parameter.equals("charset=utf-8");
    }
    if (!isJson) {
      String or = accepted.contains(BatchBody.LINES) ? " or " + BatchBody.LINES : "";
      throw unsupported("the body must be sent as application/json" + or + ", in UTF-8");
    }
    String encoding = request.getHeader("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw unsupported("the body must be sent without a content encoding");
    }
  }

  private static RefusedException unsupported(String detail) {
    return new RefusedException(Problems.answer(415, detail).with("Accept", Answer.JSON));
  }

  private static RefusedException tooLarge(InputStream in, long deadline, int maxBytes)
      throws IOException {
    byte[] chunk = new byte[CHUNK];
    int discarded = 0;
    int read = in.read(chunk);
    while (read >= 0 && discarded <= MAX_DISCARDED_BYTES) {
      discarded += read;
      checkTime(deadline);
      read = in.read(chunk);
    }
    return new RefusedException(
        Problems.answer(413, "the body must be at most " + maxBytes + " bytes long"));
  }

  private static void checkTime(long deadline) {
    if (System.nanoTime() - deadline > 0) {
      throw new RefusedException(
          Problems.answer(408, "the body did not arrive in time").with("Connection", "close"));
    }
  }
}
