package dev.carillon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseUriTest {

  @ParameterizedTest
  @CsvSource({
    "mongodb://localhost, mongodb://localhost/fresh",
    "mongodb://localhost:27017/, mongodb://localhost:27017/fresh",
    "mongodb://localhost/used, mongodb://localhost/fresh",
    "mongodb://localhost/?w=1, mongodb://localhost/fresh?w=1",
    "mongodb://a:1/?replicaSet=r&w=1, mongodb://a:1/fresh?replicaSet=r&w=1",
    "'mongodb://a:1,b:2/used?replicaSet=r', 'mongodb://a:1,b:2/fresh?replicaSet=r'",
  })
  void replacesTheDatabase(String uri, String expected) {
    assertThat(DatabaseUri.withDatabase(uri, "fresh")).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "mongodb://u:p@localhost, mongodb://u:p@localhost/fresh?authSource=admin",
    "mongodb://u:p@localhost/used?w=1, mongodb://u:p@localhost/fresh?w=1&authSource=used",
    "mongodb://u:p@localhost/?authSource=x, mongodb://u:p@localhost/fresh?authSource=x",
  })
  void keepsCheckingCredentialsInTheSameDatabase(String uri, String expected) {
    assertThat(DatabaseUri.withDatabase(uri, "fresh")).isEqualTo(expected);
  }

  @Test
  void leavesTheDatabaseOut() {
    assertThat(DatabaseUri.withDatabase("mongodb://localhost/used?w=1", ""))
        .isEqualTo("mongodb://localhost/?w=1");
  }

  @Test
  void refusesWhatIsNotAConnectionString() {
    assertThatThrownBy(() -> DatabaseUri.withDatabase("http://localhost", "fresh"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
