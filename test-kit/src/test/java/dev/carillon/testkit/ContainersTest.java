package dev.carillon.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;

class ContainersTest {

  @Test
  void namesTheCleanerThatThisVersionOfTestcontainersStarts() throws IOException {
    String definition = "/org/testcontainers/utility/RyukContainer.class";
    try (InputStream bytes = GenericContainer.class.getResourceAsStream(definition)) {
      assertThat(new String(bytes.readAllBytes(), ISO_8859_1))
          .contains(Containers.CLEANER.asCanonicalNameString());
    }
  }
}
