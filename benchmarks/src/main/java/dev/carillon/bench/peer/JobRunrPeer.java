package dev.carillon.bench.peer;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.lambdas.JobLambda;
import org.jobrunr.scheduling.JobBuilder;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;

/** JobRunr's free edition on PostgreSQL. */
final class JobRunrPeer implements Peer {

  /** The least that it accepts. */
  private static final Duration POLL = Duration.ofSeconds(5);

  private static final int BATCH = 1_000;

  private final HikariDataSource pool;
  private final int threads;
  private JobScheduler scheduler;

  JobRunrPeer(String jdbcUrl, int threads) {
    this.pool = Database.pool(jdbcUrl, threads);
    this.threads = threads;
  }

  @Override
  public void start() {
    scheduler =
        JobRunr.configure()
            .useStorageProvider(SqlStorageProviderFactory.using(pool))
            .useBackgroundJobServer(
                BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                    .andWorkerCount(threads)
                    .andPollInterval(POLL))
            .initialize()
            .getJobScheduler();
  }

  @Override
  public void create(Job job) {
    scheduler.schedule(job.dueAt(), call(job));
  }

  @Override
  public boolean createAll(List<Job> jobs) {
    for (int from = 0; from < jobs.size(); from += BATCH) {
      scheduler.create(
          jobs.subList(from, Math.min(jobs.size(), from + BATCH)).stream()
              .map(job -> JobBuilder.aJob().scheduleAt(job.dueAt()).withJobLambda(call(job))));
    }
    return true;
  }

  private static JobLambda call(Job job) {
    String key = job.key();
    long dueAtMillis = job.dueAt().toEpochMilli();
    return () -> JobRunrJob.run(key, dueAtMillis);
  }

  @Override
  public void stop() {
    JobRunr.destroy();
    pool.close();
  }
}
