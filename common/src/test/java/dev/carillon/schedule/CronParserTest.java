package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronParserTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          60 * * * *          | "60" at position 1 is not a minute; accepted are 0 to 59
          * 24 * * *          | "24" at position 3 is not an hour; accepted are 0 to 23
          * * 0 * *           | "0" at position 5 is not a day of month; accepted are 1 to 31
          * * * 13 *          | "13" at position 7 is not a month; accepted are 1 to 12, JAN to DEC
          * * * * 8           | "8" at position 9 is not a day of week; accepted are 0 to 7, SUN to SAT
          61 * * * * *        | "61" at position 1 is not a second; accepted are 0 to 59
          1,2,60 * * * *      | "60" at position 5 is not a minute
          */0 * * * *         | "0" at position 3 is not a step; accepted are 1 to 59
          0 */-1 * * *        | "-1" at position 5 is not a step; accepted are 1 to 23
          */60 * * * *        | "60" at position 3 is not a step
          */ * * * *          | a step is missing at position 3
          */2/3 * * * *       | "2/3" at position 3 is not a step
          5-1 * * * *         | "1" at position 3 lies before the beginning of its range
          0 0 * * MON-        | a day of week is missing at position 13
          0 0 * * -MON        | a day of week is missing at position 9
          0 0 * * FRI-MON     | "MON" at position 13 lies before the beginning of its range
          1,,2 * * * *        | a minute is missing at position 3
          ,1 * * * *          | a minute is missing at position 1
          1, * * * *          | a minute is missing at position 3
          a b c d e           | "a" at position 1 is not a minute
          0 0 * January *     | "January" at position 7 is not a month
          0 0 * * Mon-foo     | "foo" at position 13 is not a day of week
          ? * * * *           | "?" at position 1 is not a minute
          * * ?,1 * *         | "?" at position 5 is not a day of month
          0 0 * * L           | "L" at position 9 is not a day of week
          0 0 32W * *         | "32" at position 5 is not a day of month
          0 0 L-31 * *        | "31" at position 7 is too many days; accepted are 0 to 30
          0 0 * * MON#0       | "0" at position 13 is not a week of the month; accepted are 1 to 5
          0 0 * * MON#6       | "6" at position 13 is not a week of the month
          0 0 * * FOOL        | "FOO" at position 9 is not a day of week
          0 0 * * 9#1         | "9" at position 9 is not a day of week
          0 0 * 1W *          | "1W" at position 7 is not a month
          * * * *             | has 4 fields, one is missing at position 8
          *                   | has 1 field, 4 are missing at position 2
          * * * * * * *       | has 7 fields, too many from position 13
          * * * * * foo       | "foo" at position 11 is not a day of week
          @reboot             | "@reboot" at position 1 is not known; accepted are @annually, @daily
          @every 5m           | "@every 5m" at position 1 is not known
          0 0 30 2 *          | can never fire
          0 0 31 2,4,6 *      | can never fire
          0 0 30W 2 *         | can never fire
          0 0 L-30 2 *        | can never fire
          """)
  void namesThePlaceAndWhatIsAccepted(String cron, String message) {
    assertThatThrownBy(() -> CronParser.parse(cron, MonthEnd.SKIP))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t"})
  void refusesEmptyExpressions(String cron) {
    assertThatThrownBy(() -> CronParser.parse(cron, MonthEnd.SKIP))
        .isInstanceOf(UnreadableException.class)
        .hasMessageStartingWith("has 0 fields");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          * * * * *                 | Every minute
          * * * * * *               | Every second
          */5 * * * * *             | Every 5 seconds
          */15 * * * *              | Every 15 minutes
          0 * * * *                 | Every hour
          7 * * * *                 | Every hour at minute 7
          0,7 * * * *               | At minutes 0 and 7
          30 2 * * *                | At 02:30 every day
          30 15 10 * * *            | At 10:15:30 every day
          0 9 * * MON-FRI           | At 09:00 on Monday to Friday
          0 9 * * 0,6               | At 09:00 on Saturday and Sunday
          0 0 13 * 5                | At 00:00 on the 13th and also on Friday
          */10 9-17 * * 1-5         | Every 10 minutes from 09:00 to 17:50 on Monday to Friday
          5 9-17 * * *              | Every hour from 09:05 to 17:05 every day
          0,30 5,17 1,15 */3 *      | At 05:00, 05:30, 17:00 and 17:30 on the 1st and 15th in January, April, July and October
          0 0 L * *                 | At 00:00 on the last day of the month
          0 0 LW * *                | At 00:00 on the weekday nearest to the last day of the month
          0 0 15W 2 *               | At 00:00 on the weekday nearest to the 15th in February
          0 0 * * FRI#2             | At 00:00 on the second Friday of the month
          0 0 * * 5L                | At 00:00 on the last Friday of the month
          * 2,3 * * *               | Every minute from 02:00 to 03:59 every day
          5,6 */2 * * *             | At minutes 5 and 6 of the hours 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20 and 22 every day
          17 30 */4 * * *           | At 00:30:17, 04:30:17, 08:30:17, 12:30:17, 16:30:17 and 20:30:17 every day
          17 30 */3 * * *           | At second 17 of minute 30 of the hours 0, 3, 6, 9, 12, 15, 18 and 21 every day
          @hourly                   | Every hour
          @weekly                   | At 00:00 on Sunday
          @yearly                   | At 00:00 on the 1st in January
          """)
  void readsInPlainEnglish(String cron, String reading) throws UnreadableException {
    assertThat(CronParser.parse(cron, MonthEnd.SKIP).reading()).isEqualTo(reading);
  }

  @Test
  void ignoresSpacesAround() throws UnreadableException {
    assertThat(CronParser.parse("\t 30  2 * * *  ", MonthEnd.SKIP).reading())
        .isEqualTo("At 02:30 every day");
  }
}
