package dev.carillon.flow;

import static dev.carillon.flow.FlowWorld.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.definition.DefinitionReader;
import dev.carillon.queue.IncomingMessage;
import dev.carillon.queue.IncomingMessage.Answer.Refused;
import dev.carillon.queue.IncomingMessage.Answer.Taken;
import dev.carillon.store.KeyedCreation;
import dev.carillon.store.UnreliableStore.AwayException;
import dev.carillon.store.UnreliableStore.Operation;
import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import dev.carillon.task.MessageProperty;
import dev.carillon.task.Outcome;
import dev.carillon.task.Task;
import dev.carillon.task.TaskStatus;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of messages that come in, whatever happens between the steps. */
final class IngressTest {

  private final FlowWorld world = new FlowWorld();
  private final List<Action.Amqp> published = new ArrayList<>();
  private final List<String> unroutable = new ArrayList<>();
  private final Ingress ingress =
      new Ingress(
          new TaskLifecycle(world.ports(), new Random(42), Runnable::run),
          world.ports(),
          messages -> {
            published.addAll(messages);
            return messages.stream().map(m -> !unroutable.contains(m.routingKey())).toList();
          },
          new Random(3),
          AwayException.class::isInstance);

  /** To the exchange "orders", with the id that is given in the header "id". */
  private static IncomingMessage message(String routingKey, Map<String, ?> headers) {
    Map<String, Object> kept = new HashMap<>(headers);
    Map<MessageProperty, String> properties = new HashMap<>();
    Optional.ofNullable(kept.remove("id"))
        .ifPresent(id -> properties.put(MessageProperty.MESSAGE_ID, id.toString()));
    return new IncomingMessage(
        new Action.Amqp(
            "orders", routingKey, kept, properties, Optional.of(Body.text("{{as it is}}")), true));
  }

  private void take(IncomingMessage... messages) {
    ingress.take(List.of(messages));
  }

  private void expectTaken(IncomingMessage... messages) {
    take(messages);
    assertThat(Arrays.asList(messages)).allMatch(m -> m.answer().get() instanceof Taken);
  }

  private static String refusal(IncomingMessage message) {
    return ((Refused) message.answer().orElseThrow()).reason();
  }

  private List<Task> tasks() {
    return world.memory.all();
  }

  private List<Task> active() {
    return tasks().stream().filter(task -> task.status() == TaskStatus.ACTIVE).toList();
  }

  @Test
  void aDelayedMessageWaitsAsATaskThatPublishesItAsItWas() {
    expectTaken(message("close", Map.of("x-delay", 60_000, "tenant", "blue", "id", "m1")));

    Task task = tasks().get(0);
    assertThat(task.nextDueAt()).contains(at(60));
    Action.Amqp action = (Action.Amqp) task.definition().action();
    assertThat(action.exchange()).isEqualTo("orders");
    assertThat(action.routingKey()).isEqualTo("close");
    assertThat(action.headers()).isEqualTo(Map.of("tenant", "blue"));
    assertThat(action.properties()).isEqualTo(Map.of(MessageProperty.MESSAGE_ID, "m1"));
    assertThat(action.body()).contains(Body.text("{{as it is}}"));
    assertThat(action.verbatim()).isTrue();
    assertThat(published).isEmpty();
  }

  static List<Object> delays() {
    return List.of(
        (byte) 100, (short) 100, 100, 100L, 100.0, 100f, new BigDecimal("100"), "100", " 100 ");
  }

  @ParameterizedTest
  @MethodSource("delays")
  void aDelayMayBeAnyKindOfNumber(Object delay) {
    expectTaken(message("k", Map.of("x-delay", delay)));

    assertThat(tasks().get(0).nextDueAt()).contains(world.instant().plusMillis(100));
  }

