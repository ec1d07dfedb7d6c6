package dev.carillon.config;

import dev.carillon.ops.Environment;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** For which exchanges messages are taken in that are to be delivered later. */
public final class IngressSettings {

  private static final String VARIABLE = "INGRESS_EXCHANGES";

  /** With the longest prefix that there may be, still short enough for a name at the broker. */
  private static final Pattern NAME = Pattern.compile("[^,\\s]{1,190}");

  private IngressSettings() {}

  /** Reads the setting; nothing is taken in when it is empty. */
  public static List<String> read(Environment environment) {
    String text =
        environment.text(
            VARIABLE,
            "",
            "Exchanges, separated by commas, to which publishers may send messages that are to be"
                + " delivered later: for each there is an exchange `<AMQP_PREFIX>.delay.<name>`;"
                + " `amq.default` stands for the default exchange");
    List<String> names =
        Arrays.stream(text.split(",")).map(String::strip).filter(n -> !n.isEmpty()).toList();
    if (!names.stream().allMatch(name -> NAME.matcher(name).matches())
        || names.stream().distinct().count() < names.size()) {
      environment.reject(
          VARIABLE, "must be different names of exchanges without spaces, separated by commas");
    }
    return names;
  }
}
