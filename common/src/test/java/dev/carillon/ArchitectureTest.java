package dev.carillon;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures;
import java.nio.file.Path;
import java.time.Clock;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

/** Dependencies point one way. */
final class ArchitectureTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void layersDependDownwardsOnly() {
    Architectures.layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("dev.carillon..")
        .layer("form")
        .definedBy("dev.carillon.form..")
        .layer("schedule")
        .definedBy("dev.carillon.schedule..")
        .layer("task")
        .definedBy("dev.carillon.task..")
        .layer("definition")
        .definedBy("dev.carillon.definition..")
        .layer("explain")
        .definedBy("dev.carillon.explain..")
        .layer("queue")
        .definedBy("dev.carillon.queue..")
        .layer("store")
        .definedBy("dev.carillon.store..")
        .layer("event")
        .definedBy("dev.carillon.event..")
        .layer("flow")
        .definedBy("dev.carillon.flow..")
        .layer("inprocess")
        .definedBy("dev.carillon.inprocess..")
        .layer("mongo")
        .definedBy("dev.carillon.mongo..")
        .layer("rabbit")
        .definedBy("dev.carillon.rabbit..")
        .layer("config")
        .definedBy("dev.carillon.config..")
        .layer("batch")
        .definedBy("dev.carillon.batch..")
        .layer("ops")
        .definedBy("dev.carillon.ops..")
        .whereLayer("form")
        .mayOnlyBeAccessedByLayers("schedule", "definition", "explain", "flow", "mongo")
        .whereLayer("schedule")
        .mayOnlyBeAccessedByLayers("task", "definition", "explain", "mongo")
        .whereLayer("explain")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("definition")
        .mayOnlyBeAccessedByLayers("flow", "mongo")
        .whereLayer("queue")
        .mayOnlyBeAccessedByLayers("store", "flow", "mongo", "rabbit", "inprocess")
        .whereLayer("store")
        .mayOnlyBeAccessedByLayers("flow", "mongo", "config", "event")
        .whereLayer("event")
        .mayOnlyBeAccessedByLayers("rabbit")
        .whereLayer("flow")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("inprocess")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("mongo")
        .mayOnlyBeAccessedByLayers("config")
        .whereLayer("rabbit")
        .mayOnlyBeAccessedByLayers("config")
        .whereLayer("config")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("batch")
        .mayOnlyBeAccessedByLayers("mongo", "rabbit")
        .whereLayer("ops")
        .mayOnlyBeAccessedByLayers("flow", "rabbit", "config")
        .check(CLASSES);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.carillon.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void theCoreKnowsTheJdkOnly() {
    classes()
        .that()
        .resideInAnyPackage(
            "dev.carillon.task..",
            "dev.carillon.schedule..",
            "dev.carillon.explain..",
            "dev.carillon.form..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "dev.carillon.task..",
            "dev.carillon.schedule..",
            "dev.carillon.explain..",
            "dev.carillon.form..")
        .check(CLASSES);
  }

  @Test
  void theCoreHasNoClock() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.carillon.task..",
            "dev.carillon.schedule..",
            "dev.carillon.definition..",
            "dev.carillon.explain..",
            "dev.carillon.form..")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(InstantSource.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(Clock.class)
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .check(CLASSES);
  }

  @Test
  void driversStayInTheirAdapters() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.carillon.mongo..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.mongodb..", "org.bson..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.carillon.rabbit..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.rabbitmq..")
        .check(CLASSES);
    noClasses()
        .that()
        .haveNameNotMatching("dev\\.carillon\\.ops\\.PrometheusMetrics.*")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.micrometer..")
        .check(CLASSES);
  }
}
