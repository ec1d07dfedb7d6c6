package dev.carillon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FreePortTest {

  @Test
  void neverAnswersTheSamePortTwice() {
    List<Integer> ports = Stream.generate(FreePort::next).limit(200).toList();

    assertThat(ports).doesNotHaveDuplicates().allMatch(port -> port >= 20_000 && port < 30_000);
  }
}
