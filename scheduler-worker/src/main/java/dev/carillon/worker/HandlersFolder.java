package dev.carillon.worker;

import dev.carillon.ops.Environment;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Where a worker looks for jars with handlers. */
public final class HandlersFolder {

  private static final String VARIABLE = "HANDLERS_DIR";
  private static final String STANDARD = "handlers";

  private HandlersFolder() {}

  /** Reads the setting. A folder that was set must be there, the default one need not. */
  public static Path read(Environment environment) {
    String text =
        environment.text(
            VARIABLE, STANDARD, "Folder of jars with handlers for actions of type `handler`");
    try {
      Path folder = Path.of(text);
      if (!text.equals(STANDARD) && !Files.isDirectory(folder)) {
        environment.reject(VARIABLE, "is not a folder: " + folder.toAbsolutePath());
      }
      return folder;
    } catch (InvalidPathException e) {
      environment.reject(VARIABLE, "is not a path: " + e.getReason());
      return Path.of(STANDARD);
    }
  }
}
