package dev.carillon.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.task.TaskId;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CursorTest {

  private static final TaskId ID = new TaskId("01jgftvxg0abcdefghjkmnpqrs");

  @Test
  void whatIsWrittenIsReadBack() {
    assertThat(Cursor.readTask(Cursor.after(ID))).contains(ID);
    assertThat(Cursor.readIndex(Cursor.from(0))).contains(0L);
    assertThat(Cursor.readIndex(Cursor.from(-7))).contains(-7L);
    assertThat(Cursor.readIndex(Cursor.from(12_345_678_901L))).contains(12_345_678_901L);
  }

  @Test
  void oneListingDoesNotTakeTheOthersCursor() {
    assertThat(Cursor.readIndex(Cursor.after(ID))).isEmpty();
    assertThat(Cursor.readTask(Cursor.from(1))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "task:",
        "task:x",
        "index:-0",
        "index:01",
        "index:1 ",
        "index:99999999999999999999",
        "x",
        ""
      })
  void otherTextIsRefused(String text) {
    String cursor = Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));

    assertThat(Cursor.readTask(cursor)).isEmpty();
    assertThat(Cursor.readIndex(cursor)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"%", "a b", "ä", "=", "\u0000"})
  void whatIsNotBase64IsRefused(String cursor) {
    assertThat(Cursor.readTask(cursor)).isEmpty();
    assertThat(Cursor.readIndex(cursor)).isEmpty();
  }

  @Test
  void aCursorHasOneSpelling() {
    assertThat(Cursor.readTask(Cursor.after(ID) + "=")).isEmpty();
  }
}
