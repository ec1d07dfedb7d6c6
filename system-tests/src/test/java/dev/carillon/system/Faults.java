package dev.carillon.system;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import dev.carillon.system.Fault.Effects;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The faults there are. */
final class Faults {

  private static final List<String> WORK_QUEUES =
      List.of("carillon.work.high", "carillon.work", "carillon.work.low");

  private static final Duration OUTAGE = Duration.ofSeconds(10);
  private static final String REFUSED = "carillon_notices_not_parked_total";
  private static final String HELD = "carillon_notices_dropped_total{reason=\"held\"}";

  static final Fault WORKER_KILLED =
      new Fault(
          "a worker killed while it runs something",
          Effects.TAKE_OVER,
          (world, random) -> {
            Service worker = world.busyWorker(random);
            world.letPass(Duration.ofMillis(random.nextInt(100)));
            worker.kill9();
            worker.start();
          });

  static final Fault ALL_WORKERS_KILLED =
      new Fault(
          "all workers killed at a time",
          Effects.TAKE_OVER,
          (world, random) -> {
            Service unused = world.busyWorker(random);
            world.workers().forEach(Service::kill9);
            world.workers().forEach(Service::launch);
            world.workers().forEach(Service::awaitReady);
          });

  static final Fault WORKER_TERMINATED =
      new Fault(
          "a worker stopped with SIGTERM",
          Effects.LATE_FINISH_OR_HAND_BACK,
          (world, random) -> {
            Service worker = world.busyWorker(random);
            worker.terminate();
            worker.start();
          });

  static final Fault WORKER_FROZEN =
      new Fault(
          "a worker frozen (SIGSTOP) beyond its lease, and thawed",
          Effects.LATE_FINISH_OR_HAND_BACK,
          (world, random) -> {
            Service worker = world.busyWorker(random);
            worker.suspend();
            world.letPass(ChaosWorld.LEASE.plusMillis(1_500 + random.nextInt(1_000)));
            worker.resume();
          });

