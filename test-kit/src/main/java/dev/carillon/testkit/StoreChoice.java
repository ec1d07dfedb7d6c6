package dev.carillon.testkit;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import dev.carillon.embedded.EmbeddedMongoDb;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.testcontainers.mongodb.MongoDBContainer;

/** Decides which store the tests of this JVM use. */
final class StoreChoice {

  static final OncePerJvm<TestStore> SHARED =
      new OncePerJvm<>(() -> announced(choose(System.getenv())));

  private StoreChoice() {}

  /**
   * @throws IllegalStateException if {@code TEST_MONGODB_URI} is set and does not answer: who names
   *     a store wants no other one
   */
  static TestStore choose(Map<String, String> environment) {
    String uri = environment.get("TEST_MONGODB_URI");
    if (uri != null && !uri.isBlank()) {
      return external(uri);
    }
    try {
      return container(environment);
    } catch (ServerUnavailableException unavailable) {
      System.out.println("Store for tests: no container, because " + unavailable.getMessage());
    }
    return embedded();
  }

  private static TestStore external(String uri) {
    String version;
    try {
      version = version(uri);
    } catch (MongoException exception) {
      throw new IllegalStateException("No connection to the store of TEST_MONGODB_URI", exception);
    }
    TestStore store = new TestStore(uri, "server of TEST_MONGODB_URI, version " + version);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> dropDatabases(store), "drop-test-databases"));
    return store;
  }

  private static TestStore container(Map<String, String> environment)
      throws ServerUnavailableException {
    MongoDBContainer container =
        Containers.start(
            environment,
            "TEST_MONGO_IMAGE",
            "mongo:8",
            image -> new MongoDBContainer(image).withReplicaSet());
    try {
      String uri = container.getReplicaSetUrl();
      return new TestStore(uri, "MongoDB " + version(uri) + " container");
    } catch (MongoException exception) {
      container.stop();
      throw new ServerUnavailableException(
          "the store in its container can't be reached: " + exception, exception);
    }
  }

  // Ends with the JVM; closing it earlier would only make clients complain that are still open.
  private static TestStore embedded() {
    EmbeddedMongoDb server = EmbeddedMongoDb.startInMemory();
    return new TestStore(
        server.connectionString(), "embedded server (mongo-java-server), not MongoDB");
  }

  private static String version(String uri) {
    try (MongoClient client = client(uri)) {
      return client
          .getDatabase("admin")
          .runCommand(new Document("buildInfo", 1))
          .getString("version");
    }
  }

  private static void dropDatabases(TestStore store) {
    try (MongoClient client = client(store.uri())) {
      for (String name : client.listDatabaseNames()) {
        if (store.handedOut(name)) {
          client.getDatabase(name).drop();
        }
      }
    }
  }

  private static MongoClient client(String uri) {
    return MongoClients.create(
        MongoClientSettings.builder()
            .applyConnectionString(new ConnectionString(uri))
            .applyToClusterSettings(cluster -> cluster.serverSelectionTimeout(10, TimeUnit.SECONDS))
            .build());
  }

  private static TestStore announced(TestStore store) {
    System.out.println("Store for tests: " + store.kind());
    return store;
  }
}
