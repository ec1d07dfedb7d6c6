package dev.carillon.api;

import dev.carillon.ops.Health;
import dev.carillon.ops.HealthReport;
import dev.carillon.ops.PrometheusMetrics;
import io.javalin.config.JavalinConfig;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HttpResponseException;
import io.javalin.http.MethodNotAllowedResponse;
import io.javalin.http.NotFoundResponse;
import io.javalin.router.Endpoint;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which request is for what, and how answers go out. */
final class Routes {

  private static final Logger log = LoggerFactory.getLogger(Routes.class);

  private static final int MOST_BATCHES = 2;

  private static final String TASKS = "/api/tasks";
  private static final String TASK = "/api/tasks/{id}";
  private static final String BY_KEY = "/api/tasks/by-key/{key}";
  private static final String PARKED = "/api/parked";
  private static final String PREVIEW = "/api/preview";
  private static final String SUB_TASKS = "/api/tasks/{id}/sub-tasks";
  private static final String SUB_TASK = "/api/tasks/{id}/sub-tasks/{index}";

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  private final TaskEndpoints tasks;
  private final SubTaskEndpoints subTasks;
  private final BatchEndpoint batch;
  private final ExplainEndpoint explain;
  private final KeyedEndpoints keyed;
  private final ParkedEndpoints parked;
  private final Health health;
  private final PrometheusMetrics metrics;
  private final Failures failures;
  private final Bulkhead bulkhead;
  private final Duration timeToArrive;
  private final Semaphore batches = new Semaphore(MOST_BATCHES);

  /**
   * @param timeToArrive how long a body may take
   */
  Routes(
      Endpoints endpoints,
      Health health,
      PrometheusMetrics metrics,
      Failures failures,
      Bulkhead bulkhead,
      Duration timeToArrive) {
    this.tasks = endpoints.tasks();
    this.subTasks = endpoints.subTasks();
    this.explain = endpoints.explain();
    this.keyed = endpoints.keyed();
    this.batch = endpoints.batch();
    this.parked = endpoints.parked();
    this.health = health;
    this.metrics = metrics;
    this.failures = failures;
    this.bulkhead = bulkhead;
    this.timeToArrive = timeToArrive;
  }

  void addTo(JavalinConfig config) {
    addKeyed(config.routes); // first: by-key is no id
    addBatch(config.routes);
    addTasks(config.routes);
    addSubTasks(config.routes);
    addParked(config.routes);
    addOps(config.routes);
    addFailures(config.routes);
    config.router.javaLangErrorHandler(this::fail);
    config.requestLogger.http(this::measure);
  }

  /** Loads what the first request would otherwise have to wait for. */
  void rehearse() {
    try {
      tasks.create("{}".getBytes(StandardCharsets.UTF_8), IdempotencyKey.NONE);
    } catch (RefusedException refused) {
      Json.write(refused.answer());
    }
  }

  private void addKeyed(RoutesConfig routes) {
    get(
        routes,
        BY_KEY,
        context -> {
          String key = context.pathParam("key");
          answer(context, () -> keyed.find(key));
        });
    routes.put(
        BY_KEY,
        context -> {
          String key = context.pathParam("key");
          byte[] body = RequestBody.receive(context.req(), timeToArrive);
          answer(context, () -> keyed.put(key, body));
        });
    routes.delete(
        BY_KEY,
        context -> {
          String key = context.pathParam("key");
          answer(context, () -> keyed.cancel(key));
        });
  }

  /** A batch takes much memory: only few are taken in at a time. */
  private void addBatch(RoutesConfig routes) {
    routes.post(
        TASKS + "/batch",
        context -> {
          if (!batches.tryAcquire()) {
            throw new RefusedException(
                Problems.answer(503, "too many batches are being taken in")
                    .with("Retry-After", "1"));
          }
          AtomicBoolean ended = new AtomicBoolean();
          Runnable end =
              () -> {
                if (ended.compareAndSet(false, true)) {
                  batches.release();
                }
              };
          try {
            BatchBody body = BatchBody.receive(context.req(), timeToArrive);
            IdempotencyKey key = IdempotencyKey.of(context.req());
            String what = describe(context);
            Supplier<Answer> work =
                () -> batch.create(body, key, failure -> failures.answer(failure, what));
            answer(context, work, end);
          } catch (RuntimeException refused) {
            end.run();
            throw refused;
          }
        });
  }

