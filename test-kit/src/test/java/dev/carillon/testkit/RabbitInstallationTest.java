package dev.carillon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RabbitInstallationTest {

  @TempDir private Path folder;

  @Test
  void takesTheFolderOfTheEnvironment() throws IOException, ServerUnavailableException {
    Path server = Files.createFile(folder.resolve("rabbitmq-server"));
    assertThat(server.toFile().setExecutable(true)).isTrue();

    RabbitInstallation installation =
        RabbitInstallation.find(Map.of("RABBIT_BIN", folder.toString()));

    assertThat(installation.server()).isEqualTo(server);
    assertThat(installation.ctl()).isEqualTo(folder.resolve("rabbitmqctl"));
  }

  @Test
  void looksNowhereElseThen() {
    assertThatThrownBy(() -> RabbitInstallation.find(Map.of("RABBIT_BIN", folder.toString())))
        .isInstanceOf(ServerUnavailableException.class)
        .hasMessageContaining("RABBIT_BIN is " + folder);
  }

  @Test
  void choiceSaysWhatToInstallWhenThereIsNoWayToGetABroker() {
    Map<String, String> environment =
        Map.of("DOCKER_HOST", "unix://" + folder + "/none", "RABBIT_BIN", folder.toString());

    assertThatThrownBy(() -> BrokerChoice.choose(environment))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Install one, or set TEST_AMQP_URI")
        .hasMessageContaining("no Docker engine answers")
        .hasMessageContaining("no rabbitmq-server in ");
  }
}
