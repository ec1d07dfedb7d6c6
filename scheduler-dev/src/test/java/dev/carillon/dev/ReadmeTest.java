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

/** README says what the code does. */
final class ReadmeTest {

  private static final String BEGIN = "<!-- settings -->\n";
  private static final String END = "<!-- /settings -->";

  @Test
  void theTableOfSettingsIsThatOfTheCode() throws IOException {
    String readme = Files.readString(Path.of("..", "README.md"));
    String table = readme.substring(readme.indexOf(BEGIN) + BEGIN.length(), readme.indexOf(END));

    assertThat(table).isEqualTo(expectedTable());
  }

  private static String expectedTable() {
    Environment api = Environment.of(Map.of());
    Environment worker = Environment.of(Map.of());
    ApiProcess.Settings.read(api);
    WorkerProcess.Settings.read(worker);
    Map<String, Setting> all = new LinkedHashMap<>();
    api.settings().forEach(setting -> all.put(setting.name(), setting));
    worker.settings().forEach(setting -> all.put(setting.name(), setting));

    StringBuilder table = new StringBuilder("| variable | of | default | meaning |\n");
    table.append("| --- | --- | --- | --- |\n");
    all.values()
        .forEach(
            setting ->
                table.append(
                    "| `%s` | %s | %s | %s |\n"
                        .formatted(
                            setting.name(),
                            whose(setting, api.settings(), worker.settings()),
                            setting.standard().isEmpty() ? "" : "`" + setting.standard() + "`",
                            setting.description())));
    return table.toString();
  }

  private static String whose(Setting setting, List<Setting> api, List<Setting> worker) {
    boolean ofApi = api.contains(setting);
    return ofApi && worker.contains(setting) ? "both" : ofApi ? "API" : "worker";
  }
}
