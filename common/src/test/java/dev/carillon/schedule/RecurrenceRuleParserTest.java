package dev.carillon.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.form.Form;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecurrenceRuleParserTest {

  private static final Instant NOW = Instant.parse("2026-12-01T00:00:00Z");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                        | must consist of parts NAME=VALUE
          DAILY                                     | "DAILY" is not one
          FREQ=                                     | "FREQ=" is not one
          FREQ=DAILY;                               | "" is not one
          FREQ=DAILY;FREQ=DAILY                     | must not contain "FREQ" twice
          INTERVAL=2                                | must have a FREQ, one of SECONDLY, MINUTELY
          FREQ=FORTNIGHTLY                          | must have a FREQ
          FREQ=DAILY;FOO=1                          | has an unknown part "FOO"
          FREQ=DAILY;RSCALE=GREGORIAN               | has an unknown part "RSCALE"
          FREQ=DAILY;INTERVAL=0                     | has "0" in INTERVAL; accepted are whole numbers from 1
          FREQ=DAILY;INTERVAL=-1                    | has "-1" in INTERVAL
          FREQ=DAILY;INTERVAL=2147483648            | has "2147483648" in INTERVAL
          FREQ=DAILY;INTERVAL=1.5                   | has "1.5" in INTERVAL
          FREQ=DAILY;COUNT=0                        | has "0" in COUNT
          FREQ=DAILY;COUNT=10001                    | has "10001" in COUNT; accepted are whole numbers from 1 to 10000
          FREQ=HOURLY;BYHOUR=9;COUNT=2001           | has "2001" in COUNT; with HOURLY and other parts it may be at most 2000
          FREQ=DAILY;COUNT=2;UNTIL=20270101         | must not have both COUNT and UNTIL
          FREQ=DAILY;UNTIL=tomorrow                 | has an UNTIL that is not a time
          FREQ=DAILY;UNTIL=20270230                 | has an UNTIL that is not a time
          FREQ=DAILY;UNTIL=2027-01-01               | has an UNTIL that is not a time
          FREQ=DAILY;BYSECOND=60                    | has "60" in BYSECOND
          FREQ=DAILY;BYMINUTE=60                    | has "60" in BYMINUTE
          FREQ=DAILY;BYHOUR=24                      | has "24" in BYHOUR; accepted are whole numbers from 0 to 23
          FREQ=DAILY;BYHOUR=-1                      | has "-1" in BYHOUR
          FREQ=DAILY;BYHOUR=1,,2                    | has "" in BYHOUR
          FREQ=DAILY;BYMONTH=13                     | has "13" in BYMONTH
          FREQ=DAILY;BYMONTHDAY=0                   | has "0" in BYMONTHDAY
          FREQ=DAILY;BYMONTHDAY=32                  | has "32" in BYMONTHDAY
          FREQ=DAILY;BYMONTHDAY=-32                 | has "32" in BYMONTHDAY
          FREQ=YEARLY;BYYEARDAY=367                 | has "367" in BYYEARDAY
          FREQ=YEARLY;BYWEEKNO=54                   | has "54" in BYWEEKNO
          FREQ=DAILY;BYDAY=XX                       | has "XX" in BYDAY
          FREQ=MONTHLY;BYDAY=0MO                    | has "0MO" in BYDAY
          FREQ=YEARLY;BYDAY=54MO                    | has "54MO" in BYDAY
          FREQ=DAILY;WKST=9                         | has "9" as WKST
          FREQ=DAILY;BYDAY=1MO                      | may have numbers in BYDAY only with FREQ=MONTHLY
          FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO         | may have numbers in BYDAY only with
          FREQ=MONTHLY;BYWEEKNO=20                  | may have BYWEEKNO only with FREQ=YEARLY
          FREQ=DAILY;BYYEARDAY=1                    | must not have BYYEARDAY with FREQ=DAILY
          FREQ=WEEKLY;BYMONTHDAY=1                  | must not have BYMONTHDAY with FREQ=WEEKLY
          FREQ=MONTHLY;BYSETPOS=1                   | may have BYSETPOS only together with
          """)
  void namesThePartAndWhatIsAccepted(String rule, String message) {
    assertThatThrownBy(() -> RecurrenceRuleParser.parse(rule, RecurrenceRuleParser.MAX_COUNT))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;INTERVAL=7;BYDAY=SA",
        "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2",
        "FREQ=DAILY;BYHOUR=9;BYSETPOS=-2",
        "FREQ=MONTHLY;BYMONTHDAY=31;BYSETPOS=2",
        "FREQ=MONTHLY;BYDAY=6MO",
        "FREQ=MINUTELY;INTERVAL=60;BYMINUTE=30",
        "FREQ=SECONDLY;INTERVAL=86400;BYHOUR=5",
        "FREQ=HOURLY;INTERVAL=24;BYHOUR=5;BYMINUTE=0",
        "FREQ=HOURLY;INTERVAL=168;BYDAY=WE;BYHOUR=12",
        "FREQ=SECONDLY;BYSECOND=5;BYSETPOS=2",
        "FREQ=DAILY;UNTIL=20261201T000000Z"
      })
  void refusesWhatNeverFires(String rule) {
    Form form = Form.of(Map.of("rrule", rule, "startTime", "2026-11-30T12:00:00Z"));

    assertThat(ScheduleReader.readNew(form, NOW)).isEmpty();
    assertThat(form.problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.field()).isEqualTo("rrule");
              assertThat(problem.message()).isEqualTo("never fires in the future");
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          FREQ=DAILY                                  | Every day at 09:00
          FREQ=HOURLY;INTERVAL=3                      | Every 3 hours
          FREQ=HOURLY;BYMINUTE=0,30                   | Every hour at minute 0 and 30
          FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11    | Every 20 minutes in hour 9 to 11
          FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,MO          | Every 2 weeks on Monday and Friday at 09:00
          FREQ=WEEKLY                                 | Every week on Monday at 09:00
          FREQ=MONTHLY                                | Every month on the 4th at 09:00
          FREQ=MONTHLY;BYMONTHDAY=-1,2                | Every month on the 2nd and last day of the month at 09:00
          FREQ=MONTHLY;BYDAY=-1FR                     | Every month on the last Friday of the month at 09:00
          FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1 | Every month on Monday to Friday at 09:00 (of these only the last)
          FREQ=YEARLY                                 | Every year on the 4th in January at 09:00
          FREQ=YEARLY;BYMONTH=11;BYDAY=4TH            | Every year on the fourth Thursday of the month in November at 09:00
          FREQ=YEARLY;BYDAY=20MO                      | Every year on the 20th Monday of the year at 09:00
          FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO            | Every year on Monday in week 20 at 09:00
          FREQ=YEARLY;BYYEARDAY=1,-1                  | Every year on day 1 and 1 from the end of the year at 09:00
          FREQ=DAILY;COUNT=10                         | Every day at 09:00, 10 times
          FREQ=DAILY;UNTIL=20270110T120000Z           | Every day at 09:00, until 2027-01-10T12:00:00Z
          """)
  void readsInPlainEnglish(String rule, String reading) {
    Form form = Form.of(Map.of("rrule", rule, "startTime", "2027-01-04T09:00:00Z"));
    Schedule schedule = ScheduleReader.readNew(form, NOW).orElseThrow();

    assertThat(((DefinedSchedule) schedule).occurrences().reading()).isEqualTo(reading);
  }
}
