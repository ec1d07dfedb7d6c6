package dev.carillon.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.queue.Notice;
import dev.carillon.rabbit.NoticeCodec.UnreadableNoticeException;
import dev.carillon.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    return codec.decode(json.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void peopleCanReadIt() {
    assertThat(codec.encode(NOTICE)).asString(StandardCharsets.UTF_8).isEqualTo(JSON);
  }

  @Test
  void whatIsWrittenIsRead() throws UnreadableNoticeException {
    assertThat(codec.decode(codec.encode(NOTICE))).isEqualTo(NOTICE);
  }

  @Test
  void fieldsOfLaterVersionsAreIgnored() throws UnreadableNoticeException {
    assertThat(decode(JSON.replace("{", "{\"new\":{\"a\":[1]},"))).isEqualTo(NOTICE);
  }

  @Test
  void anotherVersionIsNotGuessed() {
    assertThatThrownBy(() -> decode(JSON.replace("\"version\":1", "\"version\":2")))
        .isInstanceOf(UnreadableNoticeException.class)
        .hasMessage("unknown version 2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "7",
        "\"text\"",
        "{}",
        "hello",
        "{\"version\":1",
        "\u0000\u0001\u0002",
      })
  void whatIsNoNoticeIsUnreadable(String body) {
    assertThatThrownBy(() -> decode(body))
        .isInstanceOf(UnreadableNoticeException.class)
        .hasMessageMatching("(?s).+");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"index\":4      | \"index\":4.5",
        "\"index\":4      | \"index\":\"4\"",
        "\"index\":4      | \"index\":null",
        "\"index\":4      | \"index\":99999999999999999999",
        "\"attempt\":2    | \"attempt\":3000000000",
        "\"token\":9,     | ''",
        "01hzy3           | 01HZY3",
        "2027-01-04T08:00:00Z | tomorrow",
        "\"queue\":\"carillon.pending.x\" | \"queue\":null",
      })
  void aFieldThatIsWrongIsUnreadable(String right, String wrong) {
    assertThat(JSON).contains(right);
    assertThatThrownBy(() -> decode(JSON.replace(right, wrong)))
        .isInstanceOf(UnreadableNoticeException.class);
  }

  @Test
  void whatFollowsANoticeMakesItUnreadable() {
    assertThatThrownBy(() -> decode(JSON + JSON)).isInstanceOf(UnreadableNoticeException.class);
  }

  @Test
  void aHugeMessageIsNotEvenRead() {
    assertThatThrownBy(() -> decode(JSON + " ".repeat(20_000)))
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
