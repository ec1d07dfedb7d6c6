package dev.carillon.bench.process;

import dev.carillon.testkit.PrivateBroker;
import dev.carillon.testkit.TestBroker;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** RabbitMQ as installed on this machine, as a private process. */
public final class Broker implements AutoCloseable {

  private final PrivateBroker broker;
  private final List<Long> pids;

  private Broker(PrivateBroker broker, List<Long> pids) {
    this.broker = broker;
    this.pids = pids;
  }

  public static Broker start() {
    Set<Long> before = children();
    PrivateBroker broker = TestBroker.startPrivate();
    List<Long> pids = children().stream().filter(pid -> !before.contains(pid)).toList();
    return new Broker(broker, pids);
  }

  private static Set<Long> children() {
    return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
  }

  /** The node, and its port mapper. */
  public List<Long> pids() {
    return pids;
  }

  public String version() {
    return "RabbitMQ " + broker.description().replaceAll("private process ([^ ]+) .*", "$1");
  }

  /** The URI of an empty virtual host. */
  public String freshVhost() {
    return broker.freshVhost();
  }

  /** Deletes a virtual host with all that is in it. */
  public void deleteVhost(String uri) {
    broker.ctl("delete_vhost", uri.substring(uri.lastIndexOf('/') + 1));
  }

  @Override
  public void close() {
    broker.close();
  }
}
