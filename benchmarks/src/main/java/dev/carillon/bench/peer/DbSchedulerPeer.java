package dev.carillon.bench.peer;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** db-scheduler on PostgreSQL. */
final class DbSchedulerPeer implements Peer {

  /** The table and the indexes that its documentation gives for PostgreSQL. */
  private static final String SCHEMA =
      """
      CREATE TABLE scheduled_tasks (
        task_name text NOT NULL,
        task_instance text NOT NULL,
        task_data bytea,
        execution_time timestamp with time zone NOT NULL,
        picked boolean NOT NULL,
        picked_by text,
        last_success timestamp with time zone,
        last_failure timestamp with time zone,
        consecutive_failures int,
        last_heartbeat timestamp with time zone,
        version bigint NOT NULL,
        priority smallint,
        state text,
        PRIMARY KEY (task_name, task_instance)
      );
      CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
      CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
      """;

  /** Fetched anew when less than this is left, as a share of the threads, and up to the other. */
  private static final double LOWER_LIMIT = 0.5;

  private static final double UPPER_LIMIT = 4.0;

  private final HikariDataSource pool;
  private final OneTimeTask<Void> task =
      Tasks.oneTime("bench")
          .execute(
              (instance, context) ->
                  RunLog.started(instance.getId(), context.getExecution().getExecutionTime()));
  private final Scheduler scheduler;

  /**
   * @param poll how often it looks for what is due
   * @param lockAndFetch rather than fetching first and locking each job when it is run
   */
  DbSchedulerPeer(String jdbcUrl, int threads, Duration poll, boolean lockAndFetch) {
    this.pool = Database.pool(jdbcUrl, threads);
    SchedulerBuilder builder = Scheduler.create(pool, task).threads(threads).pollingInterval(poll);
    if (lockAndFetch) {
      builder.pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT);
    }
    this.scheduler = builder.build();
  }

  @Override
  public void start() throws SQLException {
    Database.execute(pool, SCHEMA);
    scheduler.start();
  }

  @Override
  public void create(Job job) {
    scheduler.schedule(task.instance(job.key()), job.dueAt());
  }

  @Override
  public boolean createAll(List<Job> jobs) {
    List<SchedulableInstance<?>> instances = new java.util.ArrayList<>();
    jobs.forEach(
        job -> instances.add(SchedulableInstance.of(task.instance(job.key()), job.dueAt())));
    scheduler.scheduleBatch(instances);
    return true;
  }

  @Override
  public void stop() {
    scheduler.stop();
    pool.close();
  }
}
