package dev.carillon.api;

import dev.carillon.ops.Health;
import dev.carillon.ops.HealthReport;
import dev.carillon.ops.PrometheusMetrics;
import io.javalin.Javalin;
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
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.NetworkConnector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the API, health and metrics over HTTP. Thread-safe. */
public final class ApiServer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ApiServer.class);

  private static final String TASKS = "/api/tasks";
  private static final String TASK = "/api/tasks/{id}";
  private static final String SUB_TASKS = "/api/tasks/{id}/sub-tasks";

  /** For connections, and for answers that don't need the store. */
  private static final int EXTRA_THREADS = 16;

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  private final TaskEndpoints tasks;
  private final Health health;
  private final PrometheusMetrics metrics;
  private final ApiSettings settings;
  private final Failures failures;
  private final Bulkhead bulkhead;
  private final Javalin javalin;

  /** Knows which requests are being carried out. */
  private final GracefulHandler requests = new GracefulHandler();

  private volatile Server server = new Server();

  /**
   * @param storeIsAway whether an exception that came out of the store means that it cannot be
   *     reached, rather than a fault
   */
  public ApiServer(
      TaskEndpoints tasks,
      Health health,
      PrometheusMetrics metrics,
      Predicate<RuntimeException> storeIsAway,
      ApiSettings settings) {
    this.tasks = tasks;
    this.health = health;
    this.metrics = metrics;
    this.settings = settings;
    this.failures = new Failures(storeIsAway);
    this.bulkhead = new Bulkhead(settings.threads(), settings.requestTimeout());
    this.javalin = Javalin.create(this::configure);
  }

  /**
   * Binds the port and answers from now on.
   *
   * @throws io.javalin.util.JavalinBindException when the port cannot be had
   */
  public void start() {
    javalin.start(settings.host(), settings.port());
    log.info("API on {}:{}", settings.host(), port());
  }

  /** The port that is listened on, once it is started. */
  public int port() {
    return javalin.port();
  }

  /**
   * Takes no more connections and waits for the requests that are being carried out, at most for
   * the time that a request may take. Idempotent.
   */
  @Override
  public void close() {
    stopAccepting();
    awaitRequests();
    javalin.stop();
    bulkhead.close();
  }

  private void stopAccepting() {
    for (Connector connector : server.getConnectors()) {
      if (connector instanceof NetworkConnector network) {
        network.close();
      }
    }
  }

  private void awaitRequests() {
    try {
      requests.shutdown().get(settings.requestTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException late) {
      log.warn("some requests are broken off, since they take longer than they may");
    } catch (ExecutionException failed) {
      log.warn("requests may be broken off", failed.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void configure(JavalinConfig config) {
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.http.prefer405over404 = true;
    config.jetty.threadPool = threads();
    config.jetty.modifyServer(this::configure);
    config.jetty.modifyServletContextHandler(context -> context.setErrorHandler(new JettyErrors()));
    config.jetty.modifyHttpConfiguration(
        http -> {
          // longer than any request is being carried out
          http.setIdleTimeout(settings.requestTimeout().multipliedBy(2).toMillis());
          http.addCustomizer(new PlainMethod());
        });
    config.router.javaLangErrorHandler(this::fail);
    config.requestLogger.http(this::measure);
    addRoutes(config.routes);
    addFailures(config.routes);
  }

  private QueuedThreadPool threads() {
    QueuedThreadPool threads = new QueuedThreadPool(settings.threads() + EXTRA_THREADS);
    threads.setName("http");
    return threads;
  }

  private void configure(Server jetty) {
    server = jetty;
    jetty.insertHandler(requests);
    jetty.setErrorHandler(new JettyErrors());
  }

  private void addRoutes(RoutesConfig routes) {
    routes.post(
        TASKS,
        context -> {
          byte[] body = RequestBody.receive(context.req(), settings.requestTimeout());
          answer(context, () -> tasks.create(body));
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
    get(
        routes,
        SUB_TASKS,
        context -> {
          String id = context.pathParam("id");
          QueryParameters parameters = QueryParameters.of(context.queryString());
          answer(context, () -> tasks.subTasks(id, parameters));
        });
    routes.delete(
        TASK,
        context -> {
          String id = context.pathParam("id");
          answer(context, () -> tasks.cancel(id));
        });
    get(routes, "/health/live", context -> send(context, 200, "{\"status\":\"UP\"}"));
    get(
        routes,
        "/health/ready",
        context -> {
          HealthReport report = health.report();
          send(context, report.isUp() ? 200 : 503, report.toJson());
        });
    get(
        routes,
        "/metrics",
        context -> {
          send(context, 200, metrics.scrape());
          context.contentType(PrometheusMetrics.CONTENT_TYPE);
        });
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
    String what = describe(context);
    context.future(
        () ->
            bulkhead
                .call(work)
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
    }
  }

  private static void send(Context context, int status, String json) {
    setCommonHeaders(context);
    context.status(status).contentType(Answer.JSON).result(json);
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
