package dev.carillon.api;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A page of a listing. */
final class Page {

  private Page() {}

  /**
   * @param found one more than fits the page if there is another page
   */
  static <T> Answer of(
      List<T> found, int limit, Function<T, Object> view, Function<T, String> cursorAfter) {
    return Answer.json(200, view(found, limit, view, cursorAfter));
  }

  /** As {@link #of}, for who has something to add. */
  static <T> Map<String, Object> view(
      List<T> found, int limit, Function<T, Object> view, Function<T, String> cursorAfter) {
    List<T> items = found.subList(0, Math.min(limit, found.size()));
    boolean isLast = found.size() <= limit;
    Map<String, Object> page = new LinkedHashMap<>();
    page.put("items", items.stream().map(view).toList());
    page.put("nextCursor", isLast ? null : cursorAfter.apply(items.get(limit - 1)));
    return page;
  }
}
