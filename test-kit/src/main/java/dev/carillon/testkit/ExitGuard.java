package dev.carillon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Kills processes and removes their folder when it is closed or this JVM ends, in whichever way.
 *
 * <p>A shutdown hook alone would not do: test JVMs get killed when they hang. The guard is a shell
 * that waits for the end of its standard input, which the kernel closes with the JVM.
 */
public final class ExitGuard implements AutoCloseable {

  private static final String WAIT_AND_CLEAN_UP =
      """
      trap '' INT HUP TERM
      cat >/dev/null
      for file in "$1"/*.pid; do
        if [ -f "$file" ]; then kill -9 "$(cat "$file")"; fi
      done
      rm -rf "$1" || { sleep 1; rm -rf "$1"; }
      """;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Path folder;
  private final Process shell;

  private ExitGuard(Path folder, Process shell) {
    this.folder = folder;
    this.shell = shell;
  }

  /** Starts to guard a folder, which is removed with all that is in it at the end. */
  public static ExitGuard over(Path folder) throws IOException {
    Process shell =
        new ProcessBuilder("sh", "-c", WAIT_AND_CLEAN_UP, "exit-guard", folder.toString())
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    return new ExitGuard(folder, shell);
  }

  /** Has the process killed at the end. Replaces one that was watched under the same name. */
  public void watch(String name, Process process) {
    try {
      Files.writeString(pidFile(name), Long.toString(process.pid()));
    } catch (IOException exception) {
      process.destroyForcibly();
      throw new UncheckedIOException(exception);
    }
  }

  /** To be called when a process has ended, before its id can belong to another one. */
  public void forget(String name) {
    try {
      Files.deleteIfExists(pidFile(name));
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
  }

  private Path pidFile(String name) {
    return folder.resolve(name + ".pid");
  }

  /** Returns when the processes are killed and the folder is removed. Repeatable. */
  @Override
  public void close() {
    try {
      shell.getOutputStream().close();
    } catch (IOException exception) {
      throw new UncheckedIOException(exception);
    }
    if (!Command.endsWithin(LIMIT, shell)) {
      throw new IllegalStateException("Not cleaned up within " + LIMIT + ": " + folder);
    }
  }
}
