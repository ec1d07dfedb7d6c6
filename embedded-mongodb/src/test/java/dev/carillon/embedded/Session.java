package dev.carillon.embedded;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bson.Document;

/** A server and a driver connected to it, closed in the right order. */
record Session(EmbeddedMongoDb server, MongoClient client) implements AutoCloseable {

  static Session inMemory() {
    return connectedTo(EmbeddedMongoDb.startInMemory());
  }

  static Session on(Path folder) throws IOException {
    return connectedTo(EmbeddedMongoDb.start("127.0.0.1", 0, folder));
  }

  static Session on(Path folder, EmbeddedMongoDb.Durability durability) throws IOException {
    return connectedTo(EmbeddedMongoDb.start("127.0.0.1", 0, folder, durability));
  }

  private static Session connectedTo(EmbeddedMongoDb server) {
    return new Session(server, MongoClients.create(server.connectionString()));
  }

  MongoDatabase database() {
    return client.getDatabase("carillon");
  }

  MongoCollection<Document> tasks() {
    return database().getCollection("tasks");
  }

  /** How many documents the server looked at so far. */
  long documentsExamined() {
    return database()
        .runCommand(new Document("serverStatus", 1))
        .getEmbedded(List.of("metrics", "queryExecutor", "scannedObjects"), Long.class);
  }

  /** A time as the driver reads it. */
  static Date at(long epochMillis) {
    return Date.from(Instant.ofEpochMilli(epochMillis));
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
