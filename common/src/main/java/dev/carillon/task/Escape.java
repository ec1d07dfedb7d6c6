package dev.carillon.task;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** How a value is written so that it stays one value where it is put. Pure. */
public enum Escape {
  /** As it is. */
  NONE {
    @Override
    public String apply(String value) {
      return value;
    }
  },

  /** Percent-encoded, all but the unreserved characters of RFC 3986: one segment or parameter. */
  URL {
    @Override
    public String apply(String value) {
      StringBuilder encoded = new StringBuilder();
      for (byte octet : value.getBytes(StandardCharsets.UTF_8)) {
        char c = (char) (octet & 0xff);
        boolean isLetterOrDigit =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (isLetterOrDigit || "-._~".indexOf(c) >= 0) {
          encoded.append(c);
        } else {
          encoded.append('%').append("%02X".formatted((int) c));
        }
      }
      return encoded.toString();
    }
  },

  /** As part of a JSON string. */
  JSON {
    @Override
    public String apply(String value) {
      StringBuilder escaped = new StringBuilder();
      value
          .chars()
          .forEach(
              c -> {
                if (c == '"' || c == '\\') {
                  escaped.append('\\').append((char) c);
                } else if (c < ' ') {
                  escaped.append("\\u%04x".formatted(c));
                } else {
                  escaped.append((char) c);
                }
              });
      return escaped.toString();
    }
  };

  /** The value in its written form. */
  public abstract String apply(String value);

  /** What fits into content of a media type. */
  static Escape forContent(String mediaType) {
    String type = mediaType.toLowerCase(Locale.ROOT).split(";", 2)[0].strip();
    if (type.equals("application/json") || type.endsWith("+json")) {
      return JSON;
    }
    return type.equals("application/x-www-form-urlencoded") ? URL : NONE;
  }
}
