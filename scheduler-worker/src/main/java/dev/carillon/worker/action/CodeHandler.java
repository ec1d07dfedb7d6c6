package dev.carillon.worker.action;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.carillon.handler.PermanentFailureException;
import dev.carillon.handler.TaskHandler;
import dev.carillon.handler.TaskRun;
import dev.carillon.task.Action;
import dev.carillon.task.Outcome;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls handlers by their names, on the thread of the attempt. Thread-safe. */
public final class CodeHandler implements ActionHandler<Action.Code> {

  private static final Logger log = LoggerFactory.getLogger(CodeHandler.class);

  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private final TaskHandlers handlers;

  public CodeHandler(TaskHandlers handlers) {
    this.handlers = handlers;
  }

  @Override
  public Outcome handle(Action.Code action, Attempt attempt) throws InterruptedException {
    Optional<TaskHandler> handler = handlers.find(action.name());
    if (handler.isEmpty()) {
      // worth another attempt: another worker may have it, or this one after it was brought there
      return new Outcome.Failed(
          "this worker has no handler \"%s\"; it has %s".formatted(action.name(), handlers.names()),
          true);
    }
    TaskRun run =
        new TaskRun(
            attempt.task().value(),
            attempt.taskName(),
            attempt.index(),
            attempt.number(),
            attempt.dueAt(),
            attempt.idempotencyKey(),
            attempt.fencingToken(),
            attempt.metadata(),
            action.payload().map(CodeHandler::parse).orElse(null),
            action.payload().orElse("null"));
    return call(handler.get(), run);
  }

  private static Outcome call(TaskHandler handler, TaskRun run) throws InterruptedException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(handler.getClass().getClassLoader());
    try {
      handler.handle(run);
      return new Outcome.Succeeded();
    } catch (InterruptedException e) {
      throw e;
    } catch (PermanentFailureException e) {
      return new Outcome.Failed(describe(handler, e), false);
    } catch (Exception e) {
      log.debug("handler {} failed {}", handler.name(), run.idempotencyKey(), e);
      return new Outcome.Failed(describe(handler, e), true);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static String describe(TaskHandler handler, Exception failure) {
    String what =
        failure instanceof PermanentFailureException && failure.getMessage() != null
            ? failure.getMessage()
            : failure.toString();
    return "handler \"%s\": %s".formatted(handler.name(), what);
  }

  private static Object parse(String json) {
    try {
      return unmodifiable(JSON.readValue(json, Object.class));
    } catch (JsonProcessingException impossible) {
      throw new UncheckedIOException("the payload was written as JSON", impossible);
    }
  }

  private static Object unmodifiable(Object value) {
    if (value instanceof List<?> list) {
      List<Object> elements = new ArrayList<>();
      list.forEach(element -> elements.add(unmodifiable(element)));
      return Collections.unmodifiableList(elements);
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> fields = new LinkedHashMap<>();
      map.forEach((name, field) -> fields.put(String.valueOf(name), unmodifiable(field)));
      return Collections.unmodifiableMap(fields);
    }
    return value;
  }
}
