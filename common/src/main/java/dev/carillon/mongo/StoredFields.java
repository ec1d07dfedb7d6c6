package dev.carillon.mongo;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.bson.Document;

/**
 * Typed reading of a stored document. What is missing or of another type is told with its path, in
 * an {@link IllegalArgumentException}. Whole numbers may have any numeric type, since a shell may
 * have written them.
 */
final class StoredFields {

  private final String path;
  private final Document fields;

  StoredFields(Document fields) {
    this("", fields);
  }

  private StoredFields(String path, Document fields) {
    this.path = path;
    this.fields = fields;
  }

  long number(String name) {
    return required(name, optionalNumber(name));
  }

  Optional<Long> optionalNumber(String name) {
    return optional(name, Number.class, "a whole number")
        .map(
            number -> {
              if (number.doubleValue() != Math.rint(number.doubleValue())) {
                throw wrong(name, "must be a whole number");
              }
              return number.longValue();
            });
  }

  int smallNumber(String name) {
    return (int) smallNumber(name, number(name));
  }

  int smallNumberOr(String name, int absent) {
    return (int) smallNumber(name, optionalNumber(name).orElse((long) absent));
  }

  private long smallNumber(String name, long number) {
    if (number != (int) number) {
      throw wrong(name, "is too large");
    }
    return number;
  }

  String text(String name) {
    return required(name, optionalText(name));
  }

  Optional<String> optionalText(String name) {
    return optional(name, String.class, "a string");
  }

  Instant time(String name) {
    return required(name, optionalTime(name));
  }

  Optional<Instant> optionalTime(String name) {
    return optional(name, Date.class, "a date").map(Date::toInstant);
  }

  <E extends Enum<E>> E constant(String name, Class<E> type) {
    return required(name, optionalConstant(name, type));
  }

  <E extends Enum<E>> Optional<E> optionalConstant(String name, Class<E> type) {
    return optionalText(name).map(text -> constant(name, text, type));
  }

  private <E extends Enum<E>> E constant(String name, String text, Class<E> type) {
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equals(text)) {
        return constant;
      }
    }
    throw wrong(name, "must be one of " + List.of(type.getEnumConstants()));
  }

  Document document(String name) {
    return required(name, optional(name, Document.class, "an object"));
  }

  StoredFields object(String name) {
    return new StoredFields(path + name + ".", document(name));
  }

  Optional<StoredFields> optionalObject(String name) {
    return fields.get(name) == null ? Optional.empty() : Optional.of(object(name));
  }

  /** The names of all fields that are there. */
  Set<String> names() {
    return fields.keySet();
  }

  <T> List<T> objects(String name, Function<StoredFields, T> read) {
    List<?> elements = required(name, optional(name, List.class, "an array"));
    List<T> objects = new ArrayList<>(elements.size());
    for (Object element : elements) {
      String elementName = name + "." + objects.size();
      if (!(element instanceof Document document)) {
        throw wrong(elementName, "must be an object");
      }
      objects.add(read.apply(new StoredFields(path + elementName + ".", document)));
    }
    return objects;
  }

  /** Empty when the field is not there. */
  <T> List<T> objectsIfAny(String name, Function<StoredFields, T> read) {
    return fields.get(name) == null ? List.of() : objects(name, read);
  }

  private <T> Optional<T> optional(String name, Class<T> type, String description) {
    Object value = fields.get(name);
    if (value != null && !type.isInstance(value)) {
      throw wrong(name, "must be " + description);
    }
    return Optional.ofNullable(type.cast(value));
  }

  private <T> T required(String name, Optional<T> value) {
    return value.orElseThrow(() -> wrong(name, "is missing"));
  }

  private IllegalArgumentException wrong(String name, String message) {
    return new IllegalArgumentException(path + name + " " + message);
  }
}