  private void addTasks(RoutesConfig routes) {
    routes.post(
        TASKS,
        context -> {
          byte[] body = RequestBody.receive(context.req(), timeToArrive);
          IdempotencyKey key = IdempotencyKey.of(context.req());
          answer(context, () -> tasks.create(body, key));
        });
    get(
        routes,
        TASKS,
        context -> {
          QueryParameters parameters = QueryParameters.of(context.queryString());
          answer(context, () -> tasks.list(parameters));
        });
    get(
        routes,
        TASK,
        context -> {
          String id = context.pathParam("id");
          answer(context, () -> tasks.find(id));
        });
    routes.patch(
        TASK,
        context -> {
          String id = context.pathParam("id");
          Optional<String> ifMatch = Optional.ofNullable(context.header("If-Match"));
          byte[] body = RequestBody.receive(context.req(), timeToArrive);
          answer(context, () -> tasks.edit(id, StrictJson.object(body), ifMatch));
        });
    addPausing(routes, "/pause", true);
    addPausing(routes, "/resume", false);
    routes.post(
        PREVIEW,
        context -> {
          byte[] body = RequestBody.receive(context.req(), timeToArrive);
          answer(context, () -> tasks.preview(body));
        });
    get(
        routes,
        TASK + "/preview",
        context -> {
          String id = context.pathParam("id");
          QueryParameters parameters = QueryParameters.of(context.queryString());
          answer(context, () -> tasks.preview(id, parameters));
        });
    get(
        routes,
        TASK + "/explain",
        context -> {
          String id = context.pathParam("id");
          QueryParameters parameters = QueryParameters.of(context.queryString());
          answer(context, () -> explain.explain(id, parameters));
        });
    routes.delete(
        TASK,
        context -> {
          String id = context.pathParam("id");
          answer(context, () -> tasks.cancel(id));
        });
  }

  /** Pausing and resuming are edits that have a short form. */
  private void addPausing(RoutesConfig routes, String path, boolean paused) {
    routes.post(
        TASK + path,
        context -> {
          String id = context.pathParam("id");
          Optional<String> ifMatch = Optional.ofNullable(context.header("If-Match"));
          answer(context, () -> tasks.edit(id, Map.of("paused", paused), ifMatch));
        });
  }

  private void addSubTasks(RoutesConfig routes) {
    get(
        routes,
        SUB_TASKS,
        context -> {
          String id = context.pathParam("id");
          QueryParameters parameters = QueryParameters.of(context.queryString());
          answer(context, () -> subTasks.list(id, parameters));
        });
    get(routes, SUB_TASK, withSubTask(subTasks::find));
    routes.delete(SUB_TASK, withSubTask(subTasks::cancel));
    routes.post(SUB_TASK + "/retry", withSubTask(subTasks::retry));
    routes.post(
        TASK + "/trigger",
        context -> {
          String id = context.pathParam("id");
          IdempotencyKey key = IdempotencyKey.of(context.req());
          answer(context, () -> subTasks.trigger(id, key));
        });
    routes.post(
        TASK + "/backfill",
        context -> {
          String id = context.pathParam("id");
          byte[] body = RequestBody.receive(context.req(), timeToArrive);
          IdempotencyKey key = IdempotencyKey.of(context.req());
          answer(context, () -> subTasks.backfill(id, body, key));
        });
  }

  private Handler withSubTask(BiFunction<String, String, Answer> work) {
    return context -> {
      String id = context.pathParam("id");
      String index = context.pathParam("index");
      answer(context, () -> work.apply(id, index));
    };
  }

