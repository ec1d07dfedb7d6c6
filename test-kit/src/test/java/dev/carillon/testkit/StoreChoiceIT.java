package dev.carillon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import java.util.Map;
import org.bson.Document;
import org.junit.jupiter.api.Test;

class StoreChoiceIT {

  private final TestStore store = TestStore.shared();

  @Test
  void isTheSameForAllTests() {
    assertThat(TestStore.shared()).isSameAs(store);
  }

  @Test
  void everyFreshDatabaseIsEmptyAndApartFromTheOthers() {
    String mine = store.freshDatabase();
    String yours = store.freshDatabase();

    try (MongoClient client = MongoClients.create(store.uri())) {
      collection(client, mine).insertOne(new Document("owner", "me"));

      assertThat(collection(client, mine).countDocuments()).isEqualTo(1);
      assertThat(collection(client, yours).countDocuments()).isZero();
    }
  }

  @Test
  void worksAsAServerThatTheEnvironmentNames() {
    TestStore named = StoreChoice.choose(Map.of("TEST_MONGODB_URI", store.uri()));

    assertThat(named.uri()).isEqualTo(store.uri());
    assertThat(named.kind()).startsWith("server of TEST_MONGODB_URI, version ");
  }

  @Test
  void saysThatTheEmbeddedServerIsNotMongoDb() {
    TestStore embedded = StoreChoice.choose(Map.of("DOCKER_HOST", "unix:///nowhere"));

    assertThat(embedded.kind()).contains("not MongoDB");
  }

  private static MongoCollection<Document> collection(MongoClient client, String uri) {
    String database = new ConnectionString(uri).getDatabase();
    return client.getDatabase(database).getCollection("things");
  }
}
