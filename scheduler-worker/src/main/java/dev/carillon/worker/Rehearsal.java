package dev.carillon.worker;

import dev.carillon.flow.Ports;
import dev.carillon.form.Form;
import dev.carillon.ops.HostAndPort;
import dev.carillon.ops.Threads;
import dev.carillon.queue.Notice;
import dev.carillon.schedule.ScheduleReader;
import dev.carillon.store.ClaimAnswer;
import dev.carillon.store.TaskStore;
import dev.carillon.store.TaskStore.ClaimRequest;
import dev.carillon.store.TaskStore.Exchange;
import dev.carillon.task.Action;
import dev.carillon.task.Chain;
import dev.carillon.task.Claim;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.TaskDefinition;
import dev.carillon.task.TaskId;
import dev.carillon.worker.action.ActionHandlers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One firing from end to end of a task that nobody has: it loads the classes that the first real
 * one would otherwise have to wait for, some hundred milliseconds on a busy machine. Nothing is
 * stored, since the store does not have the task; nothing leaves this machine. What does not work,
 * for example since the store is not there yet, is left out.
 */
final class Rehearsal {

  private static final Logger log = LoggerFactory.getLogger(Rehearsal.class);
  private static final String NAME = "rehearsal";
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final byte[] ANSWER =
      "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Ports ports;
  private final ActionHandlers handlers;

  Rehearsal(Ports ports, ActionHandlers handlers) {
    this.ports = ports;
    this.handlers = handlers;
  }

  /** Returns at once; it goes on beside what else a start has to do. */
  void start() {
    Threads.named(NAME).newThread(() -> run()).start();
  }

  /** How the run ended; empty when it did not come to its end. */
  Optional<Outcome> run() {
    long begin = System.nanoTime();
    try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      receiver.setSoTimeout((int) LONGEST.toMillis());
      Threads.named("rehearsal-receiver").newThread(() -> answer(receiver)).start();
      Outcome outcome = fire(receiver.getLocalPort());
      log.debug("rehearsed in {} ms", Duration.ofNanos(System.nanoTime() - begin).toMillis());
      return Optional.of(outcome);
    } catch (IOException | RuntimeException unready) {
      log.debug("not rehearsed to the end; the first firing may take a little longer", unready);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    return Optional.empty();
  }

  private Outcome fire(int port) throws InterruptedException {
    Instant now = ports.clock().instant();
    Chain chain = ports.chain();
    TaskStore store = ports.store();
    TaskId id = TaskId.create(now, new SecureRandom());
    Task task = chain.create(id, definition(port, now), now).orElseThrow();
    Instant due = task.next().orElseThrow().runAt();
    Claim claim = new Claim(id, task.token(), NAME, NAME);
    Task started = Chain.start(task, claim, due, due.plus(LEASE));
    Outcome outcome = handlers.handle(new ClaimAnswer.Won(started, claim));
    Task done = chain.complete(started, claim, outcome, due);
    Notice.of(task)
        .map(notice -> new ClaimRequest(notice, NAME, NAME))
        .ifPresent(request -> store.claim(List.of(request), due, LEASE));
    store.exchange(List.of(new Exchange(started, done)));
    return outcome;
  }

  private static TaskDefinition definition(int port, Instant now) {
    Form form = Form.of(Map.of("interval", "PT1S", "maxRuns", 2));
    Action action =
        new Action.Http(
            "GET",
            "http://" + HostAndPort.of(InetAddress.getLoopbackAddress().getHostAddress(), port),
            Map.of(),
            Optional.empty(),
            LONGEST,
            false);
    return TaskDefinition.builder(NAME, ScheduleReader.readNew(form, now).orElseThrow(), action)
        .build();
  }

  /** As a receiver of the request that a run sends. */
  private static void answer(ServerSocket receiver) {
    try (Socket connection = receiver.accept()) {
      connection.setSoTimeout((int) LONGEST.toMillis());
      BufferedReader request =
          new BufferedReader(
              new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
      String line = request.readLine();
      while (line != null && !line.isEmpty()) {
        line = request.readLine();
      }
      connection.getOutputStream().write(ANSWER);
    } catch (IOException over) {
      log.debug("the rehearsal ended early", over);
    }
  }
}