  private void addParked(RoutesConfig routes) {
    get(
        routes,
        PARKED,
        context -> {
          QueryParameters parameters = QueryParameters.of(context.queryString());
          answer(context, () -> parked.list(parameters));
        });
    routes.post(
        PARKED + "/{id}/retry",
        context -> {
          String id = context.pathParam("id");
          answer(context, () -> parked.retry(id));
        });
    routes.delete(
        PARKED + "/{id}",
        context -> {
          String id = context.pathParam("id");
          answer(context, () -> parked.drop(id));
        });
  }

  private void addOps(RoutesConfig routes) {
    get(routes, "/health/live", context -> send(context, 200, Answer.JSON, "{\"status\":\"UP\"}"));
    get(
        routes,
        "/health/ready",
        context -> {
          HealthReport report = health.report();
          send(context, report.isUp() ? 200 : 503, Answer.JSON, report.toJson());
        });
    get(
        routes,
        "/metrics",
        context -> send(context, 200, PrometheusMetrics.CONTENT_TYPE, metrics.scrape()));
  }

  /** HEAD as well: by itself the router would answer it with 200 whatever GET says. */
  private static void get(RoutesConfig routes, String path, Handler handler) {
    routes.get(path, handler);
    routes.head(path, handler);
  }

  private void addFailures(RoutesConfig routes) {
    routes.exception(
        NotFoundResponse.class,
        (notFound, context) -> send(context, Problems.answer(404, "there is nothing here")));
    routes.exception(
        MethodNotAllowedResponse.class,
        (notAllowed, context) -> {
          String allowed = notAllowed.getDetails().getOrDefault("availableMethods", "");
          send(
              context,
              Problems.answer(405, "only " + allowed + " can be done here").with("Allow", allowed));
        });
    routes.exception(
        HttpResponseException.class,
        (other, context) -> send(context, Problems.answer(other.getStatus(), other.getMessage())));
    routes.exception(
        Exception.class,
        (failure, context) -> send(context, failures.answer(failure, describe(context))));
  }

  /** Carries out a request, and answers when it is done or takes too long. */
  private void answer(Context context, Supplier<Answer> work) {
    answer(context, work, () -> {});
  }

  /**
   * @param end is run when the work has ended, or will not begin
   */
  private void answer(Context context, Supplier<Answer> work, Runnable end) {
    String what = describe(context);
    context.future(
        () ->
            bulkhead
                .call(work, end)
                .exceptionally(failure -> failures.answer(failure, what))
                .thenAccept(answer -> send(context, answer)));
  }

  private static String describe(Context context) {
    return context.method() + " " + context.path();
  }

  private static void send(Context context, Answer answer) {
    setCommonHeaders(context);
    context.status(answer.status());
    answer.headers().forEach(context::header);
    if (answer.body().isPresent()) {
      context.contentType(answer.contentType());
      context.result(Json.write(answer));
    } else {
      context.res().setContentType(null);
    }
  }

  private static void send(Context context, int status, String contentType, String text) {
    setCommonHeaders(context);
    context.status(status).contentType(contentType).result(text);
  }

  private static void setCommonHeaders(Context context) {
    context.header("Cache-Control", "no-store");
    context.header("X-Content-Type-Options", "nosniff");
  }

  private void fail(HttpServletResponse response, Error error) {
    Answer answer = failures.answer(error, "a request");
    response.setStatus(answer.status());
    response.setContentType(answer.contentType());
    try {
      response.getOutputStream().write(Json.write(answer));
    } catch (IOException gone) {
      log.debug("nobody is there to be told of the error", gone);
    }
  }

  private void measure(Context context, float millis) {
    String method = METHODS.contains(context.method().name()) ? context.method().name() : "other";
    metrics.requestAnswered(
        method,
        route(context),
        context.statusCode(),
        Duration.ofNanos((long) (millis * 1_000_000)));
  }

  private static String route(Context context) {
    Endpoint endpoint = context.endpoints().lastHttpEndpoint();
    return endpoint == null ? "none" : endpoint.path;
  }
}
