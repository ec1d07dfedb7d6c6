package dev.carillon.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.ops.Environment;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class WorkerNameTest {

  @Test
  void eachStartHasANameOfItsOwn() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      names.add(WorkerName.read(Environment.of(Map.of("WORKER_NAME", "blue"))));
    }

    assertThat(names).hasSize(100).allMatch(name -> name.matches("blue-[0-9a-f]{8}"));
  }

  @Test
  void withoutAnyItIsCalledAfterItsHost() {
    assertThat(WorkerName.read(Environment.of(Map.of()))).matches(".+-[0-9a-f]{8}");
  }
}
