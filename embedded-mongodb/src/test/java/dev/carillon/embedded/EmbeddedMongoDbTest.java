package dev.carillon.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedMongoDbTest {

  @TempDir Path temp;

  @ParameterizedTest
  @EnumSource
  void keepsDataAcrossRestarts(EmbeddedMongoDb.Durability durability) throws IOException {
    Path folder = temp.resolve("created/with/parents");
    try (Session session = Session.on(folder, durability)) {
      session.tasks().insertOne(new Document("_id", "a").append("n", 1L));
    }
    try (Session session = Session.on(folder, durability)) {
      assertThat(session.tasks().find()).containsExactly(new Document("_id", "a").append("n", 1L));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "192.0.2.1", "::"})
  void refusesToListenBeyondLoopback(String host) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EmbeddedMongoDb.start(host, 0, temp))
        .withMessageContaining(host)
        .withMessageContaining("loopback");
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void listensOnTheGivenPort() throws IOException {
    int port = freePort();
    try (EmbeddedMongoDb server = EmbeddedMongoDb.start("localhost", port, temp)) {
      assertThat(server.port()).isEqualTo(port);
      assertThat(server.connectionString())
          .startsWith("mongodb://127.0.0.1:" + port + "/")
          .contains("retryWrites=false", "directConnection=true");
    }
  }

  @Test
  void saysWhichPortIsInUseAndGivesTheFolderFreeAgain() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = other.getLocalPort();
      assertThatThrownBy(() -> EmbeddedMongoDb.start("127.0.0.1", port, temp))
          .isInstanceOf(BindException.class)
          .hasMessageContaining(":" + port)
          .hasMessageContaining("choose another");
    }
    EmbeddedMongoDb.start("127.0.0.1", 0, temp).close();
  }

  @Test
  void refusesAFolderThatIsInUse() throws IOException {
    try (EmbeddedMongoDb first = EmbeddedMongoDb.start("127.0.0.1", 0, temp)) {
      assertThat(first.port()).isPositive();
      assertThatThrownBy(() -> EmbeddedMongoDb.start("127.0.0.1", 0, temp))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining(temp.resolve(DataFile.NAME).toString())
          .hasMessageContaining("in use by another process")
          .hasMessageContaining("choose another data folder");
    }
  }

  @Test
  void saysThatTheDataFolderCannotBeMade() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "not a folder");

    assertThatThrownBy(() -> EmbeddedMongoDb.start("127.0.0.1", 0, file.resolve("below")))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("its folder cannot be made")
        .hasMessageContaining("choose another data folder");
  }

  @Test
  void saysThatTheDataFolderIsAFile() throws IOException {
    Path file = Files.createFile(temp.resolve("file"));
    assertThatThrownBy(() -> EmbeddedMongoDb.start("127.0.0.1", 0, file))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("choose another data folder");
  }

  @Test
  void saysThatTheDataFileCannotBeOpened() throws IOException {
    Path inTheWay = Files.createDirectory(temp.resolve(DataFile.NAME));
    assertThatThrownBy(() -> EmbeddedMongoDb.start("127.0.0.1", 0, temp))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining(inTheWay.toString());
  }

  @Test
  void saysThatTheDataFileIsDamaged() throws IOException {
    Path file = temp.resolve(DataFile.NAME);
    Files.writeString(file, "not a data file. ".repeat(1_000));
    assertThatThrownBy(() -> EmbeddedMongoDb.start("127.0.0.1", 0, temp))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("damaged");
    assertThat(file).content().startsWith("not a data file");
  }

  @Test
  void closesOnceAndReleasesPortAndFolder() throws IOException {
    EmbeddedMongoDb server = EmbeddedMongoDb.start("127.0.0.1", 0, temp);
    server.close();
    server.close();
    EmbeddedMongoDb.start("127.0.0.1", server.port(), temp).close();
  }

  @Test
  void databasesInMemoryAreSeparate() {
    try (Session one = Session.inMemory();
        Session other = Session.inMemory()) {
      one.tasks().insertOne(new Document("_id", "a"));
      assertThat(other.tasks().find()).isEmpty();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
