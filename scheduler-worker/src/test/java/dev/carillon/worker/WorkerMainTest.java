package dev.carillon.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The program, in a process of its own. */
final class WorkerMainTest {

  @Test
  void aWrongConfigurationIsExplainedAndEndsTheProcess() throws Exception {
    Process process = start();
    try {
      String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();

      assertThat(process.exitValue()).isEqualTo(2);
      assertThat(errors)
          .contains("the configuration has 2 problems:", "LEASE: ", "HEALTH_PORT: ")
          .doesNotContain("Exception");
    } finally {
      process.destroyForcibly();
    }
  }

  private static Process start() throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            java, "-cp", System.getProperty("java.class.path"), WorkerMain.class.getName());
    builder.environment().put("LEASE", "soon");
    builder.environment().put("HEALTH_PORT", "none");
    return builder.start();
  }
}
