package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.queue.Notice;
import dev.carillon.rabbit.NoticeCodec.UnreadableNoticeException;
import dev.carillon.task.Priority;
import dev.carillon.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NoticeCodecTest {

  private static final String JSON =
      "{\"version\":1,\"task\":\"01hzy3v7k2m4n6p8r9s0t1v2w3\",\"index\":4,\"attempt\":2,"
          + "\"token\":9,\"runAt\":\"2027-01-04T08:00:00Z\",\"queue\":\"carillon.pending.x\","
          + "\"parkedAt\":\"2027-01-04T07:59:00.123456789Z\"}";

  private static final Notice NOTICE =
      new Notice(
          new TaskId("01hzy3v7k2m4n6p8r9s0t1v2w3"),
          4,
          2,
          9,
          Instant.parse("2027-01-04T08:00:00Z"),
          "carillon.pending.x",
          Instant.parse("2027-01-04T07:59:00.123456789Z"));

  private final NoticeCodec codec = new NoticeCodec();

  private Notice decode(String json) throws UnreadableNoticeException {
    List<Notice> notices = decodeAll(json);
    assertThat(notices).hasSize(1);
    return notices.get(0);
  }

  private List<Notice> decodeAll(String json) throws UnreadableNoticeException {
    return codec.decode(json.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void peopleCanReadIt() {
    assertThat(codec.encode(List.of(NOTICE))).asString(StandardCharsets.UTF_8).isEqualTo(JSON);
  }

  @Test
  void whatIsWrittenIsRead() throws UnreadableNoticeException {
    assertThat(codec.decode(codec.encode(List.of(NOTICE)))).containsExactly(NOTICE);
  }

  @Test
  void fieldsOfLaterVersionsAreIgnored() throws UnreadableNoticeException {
    assertThat(decode(JSON.replace("{", "{\"new\":{\"a\":[1]},"))).isEqualTo(NOTICE);
  }

  @Test
  void anotherVersionIsNotGuessed() {
    assertThatThrownBy(() -> decode(JSON.replace("\"version\":1", "\"version\":3")))
        .isInstanceOf(UnreadableNoticeException.class)
        .hasMessage("unknown version 3");
  }

  private static Notice urgent(int index) {
    return new Notice(
        NOTICE.task(),
        index,
        1,
        9,
        NOTICE.runAt(),
        "carillon.wheel.64x1000.07",
        NOTICE.parkedAt(),
        Priority.HIGH);
  }

  @Test
  void severalShareAMessage() throws UnreadableNoticeException {
    List<Notice> notices = List.of(urgent(0), urgent(1), NOTICE);

    byte[] message = codec.encode(notices);

    assertThat(codec.decode(message)).isEqualTo(notices);
    assertThat(message)
        .asString(StandardCharsets.UTF_8)
        .startsWith("{\"version\":2,\"notices\":[{\"task\":\"01hzy3v7k2m4n6p8r9s0t1v2w3\"")
        .contains("\"priority\":\"high\"}");
  }

  @Test
  void theMostThatShareAMessageFitEvenIfTheirQueuesHaveTheLongestNames() throws Exception {
    Notice longest =
        new Notice(
            NOTICE.task(),
            Long.MAX_VALUE,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            Instant.parse("9999-12-31T23:59:59.123456789Z"),
            "x".repeat(216),
            Instant.parse("9999-12-31T23:59:59.123456789Z"),
            Priority.NORMAL);
    List<Notice> most = Collections.nCopies(NoticeCodec.MOST_NOTICES, longest);

    assertThat(codec.decode(codec.encode(most))).isEqualTo(most);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"version\":2}                    | notices",
        "{\"version\":2,\"notices\":{}}     | notices",
        "{\"version\":2,\"notices\":[]}     | notices",
        "{\"version\":2,\"notices\":[7]}    | queue",
        "{\"version\":2,\"notices\":[null]} | queue",
        "{\"notices\":[]}                   | version",
      })
  void aListThatIsWrongIsUnreadable(String body, String field) {
    assertThatThrownBy(() -> decodeAll(body))
        .isInstanceOf(UnreadableNoticeException.class)
        .hasMessage("the field " + field + " is missing or wrong");
  }

  @Test
  void moreThanAMessageMayHaveAreNotTaken() {
    String each = JSON.replace("\"version\":1,", "");
    String tooMany = String.join(",", Collections.nCopies(NoticeCodec.MOST_NOTICES + 1, each));
    assertThatThrownBy(() -> decodeAll("{\"version\":2,\"notices\":[" + tooMany + "]}"))
        .isInstanceOf(UnreadableNoticeException.class)
        .hasMessageContaining("notices");
  }

  @Test
  void aPriorityIsKnownOrNotTaken() throws UnreadableNoticeException {
    assertThat(decode(JSON.replace("{", "{\"priority\":\"low\",")).priority())
        .isEqualTo(Priority.LOW);
    assertThatThrownBy(() -> decode(JSON.replace("{", "{\"priority\":\"LOW\",")))
        .hasMessageContaining("priority");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''             | not an object with the fields of a notice",
        "null           | not an object with the fields of a notice",
        "[]             | not an object with the fields of a notice",
        "7              | not an object with the fields of a notice",
        "\"s3cret\"       | not an object with the fields of a notice",
        "s3cret         | not JSON",
        "{\"version\":1   | not JSON",
      })
  void whatIsNoNoticeIsUnreadable(String body, String reason) {
    assertThatThrownBy(() -> decode(body))
        .isInstanceOf(UnreadableNoticeException.class)
        .hasMessage(reason);
  }

  @Test
  void bytesAreUnreadable() {
    assertThatThrownBy(() -> codec.decode(new byte[] {0, 1, -1}))
        .isInstanceOf(UnreadableNoticeException.class)
        .hasMessage("not JSON");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"index\":4      | \"index\":4.5    | index",
        "\"index\":4      | \"index\":\"4\"    | index",
        "\"index\":4      | \"index\":null   | index",
        "\"index\":4      | \"index\":99999999999999999999 | index",
        "\"attempt\":2    | \"attempt\":3000000000 | attempt",
        "\"token\":9,     | ''             | token",
        "01hzy3           | 01HZY3         | task",
        "2027-01-04T08:00:00Z | tomorrow   | runAt",
        "2027-01-04T07:59:00.123456789Z | ''| parkedAt",
        "\"queue\":\"carillon.pending.x\" | \"queue\":null | queue",
        "\"queue\":\"carillon.pending.x\" | \"queue\":{} | queue",
      })
  void aFieldThatIsWrongIsNamed(String right, String wrong, String field) {
    assertThat(JSON).contains(right);
    assertThatThrownBy(() -> decode(JSON.replace(right, wrong)))
        .isInstanceOf(UnreadableNoticeException.class)
        .hasMessage("the field " + field + " is missing or wrong");
  }

  @Test
  void whatFollowsANoticeMakesItUnreadable() {
    assertThatThrownBy(() -> decode(JSON + JSON)).isInstanceOf(UnreadableNoticeException.class);
  }

  @Test
  void aHugeMessageIsNotEvenRead() {
    assertThatThrownBy(() -> decode(JSON + " ".repeat(70_000)))
        .isInstanceOf(UnreadableNoticeException.class)
        .hasMessageContaining("bytes");
  }

  @Test
  void aQueueNameThatNoBrokerTakesIsUnreadable() {
    assertThatThrownBy(() -> decode(JSON.replace("pending.x", "x".repeat(255))))
        .isInstanceOf(UnreadableNoticeException.class)
        .hasMessageContaining("queue");
  }
}
