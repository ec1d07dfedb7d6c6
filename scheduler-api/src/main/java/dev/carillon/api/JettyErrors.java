package dev.carillon.api;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers to what does not get as far as a route, such as a request that is not HTTP. */
final class JettyErrors extends ErrorHandler {

  private static final String ILLEGAL_PATH = "Illegal character in path";

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      String message,
      Throwable cause,
      Callback callback) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, Answer.PROBLEM);
    boolean isNowhere = isNowhere(cause);
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
   * Whether all that is wrong is a character such as a NUL, well encoded, in the path: nothing that
   * can be found here has one in its name. Jetty keeps no more of such a request than this.
   */
  private static boolean isNowhere(Throwable cause) {
    Throwable root = cause;
    while (root != null && root.getCause() != null) {
      root = root.getCause();
    }
    return root instanceof IllegalArgumentException && ILLEGAL_PATH.equals(root.getMessage());
  }
}
