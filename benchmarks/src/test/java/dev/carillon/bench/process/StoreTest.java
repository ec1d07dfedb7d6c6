package dev.carillon.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StoreTest {

  @ParameterizedTest
  @CsvSource({
    "mongodb://host:27017, mongodb://host:27017/bench",
    "mongodb://host/, mongodb://host/bench",
    "'mongodb://a:b@one:1,two:2/c?replicaSet=rs', 'mongodb://a:b@one:1,two:2/bench?replicaSet=rs'",
    "mongodb+srv://host/?retryWrites=false, mongodb+srv://host/bench?retryWrites=false"
  })
  void putsItsOwnDatabaseIntoTheUri(String uri, String expected) {
    assertThat(Store.withDatabase(uri, "bench")).isEqualTo(expected);
  }
}
