package example.handler;

import dev.carillon.handler.PermanentFailureException;
import dev.carillon.handler.TaskHandler;
import dev.carillon.handler.TaskRun;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Writes a greeting into a file, once for each sub-task, however often it is run: the file is named
 * after the idempotency key, and an attempt that finds it there has nothing left to do.
 */
public final class GreetingHandler implements TaskHandler {

  @Override
  public String name() {
    return "greeting";
  }

  @Override
  public void handle(TaskRun run) throws IOException, PermanentFailureException {
    if (!(run.payload() instanceof Map<?, ?> payload)
        || !(payload.get("folder") instanceof String folder)
        || !(payload.get("to") instanceof String to)) {
      throw new PermanentFailureException("the payload must have the texts folder and to");
    }
    Path greeting = Path.of(folder, run.idempotencyKey() + ".txt");
    try {
      Files.writeString(
          Files.createFile(greeting), "Hello %s, it is %s%n".formatted(to, run.dueAt()));
    } catch (FileAlreadyExistsException alreadyDone) {
      System.getLogger(name()).log(System.Logger.Level.INFO, "{0} was there already", greeting);
    }
  }
}
