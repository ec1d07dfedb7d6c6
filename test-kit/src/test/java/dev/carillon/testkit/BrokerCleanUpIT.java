package dev.carillon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is left of a broker afterwards: nothing. */
class BrokerCleanUpIT {

  @Test
  void nothingIsLeftAfterClose() {
    PrivateBroker broker = TestBroker.startPrivate();
    Remains remains = Remains.of(broker);
    assertThat(remains.areThere()).isTrue();

    broker.close();
    broker.close();

    assertThat(remains.areGone()).isTrue();
  }

  @Test
  void nothingIsLeftWhenTheJvmIsKilled() throws Exception {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                BrokerOwner.class.getName())
            .redirectError(Redirect.INHERIT)
            .start();
    Remains remains;
    try (BufferedReader output = jvm.inputReader()) {
      remains = Remains.parse(output.readLine());
      assertThat(remains.areThere()).isTrue();

      jvm.destroyForcibly();
    }

    await().atMost(Duration.ofSeconds(30)).until(remains::areGone);
  }

  @Test
  void nothingIsLeftOfABrokerThatDoesNotStart() throws IOException {
    long before = folders();

    assertThatThrownBy(() -> TestBroker.startPrivate("no_such_setting = 1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("RabbitMQ exited with ")
        .hasMessageContaining("no_such_setting");

    assertThat(folders()).isEqualTo(before);
  }

  private static long folders() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files.filter(file -> file.getFileName().toString().startsWith("carillon-")).count();
    }
  }

  /** Starts a broker, says where, and waits to be killed. */
  static final class BrokerOwner {

    private BrokerOwner() {}

    public static void main(String[] arguments) throws InterruptedException {
      try (PrivateBroker broker = TestBroker.startPrivate()) {
        System.out.println(Remains.of(broker));
        Thread.currentThread().join();
      }
    }
  }
}
