package dev.carillon.api;

import dev.carillon.ops.Health;
import dev.carillon.ops.HostAndPort;
import dev.carillon.ops.PrometheusMetrics;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.util.JavalinBindException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
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

  /** For connections, and for answers that don't need the store. */
  private static final int EXTRA_THREADS = 16;

  /** A connection counts as idle while a request is being carried out. */
  private static final Duration TIME_TO_ANSWER = Duration.ofSeconds(5);

  private final ApiSettings settings;
  private final Bulkhead bulkhead;
  private final Routes routes;
  private final Javalin javalin;

  /** Knows which requests are being carried out. */
  private final GracefulHandler requests = new GracefulHandler();

  /**
   * Does not listen yet.
   *
   * @param storeIsAway whether an exception that came out of the store means that it cannot be
   *     reached, rather than a fault
   */
  public ApiServer(
      Endpoints endpoints,
      Health health,
      PrometheusMetrics metrics,
      Predicate<RuntimeException> storeIsAway,
      ApiSettings settings) {
    this.settings = settings;
    this.bulkhead = new Bulkhead(settings.threads(), settings.requestTimeout());
    this.routes =
        new Routes(
            endpoints,
            health,
            metrics,
            new Failures(storeIsAway),
            bulkhead,
            settings.requestTimeout());
    this.javalin = Javalin.create(this::configure);
  }

  private void configure(JavalinConfig config) {
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.http.prefer405over404 = true;
    config.jetty.threadPool = threads();
    config.jetty.modifyServer(
        server -> {
          server.insertHandler(requests);
          server.setErrorHandler(new JettyErrors());
        });
    config.jetty.modifyServletContextHandler(context -> context.setErrorHandler(new JettyErrors()));
    config.jetty.modifyHttpConfiguration(
        http -> {
          http.setIdleTimeout(settings.requestTimeout().plus(TIME_TO_ANSWER).toMillis());
          http.addCustomizer(new PlainMethod());
        });
    routes.addTo(config);
  }

  private QueuedThreadPool threads() {
    QueuedThreadPool threads = new QueuedThreadPool(settings.threads() + EXTRA_THREADS);
    threads.setName("http");
    return threads;
  }

  /**
   * Binds the port and answers from now on.
   *
   * @throws IllegalStateException when it cannot listen there; the message says why
   */
  public void start() {
    routes.rehearse();
    try {
      javalin.start(settings.host(), settings.port());
    } catch (JavalinBindException e) { // whose message blames the port, whatever it was
      throw new IllegalStateException(
          "cannot listen on %s, as HTTP_HOST and HTTP_PORT say"
              .formatted(HostAndPort.of(settings.host(), settings.port())),
          e.getCause());
    }
    log.info("API on {}", HostAndPort.of(settings.host(), port()));
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
    Server server = javalin.jettyServer().server();
    if (server.isRunning()) {
      stopAccepting(server);
      awaitRequests();
      javalin.stop();
    }
    bulkhead.close();
  }

  private static void stopAccepting(Server server) {
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
}
