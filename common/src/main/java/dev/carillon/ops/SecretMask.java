package dev.carillon.ops;

import java.util.regex.Pattern;

/** Makes values fit to be printed. Rather hides too much than too little. */
final class SecretMask {

  static final String MASK = "***";

  /** From the first colon after the scheme to the last at sign: a password may contain both. */
  private static final Pattern PASSWORD = Pattern.compile("^([^:/]+://[^:@/?]*:).*@");

  private static final Pattern SECRET_PARAMETER =
      Pattern.compile(
          "([?&][^=&]*(?:password|secret|token|authmechanismproperties)[^=&]*=)[^&]*",
          Pattern.CASE_INSENSITIVE);

  private SecretMask() {}

  static String inUri(String uri) {
    String masked = PASSWORD.matcher(uri).replaceFirst("$1" + MASK + "@");
    return SECRET_PARAMETER.matcher(masked).replaceAll("$1" + MASK);
  }
}
