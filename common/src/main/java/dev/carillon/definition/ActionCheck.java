package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.task.Action;
import dev.carillon.task.ActionTexts;
import dev.carillon.task.MessageProperty;
import dev.carillon.task.Template;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Looks at an action as it will go out: with its templates filled in. What is wrong with it is told
 * when the task is created or changed, rather than by a failed attempt.
 */
final class ActionCheck {

  private static final int MAX_PORT = 65_535;
  private static final int MAX_URL_LENGTH = 4_000;
  private static final int MAX_HEADER_LENGTH = 4_000;

  /** A token of RFC 9110, section 5.6.2. */
  private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  /** Scheme and authority. */
  private static final Pattern SERVER = Pattern.compile("[^:/?#]*:/{0,2}[^/?#]*");

  /** Set by the connection itself, or by Carillon on every run. */
  private static final Set<String> RESERVED_HEADERS =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "transfer-encoding",
          "upgrade",
          "idempotency-key");

  private static final String RESERVED_PREFIX = "x-carillon-";

  /** Limit of AMQP 0-9-1 for the names of exchanges and routing keys, in bytes. */
  private static final int MAX_SHORT_STRING = 255;

  private final Form form;
  private final Map<String, String> templateValues;
  private boolean hasWrongTemplates;

  /**
   * @param form gets the problems
   */
  ActionCheck(Form form, Map<String, String> templateValues) {
    this.form = form;
    this.templateValues = templateValues;
  }

  static boolean isOwnHeader(String name) {
    return name.toLowerCase(Locale.ROOT).startsWith(RESERVED_PREFIX);
  }

  void check(Action action) {
    Action unchanged =
        ActionTexts.change(
            action,
            (field, text, escape) -> {
              Template.problemOf(text, templateValues)
                  .ifPresent(
                      problem -> {
                        form.reject(field, problem);
                        hasWrongTemplates = true;
                      });
              return text;
            });
    if (hasWrongTemplates) {
      return;
    }
    Action filled = ActionTexts.fill(unchanged, templateValues);
    if (action instanceof Action.Http http && filled instanceof Action.Http sent) {
      if (!http.verbatim() && hasTemplateInServer(http.url())) {
        form.reject("url", "must not have a template before its path");
      } else {
        checkUrl(sent.url());
      }
      checkHttpHeaders(sent.headers());
    } else if (filled instanceof Action.Amqp sent) {
      check(sent);
    }
  }

  private static boolean hasTemplateInServer(String url) {
    var server = SERVER.matcher(url);
    return server.lookingAt() && Template.isIn(server.group());
  }

  private void checkUrl(String text) {
    if (text.length() > MAX_URL_LENGTH) {
      form.reject("url", "must be at most " + MAX_URL_LENGTH + " characters long");
      return;
    }
    try {
      URI url = new URI(text);
      String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
      if (!(scheme.equals("http") || scheme.equals("https")) || url.getHost() == null) {
        form.reject("url", "must be an absolute http or https URL");
      } else if (url.getPort() == 0 || url.getPort() > MAX_PORT) {
        form.reject("url", "must have a port from 1 to " + MAX_PORT);
      } else if (url.getUserInfo() != null) {
        form.reject("url", "must not contain a user name or password; use an Authorization header");
      }
    } catch (URISyntaxException malformed) {
      form.reject("url", "must be a URL: " + malformed.getReason());
    }
  }

  private void checkHttpHeaders(Map<String, String> headers) {
    Set<String> names = new HashSet<>();
    headers.forEach(
        (name, value) -> {
          checkHttpHeader(name, value);
          if (!names.add(name.toLowerCase(Locale.ROOT))) {
            form.reject("headers." + name, "is given twice: names of headers ignore case");
          }
        });
  }

  private void checkHttpHeader(String name, String value) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (!HEADER_NAME.matcher(name).matches()) {
      form.reject("headers." + name, "must have a name that HTTP allows");
    } else if (RESERVED_HEADERS.contains(lower) || isOwnHeader(name)) {
      form.reject("headers." + name, "is set by Carillon and must be left out");
    } else if (!value.chars().allMatch(c -> (c >= ' ' && c <= '~') || c == '\t')) {
      form.reject("headers." + name, "must consist of ASCII characters that are no controls");
    } else if (value.length() > MAX_HEADER_LENGTH) {
      form.reject("headers." + name, "must be at most " + MAX_HEADER_LENGTH + " characters long");
    }
  }

  private void check(Action.Amqp sent) {
    checkShortString("exchange", sent.exchange());
    checkShortString("routingKey", sent.routingKey());
    for (String name : sent.headers().keySet()) {
      if (isOwnHeader(name)) {
        form.reject("headers." + name, "is set by Carillon and must be left out");
      } else {
        checkShortString("headers." + name, name);
      }
    }
    sent.properties()
        .forEach(
            (property, value) -> {
              String field = PropertiesForm.FIELD + "." + property.word();
              Optional<String> problem = PropertiesForm.problemOf(property, value);
              problem.ifPresent(message -> form.reject(field, message));
              if (property != MessageProperty.TIMESTAMP) {
                checkShortString(field, value);
              }
            });
  }

  private void checkShortString(String name, String text) {
    if (text.getBytes(StandardCharsets.UTF_8).length > MAX_SHORT_STRING) {
      form.reject(name, "must be at most " + MAX_SHORT_STRING + " bytes long");
    }
  }
}
