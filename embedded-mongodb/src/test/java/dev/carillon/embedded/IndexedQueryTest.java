package dev.carillon.embedded;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.lte;
import static com.mongodb.client.model.Filters.or;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Sorts.descending;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.FindIterable;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Updates;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Queries look at the documents that they return, not at the whole collection. */
class IndexedQueryTest {

  private static final int TASKS = 20_000;
  private static final int PAGE = 100;

  private static Session session;

  @BeforeAll
  static void insertTasks() {
    session = Session.inMemory();
    session.tasks().createIndex(Indexes.ascending("status", "wakeAt"));
    session.tasks().createIndex(Indexes.descending("createdAt", "_id"));
    session
        .tasks()
        .createIndex(Indexes.ascending("claim"), new IndexOptions().unique(true).sparse(true));
    for (int from = 0; from < TASKS; from += 5_000) {
      session
          .tasks()
          .insertMany(
              IntStream.range(from, from + 5_000).mapToObj(IndexedQueryTest::task).toList());
    }
  }

  @AfterAll
  static void close() {
    session.close();
  }

  /** Wake-up times are in no relation to ids; ten tasks are created at the same time. */
  private static Document task(int i) {
    return new Document("_id", String.format("t%06d", i))
        .append("number", i)
        .append("status", i % 5 == 0 ? "PAUSED" : i % 1_000 == 1 ? "CANCELED" : "ACTIVE")
        .append("wakeAt", i % 7 == 0 ? null : Session.at((i * 7_919L) % TASKS))
        .append("createdAt", Session.at(i / 10))
        .append("claim", "c" + i);
  }

  private static List<Document> asserted(FindIterable<Document> query, int examinedAtMost) {
    long before = session.documentsExamined();
    List<Document> found = query.into(new ArrayList<>());
    assertThat(session.documentsExamined() - before).isLessThanOrEqualTo(examinedAtMost);
    return found;
  }

  @Test
  void dueTasksComeInOrderFromTheIndex() {
    Bson due = and(eq("status", "ACTIVE"), lte("wakeAt", Session.at(8_000)));
    List<Document> found =
        asserted(session.tasks().find(due).sort(ascending("wakeAt")).limit(PAGE), PAGE);

    List<Object> expected =
        IntStream.range(0, TASKS)
            .mapToObj(IndexedQueryTest::task)
            .filter(task -> task.get("status").equals("ACTIVE") && task.get("wakeAt") != null)
            .sorted(Comparator.comparing(task -> task.getDate("wakeAt")))
            .limit(PAGE)
            .map(task -> task.get("wakeAt"))
            .toList();
    assertThat(found).extracting(task -> task.get("wakeAt")).isEqualTo(expected);
  }

  @Test
  void aRangeWithoutMatchesLooksAtNothing() {
    Bson due = and(eq("status", "ACTIVE"), lt("wakeAt", Session.at(0)));
    assertThat(asserted(session.tasks().find(due), 0)).isEmpty();
  }

  @Test
  void aFilterThatNoIndexCanAnswerLooksAtEverything() {
    long before = session.documentsExamined();
    assertThat(session.tasks().find(eq("number", 77))).hasSize(1);
    assertThat(session.documentsExamined() - before).isEqualTo(TASKS);
  }

  @Test
  void filtersOnTheIdLookAtOneDocument() {
    Bson claimable =
        and(
            eq("_id", "t000011"),
            eq("status", "ACTIVE"),
            lte("wakeAt", Session.at(TASKS)),
            eq("owner", null));
    assertThat(asserted(session.tasks().find(claimable), 1)).hasSize(1);

    long before = session.documentsExamined();
    session.tasks().updateOne(claimable, Updates.set("touched", true));
    assertThat(session.documentsExamined() - before).isEqualTo(1);
  }

  @Test
  void manyClaimsAreLookedUpOneByOne() {
    List<String> claims = IntStream.range(0, 50).mapToObj(i -> "c" + i * 31).toList();
    assertThat(asserted(session.tasks().find(in("claim", claims)), 50)).hasSize(50);
  }

  @Test
  void pagesNewestFirstById() {
    List<String> seen = new ArrayList<>();
    long before = session.documentsExamined();
    Bson next = new Document();
    while (true) {
      List<Document> page =
          session.tasks().find(next).sort(descending("_id")).limit(PAGE).into(new ArrayList<>());
      if (page.isEmpty()) {
        break;
      }
      page.forEach(task -> seen.add(task.getString("_id")));
      next = lt("_id", page.get(page.size() - 1).getString("_id"));
    }
    assertThat(session.documentsExamined() - before).isEqualTo(TASKS);
    assertThat(seen).hasSize(TASKS).isSortedAccordingTo(Comparator.reverseOrder());
  }

  @Test
  void pagesNewestFirstByTimeAndId() {
    Document last = session.tasks().find(eq("number", 12_004)).first();
    Date createdAt = last.getDate("createdAt");
    Bson next =
        and(
            lte("createdAt", createdAt),
            or(lt("createdAt", createdAt), lt("_id", last.getString("_id"))));
    List<Document> page =
        asserted(
            session.tasks().find(next).sort(descending("createdAt", "_id")).limit(PAGE), PAGE + 10);
    assertThat(page)
        .extracting(task -> task.get("number"))
        .isEqualTo(IntStream.range(0, PAGE).mapToObj(i -> (Object) (12_003 - i)).toList());
  }

  @Test
  void aCommonStatusIsFilteredOnTheWayThroughTheNewest() {
    List<Document> page =
        asserted(
            session
                .tasks()
                .find(eq("status", "PAUSED"))
                .sort(descending("createdAt", "_id"))
                .limit(PAGE),
            5 * PAGE);
    assertThat(page).extracting(task -> task.get("number")).startsWith(19_995, 19_990, 19_985);
  }

  @Test
  void aRareStatusIsLookedUpAndSorted() {
    List<Document> page =
        asserted(
            session
                .tasks()
                .find(eq("status", "CANCELED"))
                .sort(descending("createdAt", "_id"))
                .limit(PAGE),
            TASKS / 1_000);
    assertThat(page).hasSize(TASKS / 1_000);
    assertThat(page).extracting(task -> task.get("number")).startsWith(19_001, 18_001, 17_001);
  }
}
