package dev.carillon.api;

import java.nio.ByteBuffer;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers to what does not get as far as a route, such as a request that is not HTTP. */
final class JettyErrors extends ErrorHandler {

  private static final Pattern CONTROL = Pattern.compile("%(?:[01][0-9a-fA-F]|7[fF])");
  private static final Pattern MALFORMED = Pattern.compile("%(?![0-9a-fA-F]{2})");

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      String message,
      Throwable cause,
      Callback callback) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, Answer.PROBLEM);
    boolean isNowhere = code == HttpStatus.BAD_REQUEST_400 && isWellFormed(request);
    if (isNowhere) {
      response.setStatus(HttpStatus.NOT_FOUND_404);
    }
    Answer answer =
        isNowhere
            ? Problems.answer(HttpStatus.NOT_FOUND_404, "there is nothing here")
            : Problems.answer(code, "the request cannot be handled");
    response.write(true, ByteBuffer.wrap(Json.write(answer)), callback);
  }

  /**
   * Whether a path that Jetty does not accept is one all the same, but for characters such as a
   * NUL, which nothing that can be found here has in its name.
   */
  private static boolean isWellFormed(Request request) {
    String path = request.getHttpURI() == null ? null : request.getHttpURI().getPath();
    return path != null && CONTROL.matcher(path).find() && !MALFORMED.matcher(path).find();
  }
}
