package dev.carillon.embedded;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;

/** Opens the file that holds the data; when that fails, says which file and what to do about it. */
final class DataFile {

  static final String NAME = "mongodb.mvstore";

  private static final int CACHE_MEGABYTES = 64;
  private static final int RETENTION_MILLIS = 1_000;

  private DataFile() {}

  static DurableBackend open(Path folder, EmbeddedMongoDb.Durability durability)
      throws IOException {
    Path file = folder.resolve(NAME).toAbsolutePath();
    requireWritable(folder, file);
    try {
      return new DurableBackend(open(new MVStore.Builder().fileName(file.toString())), durability);
    } catch (MVStoreException e) {
      throw explained(file, e);
    }
  }

  static DurableBackend inMemory() {
    return new DurableBackend(open(new MVStore.Builder()), EmbeddedMongoDb.Durability.COMMIT);
  }

  /**
   * Nothing commits on its own, because a commit in the middle of a command would make half of it
   * durable. Nobody reads older versions, but their space is not reused at once: after a kill in
   * the middle of a commit the store looks for the newest state that is whole, and needs what that
   * refers to.
   */
  private static MVStore open(MVStore.Builder builder) {
    MVStore store =
        builder.autoCommitDisabled().autoCommitBufferSize(0).cacheSize(CACHE_MEGABYTES).open();
    store.setVersionsToKeep(0);
    store.setRetentionTime(RETENTION_MILLIS);
    return store;
  }

  /**
   * MVStore itself would open a file that it cannot write read-only, and fail at the first write.
   */
  private static void requireWritable(Path folder, Path file) throws IOException {
    try {
      Files.createDirectories(folder);
    } catch (FileAlreadyExistsException e) {
      throw because(file, "its folder is not a folder: choose another data folder", e);
    } catch (FileSystemException e) {
      throw because(
          file, "its folder cannot be made: grant access, or choose another data folder", e);
    }
    if (!Files.isWritable(folder) || (Files.exists(file) && !Files.isWritable(file))) {
      throw new AccessDeniedException(
          file.toString(),
          null,
          "it cannot be written: grant access, or choose another data folder");
    }
  }

  private static FileSystemException explained(Path file, MVStoreException cause) {
    return switch (cause.getErrorCode()) {
      case DataUtils.ERROR_FILE_LOCKED ->
          because(
              file,
              "it is in use by another process: stop that process, or choose another data folder",
              cause);
      case DataUtils.ERROR_FILE_CORRUPT, DataUtils.ERROR_UNSUPPORTED_FORMAT ->
          because(
              file,
              "it is damaged or not a data file: put back a copy, or move it away to start empty",
              cause);
      default -> because(file, "it cannot be opened: " + cause.getMessage(), cause);
    };
  }

  private static FileSystemException because(Path file, String reason, Exception cause) {
    FileSystemException explained = new FileSystemException(file.toString(), null, reason);
    explained.initCause(cause);
    return explained;
  }
}
