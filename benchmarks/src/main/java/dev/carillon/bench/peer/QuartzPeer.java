package dev.carillon.bench.peer;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.PostgreSQLDelegate;
import org.quartz.simpl.SimpleThreadPool;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Quartz with its store on JDBC, clustered, on PostgreSQL. */
final class QuartzPeer implements Peer {

  private static final String SOURCE = "bench";
  private static final int BATCH = 1_000;

  private final HikariDataSource pool;
  private final int threads;
  private Scheduler scheduler;

  QuartzPeer(String jdbcUrl, int threads) {
    this.pool = Database.pool(jdbcUrl, threads);
    this.threads = threads;
  }

  /** A job as Quartz wants it: made anew for each run, by its class. */
  public static final class NoOp implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      RunLog.started(
          context.getJobDetail().getKey().getName(), context.getScheduledFireTime().toInstant());
    }
  }

  @Override
  public void start() throws SQLException, SchedulerException, IOException {
    try (InputStream script =
        JobStoreTX.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/tables_postgres.sql")) {
      Database.execute(pool, new String(script.readAllBytes(), StandardCharsets.UTF_8));
    }
    DBConnectionManager.getInstance().addConnectionProvider(SOURCE, new Pooled(pool));
    Properties properties = new Properties();
    properties.put("org.quartz.scheduler.instanceName", "bench");
    properties.put("org.quartz.scheduler.instanceId", "AUTO");
    properties.put("org.quartz.threadPool.class", SimpleThreadPool.class.getName());
    properties.put("org.quartz.threadPool.threadCount", "" + threads);
    properties.put("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", "" + threads);
    properties.put("org.quartz.jobStore.class", JobStoreTX.class.getName());
    properties.put("org.quartz.jobStore.driverDelegateClass", PostgreSQLDelegate.class.getName());
    properties.put("org.quartz.jobStore.dataSource", SOURCE);
    properties.put("org.quartz.jobStore.useProperties", "true");
    properties.put("org.quartz.jobStore.isClustered", "true");
    properties.put("org.quartz.jobStore.acquireTriggersWithinLock", "true");
    scheduler = new StdSchedulerFactory(properties).getScheduler();
    scheduler.start();
  }

  @Override
  public void create(dev.carillon.bench.peer.Job job) throws SchedulerException {
    scheduler.scheduleJob(detail(job), trigger(job));
  }

  @Override
  public boolean createAll(List<dev.carillon.bench.peer.Job> jobs) throws SchedulerException {
    for (int from = 0; from < jobs.size(); from += BATCH) {
      Map<JobDetail, Set<? extends Trigger>> batch = new HashMap<>();
      jobs.subList(from, Math.min(jobs.size(), from + BATCH))
          .forEach(job -> batch.put(detail(job), Set.of(trigger(job))));
      scheduler.scheduleJobs(batch, false);
    }
    return true;
  }

  private static JobDetail detail(dev.carillon.bench.peer.Job job) {
    return JobBuilder.newJob(NoOp.class).withIdentity(job.key()).build();
  }

  private static Trigger trigger(dev.carillon.bench.peer.Job job) {
    return TriggerBuilder.newTrigger()
        .withIdentity(job.key())
        .startAt(Date.from(job.dueAt()))
        .build();
  }

  @Override
  public void stop() throws SchedulerException {
    scheduler.shutdown(true);
    pool.close();
  }

  private record Pooled(HikariDataSource pool) implements ConnectionProvider {
    @Override
    public Connection getConnection() throws SQLException {
      return pool.getConnection();
    }

    @Override
    public void initialize() {
      // is there already
    }

    @Override
    public void shutdown() {
      // closed with the peer
    }
  }
}
