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

  /** Thrown where an actor's node dies. An error, so that no handler of exceptions keeps it. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash(String node) {
      super(node + " has crashed", null, false, false);
    }
  }

  /** What dies together. */
  static final class Node {
    final String name;
    private boolean dead;
    private Instant stoppedUntil = Instant.MIN;

    Node(String name) {
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
    final Node node;
    final Semaphore go = new Semaphore(0);
    Instant wakeAt;

    Actor(Node node, Instant wakeAt) {
      this.node = node;
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
  private static final ThreadLocal<Actor> CURRENT = new ThreadLocal<>();
  private final List<Actor> actors = new ArrayList<>();
  private final Semaphore deadlineReached = new Semaphore(0);
  private Instant deadline = Instant.MIN;
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

  void spawn(Node node, Duration delay, Body body) {
    Actor actor = new Actor(node, now.plus(delay));
    actors.add(actor);
    THREADS.execute(
        () -> {
          CURRENT.set(actor);
          try {
            actor.go.acquire();
            if (!node.dead) {
              body.run();
            }
          } catch (Crash expected) {
            // the node is dead, and this was the end of this actor
          } catch (Throwable e) {
            failure = e;
          } finally {
            CURRENT.remove();
            actors.remove(actor);
            passOn(null);
          }
        });
  }

  /** The calling actor waits; others go on. */
  void sleep(Duration time) {
    Actor actor = CURRENT.get();
    actor.wakeAt = now.plus(time);
    handOver(actor);
    while (now.isBefore(actor.node.stoppedUntil)) {
      actor.wakeAt = actor.node.stoppedUntil;
      handOver(actor);
    }
  }

  void sleepUntil(Instant instant) {
    sleep(instant.isAfter(now) ? Duration.between(now, instant) : Duration.ZERO);
  }

  private void handOver(Actor actor) {
    passOn(actor);
    if (actor.node.dead) {
      throw new Crash(actor.node.name);
    }
  }

  /** Lets the next actor go on, and waits for the calling one's turn if it is to go on later. */
  private void passOn(Actor caller) {
    Actor next = failure == null ? next() : null;
    if (next == caller && caller != null) {
      return;
    }
    (next == null ? deadlineReached : next.go).release();
    if (caller != null) {
      caller.go.acquireUninterruptibly();
    }
  }

  /** Who goes on next, with the clock moved to that time; null when nobody before the deadline. */
  private Actor next() {
    Instant time = Instant.MAX;
    for (Actor actor : actors) {
      time = actor.wakeAt.isBefore(time) ? actor.wakeAt : time;
    }
    if (time.isAfter(deadline)) {
      now = deadline;
      return null;
    }
    now = time.isAfter(now) ? time : now;
    List<Actor> ready = new ArrayList<>();
    for (Actor actor : actors) {
      if (!actor.wakeAt.isAfter(now)) {
        ready.add(actor);
      }
    }
    return ready.get(random.nextInt(ready.size()));
  }

  Node currentNode() {
    return CURRENT.get().node;
  }

  /** All actors of the node end where they are, as by kill -9. */
  void kill(Node node) {
    node.dead = true;
    for (Actor actor : actors) {
      if (actor.node == node) {
        actor.wakeAt = now;
      }
    }
  }

  /** All actors of the node stand still for a while, as by SIGSTOP. */
  void stop(Node node, Duration time) {
    node.stoppedUntil = now.plus(time);
  }

  /** Goes on until nobody has anything to do before the deadline. */
  void runUntil(Instant newDeadline) {
    deadline = newDeadline;
    Actor first = next();
    if (first != null) {
      first.go.release();
      deadlineReached.acquireUninterruptibly();
    }
    if (failure != null) {
      throw new AssertionError("an actor failed", failure);
    }
  }

  /** Ends all actors. */
  void end() {
    List<Node> nodes = actors.stream().map(actor -> actor.node).distinct().toList();
    nodes.forEach(this::kill);
    failure = null;
    runUntil(now);
  }
}
