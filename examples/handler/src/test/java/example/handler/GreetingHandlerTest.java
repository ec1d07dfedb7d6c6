package example.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.handler.PermanentFailureException;
import dev.carillon.handler.TaskRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GreetingHandlerTest {

  @TempDir private Path folder;

  private static TaskRun run(int attempt, Object payload) {
    Instant due = Instant.parse("2027-01-04T08:00:00Z");
    return new TaskRun("t", "greet", 4, attempt, due, "t_4", 9, Map.of(), payload, "{}");
  }

  @Test
  void greetsOnceHoweverOftenItIsRun() throws Exception {
    Map<String, String> payload = Map.of("folder", folder.toString(), "to", "Zoë");

    new GreetingHandler().handle(run(1, payload));
    new GreetingHandler().handle(run(2, payload));

    assertThat(folder).isDirectoryContaining("glob:**t_4.txt");
    assertThat(Files.readString(folder.resolve("t_4.txt")))
        .isEqualTo("Hello Zoë, it is 2027-01-04T08:00:00Z" + System.lineSeparator());
  }

  @Test
  void aPayloadThatCannotBeUsedIsNotTriedAgain() {
    assertThatThrownBy(() -> new GreetingHandler().handle(run(1, null)))
        .isInstanceOf(PermanentFailureException.class);
  }
}
