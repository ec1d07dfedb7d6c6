package dev.carillon.bench.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;

/** The samples of one recording, counted by threads, methods, and our own methods. */
final class RecordingSummary {

  private static final int SHOWN = 20;
  private static final String OURS = "dev.carillon.";

  private String process = "?";
  private final Map<String, Long> threads = new HashMap<>();
  private final Map<String, Long> leaves = new HashMap<>();
  private final Map<String, Long> ours = new HashMap<>();
  private final Map<String, Long> inclusive = new HashMap<>();
  private final Map<String, Long> allocated = new HashMap<>();

  private RecordingSummary() {}

  static RecordingSummary read(Path recording, Instant begin, Instant end) throws IOException {
    RecordingSummary summary = new RecordingSummary();
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        if (event.getEventType().getName().equals("jdk.JVMInformation")) {
          String arguments = event.getString("javaArguments");
          summary.process = arguments.substring(arguments.lastIndexOf('/') + 1);
        }
        Instant time = event.getStartTime();
        if (!time.isBefore(begin) && time.isBefore(end)) {
          summary.add(event);
        }
      }
    }
    return summary;
  }

  private void add(RecordedEvent event) {
    switch (event.getEventType().getName()) {
      case "jdk.ExecutionSample" -> addSample(event);
      case "jdk.ObjectAllocationSample" ->
          allocated.merge(innermostOurs(event), event.getLong("weight"), Long::sum);
      default -> {
        // of no interest here
      }
    }
  }

  private void addSample(RecordedEvent event) {
    if (event.getStackTrace() == null) {
      return;
    }
    List<RecordedFrame> frames = event.getStackTrace().getFrames();
    if (event.getThread("sampledThread") != null) {
      String name = event.getThread("sampledThread").getJavaName();
      threads.merge(String.valueOf(name).replaceAll("[0-9]+", "n"), 1L, Long::sum);
    }
    leaves.merge(name(frames.get(0).getMethod()), 1L, Long::sum);
    ours.merge(innermostOurs(event), 1L, Long::sum);
    frames.stream()
        .filter(frame -> isOurs(frame.getMethod()))
        .map(frame -> name(frame.getMethod()))
        .distinct()
        .forEach(method -> inclusive.merge(method, 1L, Long::sum));
  }

  private static String innermostOurs(RecordedEvent event) {
    if (event.getStackTrace() == null) {
      return "(no stack)";
    }
    return event.getStackTrace().getFrames().stream()
        .map(RecordedFrame::getMethod)
        .filter(RecordingSummary::isOurs)
        .findFirst()
        .map(RecordingSummary::name)
        .orElse("(none of ours)");
  }

  private static boolean isOurs(RecordedMethod method) {
    String type = method.getType().getName();
    return type.startsWith(OURS) && !type.contains("$$Lambda");
  }

  private static String name(RecordedMethod method) {
    return method.getType().getName() + "." + method.getName();
  }

  String markdown() {
    long samples = sum(leaves);
    return "\n**%s**: %d samples of running Java code\n".formatted(process, samples)
        + list("threads", threads, samples)
        + list("innermost method of ours", ours, samples)
        + list("methods of ours, with all that they call", inclusive, samples)
        + list("innermost method", leaves, samples)
        + list("allocation, by innermost method of ours", allocated, sum(allocated));
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  private static String list(String title, Map<String, Long> counts, long all) {
    StringBuilder text = new StringBuilder("\n").append(title).append(":\n\n");
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(SHOWN)
        .forEach(
            entry ->
                text.append(
                    "- %.1f %% %s%n".formatted(100.0 * entry.getValue() / all, entry.getKey())));
    return text.toString();
  }
}
