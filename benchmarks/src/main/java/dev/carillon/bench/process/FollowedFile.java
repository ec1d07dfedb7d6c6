package dev.carillon.bench.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Hands on the lines of a file that another process writes to, a few times a second: following a
 * pipe instead would wake this process up with each line, at the expense of what is measured.
 */
final class FollowedFile implements AutoCloseable {

  private static final long LOOK_EVERY_MILLIS = 50;
  private static final int BUFFER = 1 << 16;

  private final Path file;
  private final Consumer<String> lines;
  private final Thread thread;
  private volatile boolean closed;

  FollowedFile(Path file, Consumer<String> lines) {
    this.file = file;
    this.lines = lines;
    this.thread = new Thread(this::follow, "follow-" + file.getFileName());
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void follow() {
    ByteArrayOutputStream begun = new ByteArrayOutputStream();
    byte[] buffer = new byte[BUFFER];
    try (InputStream input = Files.newInputStream(file)) {
      while (true) {
        boolean last = closed; // asked first: what was written before is read
        int length = input.read(buffer);
        if (length > 0) {
          handOn(buffer, length, begun);
        } else if (last) {
          return;
        } else {
          Wait.pause(LOOK_EVERY_MILLIS);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void handOn(byte[] buffer, int length, ByteArrayOutputStream begun) {
    int begin = 0;
    for (int i = 0; i < length; i++) {
      if (buffer[i] == '\n') {
        begun.write(buffer, begin, i - begin);
        lines.accept(begun.toString(StandardCharsets.UTF_8));
        begun.reset();
        begin = i + 1;
      }
    }
    begun.write(buffer, begin, length - begin);
  }

  /** Returns when all that has been written so far is handed on. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
