package dev.carillon.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An idempotency key stands for one creation, whoever asks, until its life is over. */
public abstract class KeyContract extends StoreContract {

  private static final Duration TICK = Duration.ofMillis(1);
  private static final Instant END = START.plus(KeyedCreation.LIFE);

  private KeyedCreation wanted(String key, Instant at) {
    return new KeyedCreation(key, "request of " + key, nextId(), at);
  }

  @Test
  void aFreeKeyStandsForTheFirstWhoTakesIt() {
    assertThat(store.findKeyed("a", START)).isEmpty();
    KeyedCreation first = wanted("a", START);

    assertThat(store.takeKey(first)).isEqualTo(first);

    assertThat(store.findKeyed("a", START)).contains(first);
    assertThat(store.takeKey(wanted("a", START.plusSeconds(1)))).isEqualTo(first);
    assertThat(store.findKeyed("a", START)).contains(first);
  }

  @Test
  void takingAgainGivesTheSame() {
    KeyedCreation first = wanted("a", START);
    store.takeKey(first);

    assertThat(store.takeKey(first)).isEqualTo(first);
  }

  @Test
  void keysAreToldApartByEveryCharacter() {
    List<KeyedCreation> taken =
        IntStream.rangeClosed('!', '~')
            .mapToObj(character -> wanted("k" + (char) character, START))
            .toList();

    taken.forEach(creation -> assertThat(store.takeKey(creation)).isEqualTo(creation));

    taken.forEach(
        creation -> assertThat(store.findKeyed(creation.key(), START)).contains(creation));
  }

  @ParameterizedTest
  @ValueSource(strings = {"$ne", "{\"$gt\":\"\"}", "a.b", "$", "_id", "null", "0"})
  void noKeyMeansAnythingElse(String key) {
    KeyedCreation creation = wanted(key, START);
    store.takeKey(wanted("other", START));

    assertThat(store.takeKey(creation)).isEqualTo(creation);
    assertThat(store.findKeyed(key, START)).contains(creation);
  }

  @Test
  void aKeyLivesForADay() {
    KeyedCreation first = wanted("a", START);
    store.takeKey(first);
    Instant last = END.minus(TICK);

    assertThat(store.findKeyed("a", last)).contains(first);
    assertThat(store.takeKey(wanted("a", last))).isEqualTo(first);

    assertThat(store.findKeyed("a", END)).isEmpty();
    KeyedCreation second = wanted("a", END);
    assertThat(store.takeKey(second)).isEqualTo(second);
    assertThat(store.findKeyed("a", END)).contains(second);
    assertThat(store.takeKey(wanted("a", END.plusSeconds(1)))).isEqualTo(second);
  }

  @Test
  void ofManyWhoTakeAFreeKeyAllGetTheSame() throws Exception {
    try (Race race = new Race(16)) {
      for (int round = 0; round < 20; round++) {
        String key = "race-" + round;
        List<KeyedCreation> wanted =
            IntStream.range(0, 16).mapToObj(runner -> wanted(key, START)).toList();

        List<KeyedCreation> taken = race.run(runner -> store.takeKey(wanted.get(runner)));

        assertThat(new HashSet<>(taken)).hasSize(1).isSubsetOf(wanted);
        assertThat(store.findKeyed(key, START)).contains(taken.get(0));
      }
    }
  }

  @Test
  void ofManyWhoTakeAKeyAtTheEndOfItsLifeAllGetTheSame() throws Exception {
    try (Race race = new Race(16)) {
      for (int round = 0; round < 20; round++) {
        String key = "race-" + round;
        KeyedCreation old = store.takeKey(wanted(key, START));
        List<KeyedCreation> wanted =
            IntStream.range(0, 16).mapToObj(runner -> wanted(key, END)).toList();

        List<KeyedCreation> taken = race.run(runner -> store.takeKey(wanted.get(runner)));

        assertThat(new HashSet<>(taken)).hasSize(1).doesNotContain(old).isSubsetOf(wanted);
        assertThat(store.findKeyed(key, END)).contains(taken.get(0));
      }
    }
  }

  @Test
  void oldKeysAreForgottenSoManyAtATime() {
    for (int i = 0; i < 5; i++) {
      store.takeKey(wanted("old-" + i, START));
    }
    KeyedCreation justNot = wanted("just not", START.plus(TICK));
    store.takeKey(justNot);

    assertThat(store.purgeKeys(START, 10)).isZero();
    assertThat(store.purgeKeys(START.plus(TICK), 3)).isEqualTo(3);
    assertThat(store.purgeKeys(START.plus(TICK), 3)).isEqualTo(2);
    assertThat(store.purgeKeys(START.plus(TICK), 3)).isZero();

    assertThat(IntStream.range(0, 5).mapToObj(i -> store.findKeyed("old-" + i, START)))
        .allMatch(Optional::isEmpty);
    assertThat(store.findKeyed("just not", START)).contains(justNot);
  }
}