  static final Fault API_KILLED =
      new Fault(
          "the API killed in the middle of creates",
          Effects.NONE,
          (world, random) -> {
            int before = world.traffic().accepted().size();
            world.traffic().flood(4);
            int wanted = before + 5 + random.nextInt(40);
            await()
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(3))
                .until(() -> world.traffic().accepted().size() >= wanted);
            world.apiServer().kill9();
            world.apiServer().start();
          });

  static final Fault BROKER_KILLED =
      new Fault(
          "the broker killed and restarted",
          Effects.NONE,
          (world, random) -> {
            world.broker().kill9();
            world.broker().start();
          });

  static final Fault BROKER_WIPED =
      new Fault(
          "the broker stopped, wiped and restarted",
          Effects.NONE,
          (world, random) -> {
            world.broker().stop();
            world.broker().wipe();
            world.broker().start();
          });

  static final Fault CONNECTIONS_CUT =
      new Fault(
          "all connections to the broker cut",
          Effects.NONE,
          (world, random) -> world.broker().ctl("close_all_connections", "--global", "chaos"));

  static final Fault BROKER_SHORT_OF_MEMORY =
      new Fault(
          "the broker short of memory for 10 s (publishing blocks)",
          Effects.NONE,
          (world, random) -> {
            world.setMemoryAlarm(true);
            world.letPass(OUTAGE);
            world.setMemoryAlarm(false);
          });

  static final Fault DELIVERY_TIMEOUT =
      new Fault(
          "consumer channels closed by the broker (406, delivery timeout)",
          Effects.NONE,
          Faults::awaitDeliveryTimeout);

  static final Fault PENDING_QUEUES_DELETED =
      new Fault(
          "armed own queues and the next slots of the wheel deleted by hand",
          Effects.NONE,
          (world, random) -> {
            List<String> armed = world.pendingQueues();
            int unused = world.byHand(channel -> delete(armed, channel));
            System.out.println("chaos:   deleted " + armed.size() + " queues");
          });

  static final Fault PENDING_QUEUES_TAKEN =
      new Fault(
          "names of coming pending queues taken by others (406 on declaring)",
          Effects.NONE,
          (world, random) -> {
            double refusedBefore = world.metricOfWorkers(REFUSED);
            // where there is a budget, what comes next may go to the wheel instead
            int tries = 0;
            while (tries < 20 && world.metricOfWorkers(REFUSED) == refusedBefore) {
              tries++;
              List<String> taken = world.byHand(channel -> take(world, channel));
              System.out.println("chaos:   took " + taken.size() + " names");
              world.awaitRuns(taken.size());
              int unused = world.byHand(channel -> delete(taken, channel));
            }
          });

  static final Fault SLOTS_TAKEN =
      new Fault(
          "the next slots of the wheel taken by others (406 on declaring)",
          Effects.NONE,
          (world, random) -> {
            List<String> taken = world.nextSlots();
            int unused = world.byHand(channel -> delete(taken, channel));
            unused = world.byHand(channel -> declareUnlikeCarillon(taken, channel));
            System.out.println("chaos:   took " + taken.size() + " slots");
            world.letPass(Duration.ofSeconds(3));
            unused = world.byHand(channel -> delete(taken, channel));
          });

  static final Fault WORK_QUEUE_PURGED =
      new Fault(
          "the work queues purged while no worker was there",
          Effects.LATE_FINISH_OR_HAND_BACK,
          (world, random) -> {
            world.workers().forEach(Service::terminate);
            await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> world.byHand(Faults::waitingForWorkers) >= 5);
            int purged = world.byHand(Faults::purge);
            System.out.println("chaos:   purged " + purged + " notices");
            world.workers().forEach(Service::launch);
            world.workers().forEach(Service::awaitReady);
          });

  static final Fault WORK_QUEUE_DELETED =
      new Fault(
          "the work queues deleted by hand",
          Effects.NONE,
          (world, random) -> {
            int unused = world.byHand(channel -> delete(WORK_QUEUES, channel));
          });

  static final Fault STORE_FROZEN =
      new Fault(
          "the store frozen (SIGSTOP) for 10 s",
          Effects.LATE_FINISH_OR_HAND_BACK,
          (world, random) -> {
            Service store = world.storeServer().orElseThrow();
            store.suspend();
            world.letPass(OUTAGE);
            store.resume();
          });

  static final Fault STORE_STOPPED =
      new Fault(
          "the store stopped (SIGTERM), and restarted after 10 s",
          Effects.LATE_FINISH_OR_HAND_BACK,
          (world, random) -> {
            Service store = world.storeServer().orElseThrow();
            store.terminate();
            world.letPass(OUTAGE);
            store.start();
          });

  static final Fault STORE_KILLED =
      new Fault(
          "the store killed, and restarted after 10 s",
          Effects.LATE_FINISH_OR_HAND_BACK,
          (world, random) -> {
            Service store = world.storeServer().orElseThrow();
            store.kill9();
            world.letPass(OUTAGE);
            store.start();
          });

  static final Fault EVERYTHING_KILLED =
      new Fault(
          "everything killed at a time, and restarted",
          Effects.TAKE_OVER,
          (world, random) -> {
            Service unused = world.busyWorker(random);
            Service store = world.storeServer().orElseThrow();
            world.broker().kill9();
            store.kill9();
            world.apiServer().kill9();
            world.workers().forEach(Service::kill9);
            store.launch();
            world.apiServer().launch();
            world.workers().forEach(Service::launch);
            world.broker().start();
            world.apiServer().awaitReady();
            world.workers().forEach(Service::awaitReady);
          });

  static final Fault WORKERS_ABSENT =
      new Fault(
          "no worker for many intervals, default misfire policy",
          Effects.LATE_FINISH_OR_HAND_BACK,
          (world, random) -> {
            world.workers().forEach(Service::terminate);
            world.letPass(Duration.ofSeconds(6));
            world.workers().forEach(Service::launch);
            world.workers().forEach(Service::awaitReady);
          });

  private Faults() {}

  /** Declares queues that have not been declared yet, unlike Carillon would; says which. */
  private static List<String> take(ChaosWorld world, Channel any) throws IOException {
    List<String> taken = new ArrayList<>();
    for (String queue : world.comingPendingQueues()) {
      Channel channel = any.getConnection().createChannel();
      try {
        channel.queueDeclare(queue, false, false, false, Map.of());
        taken.add(queue);
        channel.abort();
      } catch (IOException isThereAlready) {
        System.out.println("chaos:   too late for " + queue);
      }
    }
    return taken;
  }

  private static int declareUnlikeCarillon(List<String> queues, Channel channel)
      throws IOException {
    for (String queue : queues) {
      channel.queueDeclare(queue, false, false, false, Map.of());
    }
    return queues.size();
  }

  private static int waitingForWorkers(Channel channel) throws IOException {
    int waiting = 0;
    for (String queue : WORK_QUEUES) {
      waiting += (int) channel.messageCount(queue);
    }
    return waiting;
  }

  private static int purge(Channel channel) throws IOException {
    int purged = 0;
    for (String queue : WORK_QUEUES) {
      purged += channel.queuePurge(queue).getMessageCount();
    }
    return purged;
  }

  private static int delete(List<String> queues, Channel channel) throws IOException {
    for (String queue : queues) {
      channel.queueDelete(queue);
    }
    return queues.size();
  }

  /** Seen by its result: what was being run is delivered once more, and dropped. */
  private static void awaitDeliveryTimeout(ChaosWorld world, Random random) {
    double before = world.metricOfWorkers(HELD);
    await().atMost(Duration.ofMinutes(1)).until(() -> world.metricOfWorkers(HELD) > before);
  }
}
