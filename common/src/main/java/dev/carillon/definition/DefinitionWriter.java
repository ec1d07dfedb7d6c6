package dev.carillon.definition;

import dev.carillon.form.Form;
import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import dev.carillon.task.RetryPolicy;
import dev.carillon.task.TaskDefinition;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Writes a task's definition as a form: maps, lists, strings, numbers and booleans, with every
 * default spelled out.
 */
public final class DefinitionWriter {

  private DefinitionWriter() {}

  /** As a user would write it; {@link DefinitionReader#readNew} takes it. */
  public static Map<String, Object> toUserForm(TaskDefinition definition) {
    return write(
        definition,
        definition.schedule().toUserForm(),
        BodyForm::writeUserForm,
        HeadersForm::toUserForm,
        JsonText::read);
  }

  /** As it is stored; {@link DefinitionReader#readStored} gives an equal definition. */
  public static Map<String, Object> toStored(TaskDefinition definition) {
    return write(
        definition,
        definition.schedule().toForm(),
        BodyForm::writeStoredForm,
        HeadersForm::toStoredForm,
        json -> json);
  }

  private static Map<String, Object> write(
      TaskDefinition definition,
      Map<String, Object> schedule,
      BiConsumer<Body, Map<String, Object>> writeBody,
      Function<Map<String, ?>, Object> writeHeaders,
      Function<String, Object> writeJson) {
    Map<String, Object> form = new LinkedHashMap<>();
    form.put("name", definition.name());
    form.putAll(schedule);
    form.put("action", action(definition.action(), writeBody, writeHeaders, writeJson));
    form.put("retry", retry(definition.retry()));
    form.put("timeout", definition.timeout().toString());
    form.put("misfire", Form.word(definition.misfire().rule()));
    form.put("misfireGrace", definition.misfire().grace().toString());
    form.put("overlap", Form.word(definition.overlap()));
    form.put("priority", Form.word(definition.priority()));
    definition
        .concurrency()
        .ifPresent(
            shared ->
                form.put("concurrency", Map.of("key", shared.key(), "limit", shared.limit())));
    definition.key().ifPresent(key -> form.put("key", key));
    form.put("tags", definition.tags());
    form.put("metadata", definition.metadata());
    return form;
  }

  private static Map<String, Object> action(
      Action action,
      BiConsumer<Body, Map<String, Object>> writeBody,
      Function<Map<String, ?>, Object> writeHeaders,
      Function<String, Object> writeJson) {
    Map<String, Object> form = new LinkedHashMap<>();
    if (action instanceof Action.Http http) {
      form.put("type", "http");
      form.put("method", http.method());
      form.put("url", http.url());
      form.put(HeadersForm.FIELD, writeHeaders.apply(http.headers()));
      http.body().ifPresent(body -> writeBody.accept(body, form));
      form.put("timeout", http.timeout().toString());
      form.put("verbatim", http.verbatim());
    } else if (action instanceof Action.Amqp amqp) {
      form.put("type", "amqp");
      form.put("exchange", amqp.exchange());
      form.put("routingKey", amqp.routingKey());
      form.put(HeadersForm.FIELD, writeHeaders.apply(amqp.headers()));
      form.put(PropertiesForm.FIELD, PropertiesForm.toForm(amqp.properties()));
      amqp.body().ifPresent(body -> writeBody.accept(body, form));
      form.put("verbatim", amqp.verbatim());
    } else if (action instanceof Action.Code code) {
      form.put("type", "handler");
      form.put("name", code.name());
      code.payload().ifPresent(json -> form.put("payload", writeJson.apply(json)));
    } else {
      form.put("type", "log");
    }
    return form;
  }

  private static Map<String, Object> retry(RetryPolicy retry) {
    Map<String, Object> form = new LinkedHashMap<>();
    form.put("maxAttempts", retry.maxAttempts());
    form.put("initialDelay", retry.initialDelay().toString());
    form.put("factor", retry.factor());
    form.put("maxDelay", retry.maxDelay().toString());
    return form;
  }
}
