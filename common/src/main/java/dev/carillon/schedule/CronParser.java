package dev.carillon.schedule;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Reads cron expressions of five fields (Unix) or six (seconds first). Errors name the place, as a
 * position counted from 1, and what is accepted there.
 */
final class CronParser {

  private static final int MAX_LENGTH = 1_000;
  private static final Pattern WORD = Pattern.compile("\\S+");
  private static final long ONLY_ZERO = 1;

  private static final Map<String, String> NICKNAMES =
      Map.of(
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *",
          "@monthly", "0 0 1 * *",
          "@weekly", "0 0 * * 0",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@hourly", "0 * * * *");

  private CronParser() {}

  /**
   * @throws UnreadableException when the expression is malformed, and when it can never fire
   */
  static CronExpression parse(String text, MonthEnd monthEnd) throws UnreadableException {
    if (text.length() > MAX_LENGTH) {
      throw new UnreadableException("must be at most " + MAX_LENGTH + " characters long");
    }
    Map<CronField, CronFieldParser> fields = fields(expandNickname(text));
    CronExpression expression =
        new CronExpression(
            new TimesOfDay(
                fields.get(CronField.HOUR).numbers(),
                fields.get(CronField.MINUTE).numbers(),
                fields.containsKey(CronField.SECOND)
                    ? fields.get(CronField.SECOND).numbers()
                    : ONLY_ZERO),
            fields.get(CronField.DAY_OF_MONTH).days(),
            fields.get(CronField.MONTH).numbers(),
            fields.get(CronField.DAY_OF_WEEK).days(),
            monthEnd);
    if (expression.neverFires()) {
      throw new UnreadableException("can never fire: no year has such a day");
    }
    return expression;
  }

  private static String expandNickname(String text) throws UnreadableException {
    String word = text.strip();
    if (!word.startsWith("@")) {
      return text;
    }
    String expanded = NICKNAMES.get(word.toLowerCase(Locale.ROOT));
    if (expanded == null) {
      throw new UnreadableException(
          CronFieldParser.quote(word)
              + " at position "
              + (text.indexOf('@') + 1)
              + " is not known; accepted are "
              + English.and(NICKNAMES.keySet().stream().sorted().toList()));
    }
    return expanded;
  }

  private static Map<CronField, CronFieldParser> fields(String text) throws UnreadableException {
    List<MatchResult> words = WORD.matcher(text).results().toList();
    List<CronField> layout = layout(words, text);
    Map<CronField, CronFieldParser> fields = new EnumMap<>(CronField.class);
    for (int i = 0; i < layout.size(); i++) {
      MatchResult word = words.get(i);
      CronFieldParser field = new CronFieldParser(layout.get(i));
      field.parse(word.group(), word.start() + 1);
      fields.put(layout.get(i), field);
    }
    return fields;
  }

  private static String missing(int count) {
    return ", " + (count == 1 ? "one is" : count + " are") + " missing at position ";
  }

  private static List<CronField> layout(List<MatchResult> words, String text)
      throws UnreadableException {
    int count = words.size();
    if (count == CronField.UNIX.size()) {
      return CronField.UNIX;
    }
    if (count == CronField.WITH_SECONDS.size()) {
      return CronField.WITH_SECONDS;
    }
    boolean tooMany = count > CronField.WITH_SECONDS.size();
    int position =
        tooMany ? words.get(CronField.WITH_SECONDS.size()).start() + 1 : text.length() + 1;
    throw new UnreadableException(
        "has "
            + English.count(count, "field")
            + (tooMany ? ", too many from position " : missing(CronField.UNIX.size() - count))
            + position
            + "; accepted are 5 (minute, hour, day of month, month, day of week) or 6 (second"
            + " first)");
  }
}
