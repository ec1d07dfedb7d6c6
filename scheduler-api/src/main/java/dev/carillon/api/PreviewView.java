package dev.carillon.api;

import dev.carillon.schedule.Preview;
import java.util.LinkedHashMap;
import java.util.Map;

/** A preview as answers show it. */
final class PreviewView {

  private PreviewView() {}

  static Map<String, Object> of(Preview preview) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("reading", preview.reading());
    view.put("instants", preview.instants().stream().map(PreviewView::firing).toList());
    view.put("missing", preview.missing().stream().map(PreviewView::missing).toList());
    return view;
  }

  private static Map<String, Object> firing(Preview.Firing firing) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("at", firing.at().toString());
    view.put("local", firing.local());
    return view;
  }

  private static Map<String, Object> missing(Preview.Missing missing) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("at", missing.at().toString());
    view.put("local", missing.local());
    view.put("reason", missing.reason());
    return view;
  }
}
