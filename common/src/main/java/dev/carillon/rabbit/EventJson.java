package dev.carillon.rabbit;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.carillon.event.TaskEvent;
import dev.carillon.task.SubTask;
import dev.carillon.task.Task;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;

/**
 * Events as CloudEvents 1.0 in structured JSON. What a task does is left out, since it may hold
 * secrets. Thread-safe.
 */
final class EventJson {

  static final String CONTENT_TYPE = "application/cloudevents+json; charset=utf-8";

  private static final ObjectMapper JSON = new ObjectMapper();

  private EventJson() {}

  static String typeOf(TaskEvent event) {
    return "dev.carillon." + event.type();
  }

  /**
   * @param prefix tells this installation from others
   */
  static byte[] encode(TaskEvent event, String prefix) {
    Task task = event.task();
    ObjectNode json =
        JSON.createObjectNode()
            .put("specversion", "1.0")
            .put("id", event.id())
            .put("source", "/" + prefix + "/tasks/" + task.id())
            .put("type", typeOf(event))
            .put("time", event.at().toString())
            .put("datacontenttype", "application/json");
    event
        .subTask()
        .ifPresent(one -> json.put("subject", SubTask.idempotencyKey(task.id(), one.index())));
    ObjectNode data = json.putObject("data");
    data.put("taskId", task.id().value())
        .put("name", task.definition().name())
        .put("status", task.status().name())
        .put("revision", task.revision());
    put(data, "nextDueAt", task.nextDueAt());
    task.definition().tags().forEach(data.putArray("tags")::add);
    task.definition().metadata().forEach(data.putObject("metadata")::put);
    event.subTask().ifPresent(one -> put(data.putObject("subTask"), task, one));
    return json.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void put(ObjectNode json, Task task, SubTask one) {
    json.put("index", one.index())
        .put("idempotencyKey", SubTask.idempotencyKey(task.id(), one.index()))
        .put("dueAt", one.dueAt().toString())
        .put("runAt", one.runAt().toString())
        .put("status", one.status().name())
        .put("attempt", one.attempt());
    Optional<SubTask.Run> run = one.run();
    run.ifPresent(last -> json.put("worker", last.worker()));
    put(json, "startedAt", run.map(SubTask.Run::startedAt));
    put(json, "finishedAt", run.flatMap(SubTask.Run::finishedAt));
    run.ifPresent(last -> json.put("latenessMs", last.lateness().toMillis()));
    one.error().ifPresent(error -> json.put("error", error));
  }

  private static void put(ObjectNode json, String name, Optional<Instant> at) {
    at.ifPresent(instant -> json.put(name, instant.toString()));
  }
}
