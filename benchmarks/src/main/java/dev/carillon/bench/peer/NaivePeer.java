package dev.carillon.bench.peer;

import com.mongodb.ConnectionString;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.bson.Document;

/**
 * Carillon's design as one would first write it down: everything is declared each time, one message
 * and one confirm at a time, prefetch 1, and documents are read and replaced as a whole.
 */
final class NaivePeer implements Peer {

  private static final String WORK = "naive.work";
  private static final long CONFIRM_MILLIS = 30_000;
  private static final long ORPHAN_MILLIS = 3_600_000;

  private final String amqpUri;
  private final String mongodbUri;
  private final int threads;
  private final ThreadLocal<Channel> publishing = ThreadLocal.withInitial(this::publishChannel);
  private Connection publishers;
  private Connection consumers;
  private MongoClient mongo;
  private MongoCollection<Document> tasks;

  NaivePeer(String amqpUri, String mongodbUri, int threads) {
    this.amqpUri = amqpUri;
    this.mongodbUri = mongodbUri;
    this.threads = threads;
  }

  @Override
  public void start() throws Exception {
    ConnectionString uri = new ConnectionString(mongodbUri);
    mongo = MongoClients.create(uri);
    tasks =
        mongo
            .getDatabase(uri.getDatabase())
            .getCollection("tasks")
            .withWriteConcern(WriteConcern.MAJORITY.withJournal(true));
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(amqpUri);
    factory.setRequestedChannelMax(0);
    publishers = factory.newConnection("naive publishers");
    consumers = factory.newConnection("naive consumers");
    for (int i = 0; i < threads; i++) {
      Channel channel = consumers.createChannel();
      declareWork(channel);
      channel.basicQos(1);
      channel.basicConsume(WORK, false, new Worker(channel));
    }
  }

  private static void declareWork(Channel channel) throws IOException {
    channel.exchangeDeclare(WORK, BuiltinExchangeType.DIRECT, true);
    channel.queueDeclare(WORK, true, false, false, Map.of("x-queue-type", "quorum"));
    channel.queueBind(WORK, WORK, WORK);
  }

  private Channel publishChannel() {
    try {
      Channel channel = publishers.createChannel();
      channel.confirmSelect();
      return channel;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void create(Job job) throws Exception {
    String queue = "naive.pending." + job.key();
    tasks.insertOne(
        new Document("_id", job.key())
            .append("name", job.batch())
            .append("status", "PENDING")
            .append("dueAt", job.dueAt())
            .append("queue", queue));
    Channel channel = publishing.get();
    declareWork(channel);
    channel.queueDeclare(
        queue,
        true,
        false,
        false,
        Map.of(
            "x-dead-letter-exchange", WORK,
            "x-dead-letter-routing-key", WORK,
            "x-expires", waitMillis(job.dueAt()) + ORPHAN_MILLIS));
    BasicProperties properties =
        MessageProperties.MINIMAL_PERSISTENT_BASIC
            .builder()
            .expiration(String.valueOf(waitMillis(job.dueAt())))
            .build();
    channel.basicPublish("", queue, true, properties, job.key().getBytes(StandardCharsets.UTF_8));
    channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
  }

  private static long waitMillis(Instant dueAt) {
    return Math.max(0, dueAt.toEpochMilli() - System.currentTimeMillis());
  }

  @Override
  public boolean createAll(List<Job> jobs) {
    return false;
  }

  private final class Worker extends DefaultConsumer {

    Worker(Channel channel) {
      super(channel);
    }

    @Override
    public void handleDelivery(
        String tag, Envelope envelope, BasicProperties properties, byte[] body) throws IOException {
      String id = new String(body, StandardCharsets.UTF_8);
      Document task = tasks.find(Filters.eq("_id", id)).first();
      if (task != null && replace(task, "PENDING", "RUNNING", "startedAt")) {
        RunLog.started(id, task.getDate("dueAt").toInstant());
        replace(task, "RUNNING", "SUCCEEDED", "finishedAt");
        getChannel().queueDelete(task.getString("queue"));
      }
      getChannel().basicAck(envelope.getDeliveryTag(), false);
    }

    private boolean replace(Document task, String from, String to, String stamp) {
      task.append("status", to).append(stamp, Instant.now());
      return tasks
              .replaceOne(
                  Filters.and(Filters.eq("_id", task.getString("_id")), Filters.eq("status", from)),
                  task)
              .getMatchedCount()
          == 1;
    }
  }

  @Override
  public void stop() throws IOException {
    consumers.close();
    publishers.close();
    mongo.close();
  }
}
