package dev.carillon.testkit;

import java.util.Map;
import java.util.function.Function;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.ImageNameSubstitutor;

/** Starts containers where that has a chance. They end with the JVM. */
final class Containers {

  /** Started by Testcontainers beside the others, to remove them after a JVM that was killed. */
  static final DockerImageName CLEANER = DockerImageName.parse("testcontainers/ryuk:0.14.0");

  private Containers() {}

  /**
   * Starts a container of the image that the environment names, or else of the standard one.
   *
   * @throws ServerUnavailableException if there is no engine or no image, or if the container does
   *     not start
   */
  static <C extends GenericContainer<C>> C start(
      Map<String, String> environment,
      String imageVariable,
      String standardImage,
      Function<DockerImageName, C> definition)
      throws ServerUnavailableException {
    DockerEngine engine = DockerEngine.find(environment);
    DockerImageName standard = DockerImageName.parse(standardImage);
    DockerImageName image =
        DockerImageName.parse(environment.getOrDefault(imageVariable, standardImage))
            .asCompatibleSubstituteFor(standard.getUnversionedPart());
    engine.requireImage(image.asCanonicalNameString());
    if (!Boolean.parseBoolean(environment.get("TESTCONTAINERS_RYUK_DISABLED"))) {
      engine.requireImage(ImageNameSubstitutor.instance().apply(CLEANER).asCanonicalNameString());
    }
    C container = definition.apply(image);
    try {
      container.start();
    } catch (RuntimeException exception) {
      container.stop();
      throw new ServerUnavailableException(
          "a container of " + image.asCanonicalNameString() + " did not start: " + exception,
          exception);
    }
    return container;
  }
}
