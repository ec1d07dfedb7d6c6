package dev.carillon.worker.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.carillon.task.Action;
import dev.carillon.task.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handlers in jars, which are compiled here. */
final class CodeHandlerTest {

  @TempDir private Path folder;

  private final List<TaskHandlers> loaded = new ArrayList<>();

  @AfterEach
  void letGo() {
    loaded.forEach(TaskHandlers::close);
  }

  /** A jar with one handler of the class {@code h.H}, and a class {@code h.Library} of its own. */
  private void jar(String file, String name, String body, String library) throws IOException {
    Path classes = Files.createDirectories(folder.resolve(file + ".classes"));
    compile(
        classes,
        "h.H",
        """
        package h;
        import dev.carillon.handler.*;
        public class H implements TaskHandler {
          public String name() { return "%s"; }
          public void handle(TaskRun run) throws Exception { %s }
        }
        """
            .formatted(name, body),
        "h.Library",
        "package h; class Library { static String version() { return \"" + library + "\"; } }");
    Path jars = Files.createDirectories(folder.resolve("handlers"));
    try (OutputStream out = Files.newOutputStream(jars.resolve(file));
        JarOutputStream jar = new JarOutputStream(out)) {
      add(jar, "h/H.class", Files.readAllBytes(classes.resolve("h/H.class")));
      add(jar, "h/Library.class", Files.readAllBytes(classes.resolve("h/Library.class")));
      add(
          jar,
          "META-INF/services/dev.carillon.handler.TaskHandler",
          "h.H".getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void add(JarOutputStream jar, String name, byte[] content) throws IOException {
    jar.putNextEntry(new JarEntry(name));
    jar.write(content);
    jar.closeEntry();
  }

  private static void compile(Path to, String... namesAndSources) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<JavaFileObject> sources = new ArrayList<>();
    for (int i = 0; i < namesAndSources.length; i += 2) {
      String source = namesAndSources[i + 1];
      URI uri = URI.create("string:///" + namesAndSources[i].replace('.', '/') + ".java");
      sources.add(
          new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
              return source;
            }
          });
    }
    List<String> options =
        List.of("-d", to.toString(), "-proc:none", "-cp", System.getProperty("java.class.path"));
    assertThat(compiler.getTask(null, null, null, options, null, sources).call()).isTrue();
  }

  private TaskHandlers load() {
    TaskHandlers handlers = TaskHandlers.load(folder.resolve("handlers"));
    loaded.add(handlers);
    return handlers;
  }

  private static Outcome call(TaskHandlers handlers, String name, String payload)
      throws InterruptedException {
    return new CodeHandler(handlers)
        .handle(
            new Action.Code(name, Optional.ofNullable(payload)),
            Attempts.attempt(4, 2, Duration.ofMinutes(1)));
  }

  private static String error(Outcome outcome) {
    return ((Outcome.Failed) outcome).error();
  }

  @Test
  void aHandlerGetsWhatItNeedsToKnow() throws Exception {
    jar("a.jar", "a", "throw new Exception(run + \" \" + run.payload().getClass());", "1");

    String error = error(call(load(), "a", "{\"n\":1,\"l\":[1.50,null]}"));

    assertThat(error)
        .startsWith("handler \"a\": java.lang.Exception: TaskRun[taskId=" + Attempts.TASK)
        .contains("taskName=task, index=4, attempt=2, dueAt=2027-01-04T08:00:00Z")
        .contains("idempotencyKey=" + Attempts.TASK + "_4, fencingToken=12, metadata={owner=me}")
        .contains("payload={n=1, l=[1.50, null]}, payloadJson={\"n\":1,\"l\":[1.50,null]}]");
  }

  @Test
  void returningIsSuccessAndAnExceptionAFailureThatIsTriedAgainOrNot() throws Exception {
    jar("a.jar", "a", "", "1");
    jar("b.jar", "b", "throw new IllegalStateException(\"no\");", "1");
    jar("c.jar", "c", "throw new PermanentFailureException(\"never\");", "1");
    TaskHandlers handlers = load();

    assertThat(call(handlers, "a", null)).isEqualTo(new Outcome.Succeeded());
    assertThat(call(handlers, "b", null))
        .isEqualTo(new Outcome.Failed("handler \"b\": java.lang.IllegalStateException: no", true));
    assertThat(call(handlers, "c", null))
        .isEqualTo(new Outcome.Failed("handler \"c\": never", false));
  }

  @Test
  void eachJarHasClassesOfItsOwnAndNoneOfTheWorkers() throws Exception {
    String tell =
        "String jackson; try { Class.forName(\"com.fasterxml.jackson.databind.ObjectMapper\");"
            + " jackson = \"seen\"; } catch (ClassNotFoundException e) { jackson = \"not seen\"; }"
            + " boolean own = Thread.currentThread().getContextClassLoader()"
            + " == getClass().getClassLoader();"
            + " throw new Exception(Library.version() + jackson + own);";
    jar("a.jar", "a", tell, "one");
    jar("b.jar", "b", tell, "two");
    TaskHandlers handlers = load();

    assertThat(error(call(handlers, "a", null))).endsWith(": onenot seentrue");
    assertThat(error(call(handlers, "b", null))).endsWith(": twonot seentrue");
  }

  @Test
  void anUnknownNameIsAFailureThatIsSaidAndShown() throws Exception {
    jar("a.jar", "a", "", "1");
    TaskHandlers handlers = load();
    assertThat(handlers.state().detail()).isEqualTo("has a");

    Outcome outcome = call(handlers, "b", null);

    assertThat(outcome)
        .isEqualTo(new Outcome.Failed("this worker has no handler \"b\"; it has a", true));
    assertThat(handlers.state().detail()).isEqualTo("has a; asked for and not there: [b]");
    assertThat(handlers.state().isUp()).isTrue();
    assertThat(handlers.unknownCalls()).isEqualTo(1);
  }

  @Test
  void anInterruptionComesOut() throws Exception {
    jar("a.jar", "a", "Thread.sleep(60_000);", "1");
    TaskHandlers handlers = load();
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> call(handlers, "a", null)).isInstanceOf(InterruptedException.class);
  }

  @Test
  void withoutAFolderThereAreNone() {
    assertThat(load().state().detail()).isEqualTo("has none");
  }

  @Test
  void whatCannotBeLoadedStopsTheStart() throws Exception {
    jar("a.jar", "same", "", "1");
    jar("b.jar", "same", "", "1");
    assertThatThrownBy(this::load)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageMatching("there are two handlers \"same\", in .*a\\.jar and in .*b\\.jar");

    Files.delete(folder.resolve("handlers/b.jar"));
    Files.writeString(folder.resolve("handlers/c.jar"), "no jar");
    assertThatThrownBy(this::load)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageMatching(".*c\\.jar has no handler: META-INF/services/.* is missing");
  }
}
