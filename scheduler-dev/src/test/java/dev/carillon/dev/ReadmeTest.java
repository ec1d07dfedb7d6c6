package dev.carillon.dev;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.api.ApiProcess;
import dev.carillon.ops.Environment;
import dev.carillon.ops.Setting;
import dev.carillon.worker.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** README says what the code does, and compose passes on what README names. */
final class ReadmeTest {

  private static final String BEGIN = "<!-- settings -->\n";
  private static final Environment API = Environment.of(Map.of());
  private static final Environment WORKER = Environment.of(Map.of());

  static {
    ApiProcess.Settings.read(API);
    WorkerProcess.Settings.read(WORKER);
  }

  private static final String END = "<!-- /settings -->";

  @Test
  void theTableOfSettingsIsThatOfTheCode() throws IOException {
    String readme = Files.readString(Path.of("..", "README.md"));
    String table = readme.substring(readme.indexOf(BEGIN) + BEGIN.length(), readme.indexOf(END));

    assertThat(table).isEqualTo(expectedTable());
  }

  /** Services come in the order of this file: what all have, the API, the worker. */
  @Test
  void composePassesEverySettingToWhoReadsIt() throws IOException {
    String compose = Files.readString(Path.of("..", "docker-compose.yml"));
    String both = between(compose, "x-own-environment:", "x-build-args:");
    String ofApi = both + between(compose, "\n  api:", "\n  worker:");
    String ofWorker = both + between(compose, "\n  worker:", "\nvolumes:");

    assertThat(API.settings()).allSatisfy(setting -> assertPassed(ofApi, setting));
    assertThat(WORKER.settings()).allSatisfy(setting -> assertPassed(ofWorker, setting));
  }

  private static void assertPassed(String service, Setting setting) {
    assertThat(service).containsPattern("(?m)^ +" + setting.name() + ":");
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin);
    return text.substring(from, text.indexOf(end, from));
  }

  private static String expectedTable() {
    Map<String, Setting> all = new LinkedHashMap<>();
    API.settings().forEach(setting -> all.put(setting.name(), setting));
    WORKER.settings().forEach(setting -> all.put(setting.name(), setting));

    StringBuilder table = new StringBuilder("| variable | of | default | meaning |\n");
    table.append("| --- | --- | --- | --- |\n");
    all.values()
        .forEach(
            setting ->
                table.append(
                    "| `%s` | %s | %s | %s |\n"
                        .formatted(
                            setting.name(),
                            whose(setting, API.settings(), WORKER.settings()),
                            setting.standard().isEmpty() ? "" : "`" + setting.standard() + "`",
                            setting.description())));
    return table.toString();
  }

  private static String whose(Setting setting, List<Setting> api, List<Setting> worker) {
    boolean ofApi = api.contains(setting);
    return ofApi && worker.contains(setting) ? "both" : ofApi ? "API" : "worker";
  }
}
