package dev.carillon.task;

import dev.carillon.form.Form;
import dev.carillon.schedule.ScheduleReader;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Tasks for tests. */
public final class Tasks {

  public static final Instant NOW = Instant.parse("2027-01-04T08:00:00Z");

  private Tasks() {}

  public static TaskId id(long seed) {
    return TaskId.create(NOW, new Random(seed));
  }

  /** Fires every interval, the first time one interval from now, without end. */
  public static TaskDefinition every(Duration interval) {
    return definition(Map.of("interval", interval.toString()));
  }

  /** Fires so many times, the first time one interval from now. */
  public static TaskDefinition every(Duration interval, int times) {
    return definition(Map.of("interval", interval.toString(), "maxRuns", times));
  }

  /** A task with the given fields of a schedule, and the default for all else. */
  public static TaskDefinition definition(Map<String, Object> schedule) {
    Form form = Form.of(new LinkedHashMap<>(schedule));
    return TaskDefinition.builder(
            "task",
            ScheduleReader.readNew(form, NOW)
                .orElseThrow(() -> new AssertionError(form.problems().toString())),
            new Action.Log())
        .misfire(new MisfirePolicy(MisfirePolicy.Rule.RUN_ALL, MisfirePolicy.DEFAULT.grace()))
        .build();
  }

  /** Parks everything up to the horizon, in queues named after what waits in them. */
  public static Parking parking(Duration horizon) {
    return (arming, now) -> {
      String name = "pending." + arming.index() + "." + arming.attempt() + "." + arming.token();
      return Parking.within(horizon, arming.runAt(), now, new Parking.Place.InQueue(name, true));
    };
  }

  /** The queue that an attempt would wait in if that was decided then. */
  public static String queue(Parking parking, Parking.Arming arming, Instant then) {
    Parking.Place place = parking.placeFor(arming, then);
    if (place instanceof Parking.Place.InQueue queue) {
      return queue.name();
    }
    throw new AssertionError(arming + " is to wait " + place);
  }
}
