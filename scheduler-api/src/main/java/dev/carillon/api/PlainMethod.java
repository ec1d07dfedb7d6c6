package dev.carillon.api;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;

/**
 * Takes away the header that would make the router see another method than the one in the request
 * line: proxies and browsers decide by the latter what a request may do.
 */
final class PlainMethod implements HttpConfiguration.Customizer {

  private static final String OVERRIDE = "X-HTTP-Method-Override";

  @Override
  public Request customize(Request request, HttpFields.Mutable responseHeaders) {
    if (!request.getHeaders().contains(OVERRIDE)) {
      return request;
    }
    HttpFields headers = HttpFields.build(request.getHeaders()).remove(OVERRIDE).asImmutable();
    return new Request.Wrapper(request) {
      @Override
      public HttpFields getHeaders() {
        return headers;
      }
    };
  }
}
