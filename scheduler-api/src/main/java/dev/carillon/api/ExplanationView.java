package dev.carillon.api;

import dev.carillon.explain.Explanation;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** An explanation as answers show it. */
final class ExplanationView {

  private ExplanationView() {}

  static Map<String, Object> of(Explanation explanation) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("at", explanation.at().toString());
    view.put("state", explanation.state().name());
    view.put("explanation", explanation.text());
    view.put("waitsFor", explanation.waitsFor().map(Enum::name).orElse(null));
    view.put("nextStepAt", text(explanation.nextStepAt()));
    view.put("before", text(explanation.before()));
    view.put("after", text(explanation.after()));
    view.put("subTask", explanation.subTask().map(TaskView::of).orElse(null));
    return view;
  }

  private static String text(Optional<Instant> instant) {
    return instant.map(Instant::toString).orElse(null);
  }
}
