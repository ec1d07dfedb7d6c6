package dev.carillon.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Runs real, blocking code of many actors on a clock of its own, one at a time: whoever waits hands
 * over, and the seed decides who goes on. The same seed gives the same run.
 */
final class Actors implements InstantSource {

  /** Thrown where an actor's process dies. An error, so that no handler of exceptions keeps it. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash(String process) {
      super(process + " has crashed", null, false, false);
    }
  }

  /** What dies together. */
  static final class Process {
    final String name;
    private boolean dead;
    private Instant stoppedUntil = Instant.MIN;

    Process(String name) {
      this.name = name;
    }

    boolean isDead() {
      return dead;
    }
  }

  interface Body {
    void run() throws InterruptedException;
  }

  private static final class Actor {
    final Process process;
    final Semaphore go = new Semaphore(0);
    Instant wakeAt;
    boolean ended;

    Actor(Process process, Instant wakeAt) {
      this.process = process;
      this.wakeAt = wakeAt;
    }
  }

  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "actor");
            thread.setDaemon(true);
            return thread;
          });

  private final Random random;
  private final ThreadLocal<Actor> current = new ThreadLocal<>();
  private final List<Actor> actors = new ArrayList<>();
  private final Semaphore handedOver = new Semaphore(0);
  private Instant now;
  private Throwable failure;

  Actors(Random random, Instant start) {
    this.random = random;
    this.now = start;
  }

  @Override
  public Instant instant() {
    return now;
  }

  void spawn(Process process, Duration delay, Body body) {
    Actor actor = new Actor(process, now.plus(delay));
    actors.add(actor);
    THREADS.execute(
        () -> {
          current.set(actor);
          try {
            actor.go.acquire();
            if (!process.dead) {
              body.run();
            }
          } catch (Crash expected) {
            // the process is dead, and this was the end of this actor
          } catch (Throwable e) {
            failure = e;
          } finally {
            actor.ended = true;
            current.remove();
            handedOver.release();
          }
        });
  }

  /** The calling actor waits; others go on. */
  void sleep(Duration time) {
    Actor actor = current.get();
    actor.wakeAt = now.plus(time);
    handOver(actor);
    while (now.isBefore(actor.process.stoppedUntil)) {
      actor.wakeAt = actor.process.stoppedUntil;
      handOver(actor);
    }
  }

  void sleepUntil(Instant instant) {
    sleep(instant.isAfter(now) ? Duration.between(now, instant) : Duration.ZERO);
  }

  private void handOver(Actor actor) {
    handedOver.release();
    actor.go.acquireUninterruptibly();
    if (actor.process.dead) {
      throw new Crash(actor.process.name);
    }
  }

  Process currentProcess() {
    return current.get().process;
  }

  /** All actors of the process end where they are, as by kill -9. */
  void kill(Process process) {
    process.dead = true;
    for (Actor actor : actors) {
      if (actor.process == process) {
        actor.wakeAt = now;
      }
    }
  }

  /** All actors of the process stand still for a while, as by SIGSTOP. */
  void stop(Process process, Duration time) {
    process.stoppedUntil = now.plus(time);
  }

  /** Goes on until nobody has anything to do before the deadline. */
  void runUntil(Instant deadline) {
    while (true) {
      actors.removeIf(actor -> actor.ended);
      Instant next = Instant.MAX;
      for (Actor actor : actors) {
        next = actor.wakeAt.isBefore(next) ? actor.wakeAt : next;
      }
      if (next.isAfter(deadline)) {
        now = deadline;
        return;
      }
      now = next.isAfter(now) ? next : now;
      List<Actor> ready = new ArrayList<>();
      for (Actor actor : actors) {
        if (!actor.wakeAt.isAfter(now)) {
          ready.add(actor);
        }
      }
      ready.get(random.nextInt(ready.size())).go.release();
      handedOver.acquireUninterruptibly();
      if (failure != null) {
        throw new AssertionError("an actor failed", failure);
      }
    }
  }

  /** Ends all actors. */
  void end() {
    List<Process> processes = actors.stream().map(actor -> actor.process).distinct().toList();
    processes.forEach(this::kill);
    runUntil(now);
  }
}
