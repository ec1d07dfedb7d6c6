package dev.carillon.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FollowedFileTest {

  @Test
  void handsOnLinesAsTheyAreCompleted(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("log");
    Files.writeString(file, "one\ntw");
    List<String> lines = new CopyOnWriteArrayList<>();
    try (FollowedFile followed = new FollowedFile(file, lines::add)) {
      followed.start();
      assertThat(Wait.until(Duration.ofMinutes(1), () -> lines.size() == 1)).isTrue();
      Files.writeString(file, "o – ü\nthree\n", StandardOpenOption.APPEND);
    }
    assertThat(lines).containsExactly("one", "two – ü", "three");
  }
}