  @Test
  void delaysAreNotLimitedToFortyNineDays() {
    long millis = Duration.ofDays(3_650).toMillis();

    expectTaken(message("k", Map.of("x-delay", millis)));

    assertThat(tasks().get(0).nextDueAt()).contains(world.instant().plusMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"2027-01-04T10:00:00Z", "2027-01-04T11:00:00+01:00"})
  void theInstantMayBeGivenInstead(String instant) {
    expectTaken(message("k", Map.of("x-deliver-at", instant)));

    assertThat(tasks().get(0).nextDueAt()).contains(Instant.parse("2027-01-04T10:00:00Z"));
  }

  @Test
  void whatIsNotToWaitGoesThroughInItsOrder() {
    expectTaken(
        message("a", Map.of("x-delay", 0)),
        message("b", Map.of()),
        message("c", Map.of("x-deliver-at", "2001-01-01T00:00:00Z")));

    assertThat(published).extracting(Action.Amqp::routingKey).containsExactly("a", "b", "c");
    assertThat(published.get(0).headers()).isEmpty();
    assertThat(tasks()).isEmpty();
  }

  @Test
  void whatDoesNotGoThroughBecomesATaskThatIsDueNow() {
    unroutable.add("nowhere");

    expectTaken(message("nowhere", Map.of()), message("somewhere", Map.of()));

    assertThat(tasks()).hasSize(1);
    assertThat(tasks().get(0).nextDueAt()).contains(world.instant().plusMillis(1));
    assertThat(tasks().get(0).definition().retry().maxAttempts()).isEqualTo(10);
  }

  static List<Map<String, Object>> senseless() {
    Map<String, Object> both = Map.of("x-delay", 1, "x-deliver-at", "2027-01-04T10:00:00Z");
    return List.of(
        Map.of("x-delay", -1),
        Map.of("x-delay", "soon"),
        Map.of("x-delay", 1.5),
        Map.of("x-delay", ""),
        Map.of("x-delay", List.of(1)),
        Map.of("x-delay", true),
        Map.of("x-delay", Long.MAX_VALUE),
        Map.of("x-delay", "99999999999999999999"),
        Map.of("x-deliver-at", "tomorrow"),
        Map.of("x-deliver-at", "2027-01-04T10:00:00"),
        Map.of("x-deliver-at", 5),
        both,
        Map.of("x-carillon-schedule", "{}"),
        Map.of("x-carillon-schedule", "hourly"),
        Map.of("x-carillon-schedule", "[1]"),
        Map.of("x-carillon-schedule", "{\"interval\": \"PT1H\", \"name\": \"n\"}"),
        Map.of("x-carillon-schedule", "{\"interval\": \"PT1H\"}", "x-delay", 1),
        Map.of("x-carillon-schedule", "{\"at\": \"2001-01-01T00:00:00Z\"}"),
        Map.of("x-carillon-key", ""),
        Map.of("x-carillon-key", "a b"),
        Map.of("x-carillon-key", 7),
        Map.of("x-carillon-cancel", true),
        Map.of("x-carillon-cancel", "yes", "x-carillon-key", "k"));
  }

