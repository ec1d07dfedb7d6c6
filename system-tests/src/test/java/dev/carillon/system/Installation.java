package dev.carillon.system;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.carillon.testkit.TestBroker;
import dev.carillon.testkit.TestStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An API and workers as processes of their own, on a broker and a store. */
final class Installation implements AutoCloseable {

  private final List<JarProcess> processes = new ArrayList<>();
  private final Map<String, JarProcess> workers = new HashMap<>();
  private final Map<String, String> variables = new HashMap<>();
  private final String amqpUri;
  private final ApiClient api;
  private final JarProcess apiProcess;

  /** With a virtual host and a database of its own. */
  Installation(Map<String, String> settings) {
    this(settings, Map.of());
  }

  /**
   * The same.
   *
   * @param ofTheApi more variables for the process of the API
   */
  Installation(Map<String, String> settings, Map<String, String> ofTheApi) {
    amqpUri = TestBroker.shared().freshVhost();
    variables.put("AMQP_URI", amqpUri);
    variables.put("MONGODB_URI", TestStore.shared().freshDatabase());
    variables.putAll(settings);
    int port = freePort();
    Map<String, String> more = new HashMap<>(ofTheApi);
    more.put("HTTP_HOST", "127.0.0.1");
    more.put("HTTP_PORT", "" + port);
    apiProcess = start("scheduler-api", more);
    api = new ApiClient(port);
    awaitReady(api, apiProcess);
  }

  private JarProcess start(String module, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(variables);
    all.putAll(more);
    JarProcess process = JarProcess.start(module, all);
    processes.add(process);
    return process;
  }

  private static void awaitReady(ApiClient client, JarProcess process) {
    await()
        .atMost(Duration.ofSeconds(60))
        .failFast("the process has ended", process::requireAlive)
        .untilAsserted(
            () -> {
              if (!client.isReady()) {
                throw new AssertionError("not ready: " + process.tail());
              }
            });
  }

  /** Starts a worker and returns when it takes notices. */
  JarProcess startWorker(String name) {
    startWorker(name, Map.of());
    return workers.get(name);
  }

  /**
   * Starts a worker and returns when it takes notices.
   *
   * @param more variables for its process
   * @return its health and metrics
   */
  ApiClient startWorker(String name, Map<String, String> more) {
    int port = freePort();
    Map<String, String> all = new HashMap<>(more);
    all.putAll(Map.of("HEALTH_HOST", "127.0.0.1", "HEALTH_PORT", "" + port, "WORKER_NAME", name));
    JarProcess worker = start("scheduler-worker", all);
    ApiClient client = new ApiClient(port);
    awaitReady(client, worker);
    workers.put(name, worker);
    return client;
  }

  /** The process of the worker that runs a sub-task of the task now. */
  JarProcess workerOf(String taskId) {
    for (JsonNode subTask : api.task(taskId).path("subTasks")) {
      if (subTask.path("status").asText().equals("RUNNING")) {
        String worker = subTask.path("worker").asText();
        return workers.get(worker.substring(0, worker.lastIndexOf('-')));
      }
    }
    throw new AssertionError("no sub-task runs: " + api.task(taskId));
  }

  ApiClient api() {
    return api;
  }

  JarProcess apiProcess() {
    return apiProcess;
  }

  String mongodbUri() {
    return variables.get("MONGODB_URI");
  }

  String amqpUri() {
    return amqpUri;
  }

  /** The end of what all processes have printed. */
  String tails() {
    return String.join("\n", processes.stream().map(JarProcess::tail).toList());
  }

  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    processes.forEach(JarProcess::close);
  }
}
