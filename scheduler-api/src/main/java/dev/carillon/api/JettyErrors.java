package dev.carillon.api;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers to what does not get as far as a route, such as a request that is not HTTP. */
final class JettyErrors extends ErrorHandler {

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      String message,
      Throwable cause,
      Callback callback) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, Answer.PROBLEM);
    response.write(true, body(code), callback);
  }

  private static ByteBuffer body(int status) {
    return ByteBuffer.wrap(Json.write(Problems.answer(status, "the request cannot be handled")));
  }
}