  @ParameterizedTest
  @MethodSource("senseless")
  void whatMakesNoSenseIsRefusedWithTheReason(Map<String, Object> headers) {
    IncomingMessage senseless = message("k", headers);
    IncomingMessage good = message("k", Map.of("x-delay", 5_000));

    take(senseless, good);

    assertThat(refusal(senseless)).contains(headers.keySet().iterator().next().substring(0, 7));
    assertThat(good.answer().get()).isInstanceOf(Taken.class);
    assertThat(tasks()).hasSize(1);
    assertThat(published).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Carillon-Attempt",
        "X-Carillon-Due-At",
        "X-Carillon-Task-Id",
        "x-carillon-foo",
        "X-CARILLON-SCHEDULE"
      })
  void headersOfADeliveryAreLeftOutWhenItsReceiverSendsItOnceMore(String header) {
    expectTaken(message("k", Map.of("x-delay", 1_000, header, "1", "tenant", "blue")));
    expectTaken(message("k", Map.of("x-delay", 1_000, header, "1", "x-carillon-key", "order.17")));

    assertThat(tasks())
        .hasSize(2)
        .allSatisfy(
            task -> {
              assertThat(((Action.Amqp) task.definition().action()).headers())
                  .doesNotContainKey(header);
              assertThat(DefinitionReader.problemOfStoring(task.definition())).isEmpty();
            });
  }

  private static IncomingMessage withTimestamp(Map<String, Object> headers) {
    return new IncomingMessage(
        new Action.Amqp(
            "orders",
            "k",
            headers,
            // milliseconds where AMQP has seconds
            Map.of(MessageProperty.TIMESTAMP, Instant.ofEpochSecond(1_764_587_000_000L).toString()),
            Optional.of(Body.text("b")),
            true));
  }

  @Test
  void whatTheStoreCouldNotReadAgainIsRefusedWithTheReason() {
    IncomingMessage delayed = withTimestamp(Map.of("x-delay", 5_000));
    IncomingMessage keyed = withTimestamp(Map.of("x-delay", 5_000, "x-carillon-key", "k"));
    IncomingMessage good = message("k", Map.of("x-delay", 5_000));

    take(delayed, keyed, good);

    assertThat(refusal(delayed)).contains("action.properties.timestamp", "ISO-8601");
    assertThat(refusal(keyed)).contains("action.properties.timestamp");
    assertThat(good.answer().get()).isInstanceOf(Taken.class);
    assertThat(tasks()).hasSize(1);
  }

  @Test
  void whatGoesStraightThroughNeedsNoRoomInTheStore() {
    String large = "x".repeat(MessageHeaders.MOST_BODY_CHARACTERS + 1);
    Action.Amqp now =
        new Action.Amqp("orders", "k", Map.of(), Map.of(), Optional.of(Body.text(large)), true);
    Action.Amqp later =
        new Action.Amqp(
            "orders", "k", Map.of("x-delay", 1), Map.of(), Optional.of(Body.text(large)), true);
    IncomingMessage tooLarge = new IncomingMessage(later);

    expectTaken(new IncomingMessage(now), withTimestamp(Map.of("x-delay", 0)));
    take(tooLarge);

    assertThat(published).hasSize(2);
    assertThat(refusal(tooLarge)).contains("12582913 characters", "at most 12582912");
    assertThat(tasks()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"9999999999999999999999999", "1E999999999", "9223372036854775807"})
  void aDelayWithoutEndIsCalledTooLarge(String delay) {
    IncomingMessage message = message("k", Map.of("x-delay", delay));

    take(message);

    assertThat(refusal(message)).contains("x-delay is too large", "year 9999");
  }

  @Test
  void aMessageThatIsDeliveredAgainIsTheSameTaskDueAtTheSameTime() {
    take(message("k", Map.of("x-delay", 60_000, "id", "m1")));
    Task first = tasks().get(0);
    world.setClock(at(30));

    expectTaken(message("k", Map.of("x-delay", 60_000, "id", "m1")));

    assertThat(tasks()).containsExactly(first);
  }

  @Test
  void aMessageThatIsDeliveredAgainAfterItsTaskHasEndedMakesNoOther() {
    take(message("k", Map.of("x-delay", 10_000, "id", "m1")));
    world.setClock(at(10));
    Task running = world.claim(tasks().get(0), "worker");
    world.exchange(running, world.chain.complete(running, new Outcome.Succeeded(), at(10)));
    world.setClock(at(20));

    expectTaken(message("k", Map.of("x-delay", 10_000, "id", "m1")));

    assertThat(active()).isEmpty();
    assertThat(tasks()).hasSize(1);
  }

  @Test
  void whoeverDiesBetweenKnowingAMessageAndStoringItIsMadeUpForByTheNext() {
    take(message("k", Map.of("x-delay", 1_000, "id", "other"))); // so that nothing depends on order
    world.store.fail(Operation.INSERT);
    assertThatThrownBy(() -> take(message("k", Map.of("x-delay", 60_000, "id", "m1"))))
        .isInstanceOf(AwayException.class);
    world.setClock(at(3_600));

    expectTaken(message("k", Map.of("x-delay", 60_000, "id", "m1")));

    assertThat(active()).hasSize(2).extracting(t -> t.nextDueAt().get()).contains(at(60));
  }

  @Test
  void messagesWithTheSameIdToDifferentExchangesAreTwo() {
    Action.Amqp one = message("k", Map.of("x-delay", 60_000, "id", "m1")).message();
    Action.Amqp other =
        new Action.Amqp(
            "others", one.routingKey(), one.headers(), one.properties(), one.body(), true);

    expectTaken(new IncomingMessage(one), new IncomingMessage(other));

    assertThat(tasks()).hasSize(2);
  }

  @Test
  void messagesWithoutAnIdAreToldApart() {
    expectTaken(message("k", Map.of("x-delay", 60_000)), message("k", Map.of("x-delay", 60_000)));

    assertThat(tasks()).hasSize(2);
  }

  @Test
  void aMessageMayComeAgainAndAgain() {
    String schedule = "{\"interval\": \"PT10S\", \"maxRuns\": 3}";
    Map<String, Object> headers = Map.of("x-carillon-schedule", schedule, "id", "m1");
    expectTaken(message("k", headers));
    world.setClock(at(5));

    expectTaken(message("k", headers));

    assertThat(tasks()).hasSize(1);
    assertThat(tasks().get(0).nextDueAt()).contains(at(10));
    assertThat(tasks().get(0).totalSubTasks()).hasValue(3);
    Action.Amqp action = (Action.Amqp) tasks().get(0).definition().action();
    assertThat(action.headers()).isEmpty();
    assertThat(action.properties()).as("each delivery is another message").isEmpty();
  }

  @Test
  void theSameKeyReplaces() {
    expectTaken(message("k", Map.of("x-delay", 60_000, "x-carillon-key", "order.17")));
    expectTaken(message("k", Map.of("x-delay", 90_000, "x-carillon-key", "order.17")));

    assertThat(active()).singleElement().extracting(t -> t.nextDueAt().get()).isEqualTo(at(90));
    assertThat(active().get(0).definition().key()).contains("order.17");
  }

  @Test
  void ofManyWithTheSameKeyTheLastCounts() {
    Map<String, Object> put = Map.of("x-delay", 60_000, "x-carillon-key", "a");
    Map<String, Object> later = Map.of("x-delay", 90_000, "x-carillon-key", "a");
    Map<String, Object> cancel = Map.of("x-carillon-cancel", true, "x-carillon-key", "b");
    Map<String, Object> canceled = Map.of("x-delay", 60_000, "x-carillon-key", "b");

    expectTaken(
        message("k", put), message("k", canceled), message("k", later), message("k", cancel));

    assertThat(active()).singleElement().extracting(t -> t.nextDueAt().get()).isEqualTo(at(90));
  }

  @Test
  void aKeyCancelsWhatWaitsUnderIt() {
    take(message("k", Map.of("x-delay", 60_000, "x-carillon-key", "a", "id", "m1")));

    expectTaken(message("", Map.of("x-carillon-cancel", "true", "x-carillon-key", "a")));
    assertThat(active()).isEmpty();

    expectTaken(message("k", Map.of("x-delay", 60_000, "x-carillon-key", "a", "id", "m1")));
    assertThat(active()).as("the canceled message came once more").isEmpty();

    expectTaken(message("k", Map.of("x-delay", 60_000, "x-carillon-key", "a", "id", "m2")));
    assertThat(active()).hasSize(1);
  }

  @Test
  void whatIsNotThereCanBeCanceled() {
    expectTaken(message("", Map.of("x-carillon-cancel", true, "x-carillon-key", "none")));
  }

  @Test
  void aReplacingMessageThatComesAgainAfterItHasRunIsNotRunAgain() {
    take(message("k", Map.of("x-delay", 60_000, "x-carillon-key", "a", "id", "m1")));
    take(message("k", Map.of("x-delay", 10_000, "x-carillon-key", "a", "id", "m2")));
    world.setClock(at(10));
    Task running = world.claim(active().get(0), "worker");
    world.exchange(running, world.chain.complete(running, new Outcome.Succeeded(), at(10)));

    expectTaken(message("k", Map.of("x-delay", 10_000, "x-carillon-key", "a", "id", "m2")));
    expectTaken(message("k", Map.of("x-delay", 60_000, "x-carillon-key", "a", "id", "m1")));

    assertThat(active()).isEmpty();
  }

  @Test
  void aKeyedMessageThatIsNotToWaitIsPublishedByATaskInPlaceOfWhatWaits() {
    take(message("k", Map.of("x-delay", 60_000, "x-carillon-key", "a")));

    expectTaken(message("now", Map.of("x-carillon-key", "a")));

    assertThat(active()).hasSize(1);
    assertThat(((Action.Amqp) active().get(0).definition().action()).routingKey()).isEqualTo("now");
    assertThat(active().get(0).nextDueAt().get()).isBefore(at(1));
  }

  @Test
  void whileTheStoreIsAwayNothingIsAnsweredAndWhatWentThroughDoesNotGoTwice() {
    IncomingMessage through = message("k", Map.of());
    IncomingMessage stored = message("k", Map.of("x-delay", 5_000));
    world.store.goAway();

    assertThatThrownBy(() -> take(through, stored)).isInstanceOf(AwayException.class);
    assertThat(stored.answer()).isEmpty();
    world.store.comeBack();
    expectTaken(through, stored);

    assertThat(published).hasSize(1);
    assertThat(tasks()).hasSize(1);
  }

  @Test
  void oneThatTheStoreRefusesDoesNotHoldUpTheOthers() {
    IncomingMessage first = message("a", Map.of("x-delay", 5_000));
    IncomingMessage second = message("b", Map.of("x-delay", 5_000));
    RuntimeException refused = new IllegalStateException("too large");
    for (int i = 0; i < 2; i++) { // together, and the first alone
      world.store.answer(
          Operation.INSERT,
          () -> {
            throw refused;
          });
    }

    take(first, second);

    assertThat(refusal(first)).contains("too large");
    assertThat(second.answer().get()).isInstanceOf(Taken.class);
    assertThat(tasks()).hasSize(1);
  }

  @Test
  void aMessageIdIsForgottenInTime() {
    take(message("k", Map.of("x-delay", 10_000, "id", "m1")));
    world.setClock(world.instant().plus(KeyedCreation.LIFE).plusSeconds(1));

    take(message("k", Map.of("x-delay", 10_000, "id", "m1")));

    assertThat(tasks()).hasSize(2);
  }

  @Test
  void aMessageThatComesAgainDoesNotUndoWhatCameAfterIt() {
    Map<String, Object> first = Map.of("x-delay", 60_000, "x-carillon-key", "a", "id", "m1");
    Map<String, Object> cancel =
        Map.of("x-carillon-cancel", true, "x-carillon-key", "a", "id", "c");
    Map<String, Object> second = Map.of("x-delay", 90_000, "x-carillon-key", "a", "id", "m2");
    expectTaken(message("k", first), message("k", cancel), message("k", second));
    List<Task> then = tasks();

    expectTaken(message("k", first));
    expectTaken(message("k", cancel));
    expectTaken(message("k", second));

    assertThat(tasks()).isEqualTo(then);
    assertThat(active()).singleElement().extracting(t -> t.nextDueAt().get()).isEqualTo(at(90));
  }
}
