package dev.carillon.api;

import dev.carillon.form.Problem;
import java.util.List;

/** A request that is not carried out, with the answer that says why. */
final class RefusedException extends RuntimeException {

  private final transient Answer answer;

  RefusedException(Answer answer) {
    super("refused with " + answer.status(), null, false, false);
    this.answer = answer;
  }

  /** Something is wrong with the request as a whole. */
  static RefusedException malformed(String message) {
    return new RefusedException(Problems.invalid(List.of(new Problem("", message))));
  }

  Answer answer() {
    return answer;
  }
}
