package dev.carillon.api;

import dev.carillon.form.Problem;
import io.javalin.http.HttpStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Answers that say what is wrong, as problem details of RFC 9457. */
final class Problems {

  /** Nobody reads more, and a hostile body could have very many. */
  private static final int MAX_LISTED = 100;

  private static final int MAX_TEXT_LENGTH = 500;

  private Problems() {}

  /**
   * @param detail what is the matter with this request
   * @param problems each thing that is wrong with what the user sent
   */
  static Answer answer(int status, String detail, List<Problem> problems) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("type", "about:blank");
    body.put("title", title(status));
    body.put("status", status);
    body.put("detail", cut(detail));
    if (!problems.isEmpty()) {
      body.put("errors", errors(problems));
    }
    return new Answer(status, Answer.PROBLEM, Map.of(), Optional.of(body));
  }

  static Answer answer(int status, String detail) {
    return answer(status, detail, List.of());
  }

  /** For a request that cannot be accepted as it is. */
  static Answer invalid(List<Problem> problems) {
    String detail =
        problems.size() == 1
            ? describe(problems.get(0))
            : problems.size() + " things are wrong with the request";
    return answer(400, detail, problems);
  }

  private static String describe(Problem problem) {
    String what = problem.field().isEmpty() ? "the body" : problem.field();
    return what + " " + problem.message();
  }

  private static List<Map<String, String>> errors(List<Problem> problems) {
    List<Map<String, String>> errors = new ArrayList<>();
    for (Problem problem : problems.subList(0, Math.min(problems.size(), MAX_LISTED))) {
      errors.add(error(problem.field(), problem.message()));
    }
    if (problems.size() > MAX_LISTED) {
      errors.add(error("", "has " + (problems.size() - MAX_LISTED) + " more problems"));
    }
    return errors;
  }

  private static Map<String, String> error(String field, String message) {
    Map<String, String> error = new LinkedHashMap<>();
    error.put("field", cut(field));
    error.put("message", cut(message));
    return error;
  }

  private static String title(int status) {
    HttpStatus known = HttpStatus.forStatus(status);
    return known == HttpStatus.INTERNAL_SERVER_ERROR ? "Internal Server Error" : known.getMessage();
  }

  private static String cut(String text) {
    return text.length() <= MAX_TEXT_LENGTH ? text : text.substring(0, MAX_TEXT_LENGTH - 1) + "…";
  }
}
