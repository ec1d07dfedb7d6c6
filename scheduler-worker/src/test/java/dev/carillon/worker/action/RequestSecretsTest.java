package dev.carillon.worker.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.carillon.task.Action;
import dev.carillon.task.Action.Body;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RequestSecretsTest {

  private static final String URL = "https://example.org/hook";

  private static RequestSecrets of(String url, Map<String, String> headers, Optional<Body> body) {
    return RequestSecrets.of(
        new Action.Http("POST", url, headers, body, Duration.ofSeconds(1), false));
  }

  private static String maskWithQuery(String query, String text) {
    return of(URL + "?" + query, Map.of(), Optional.empty()).mask(text, false);
  }

  private static String maskWithHeader(String name, String value, String text) {
    return of(URL, Map.of(name, value), Optional.empty()).mask(text, false);
  }

  private static String maskWithBody(Body body, String text) {
    return of(URL, Map.of(), Optional.of(body)).mask(text, false);
  }

  @Test
  void whatIsNotInTheRequestIsShown() {
    assertThat(maskWithQuery("token=abcdef", "the field customer is missing"))
        .isEqualTo("the field customer is missing");
  }

  @Test
  void valuesOfTheQueryAreMaskedNamesAreNot() {
    assertThat(maskWithQuery("token=abcdef&key=ghijkl", "token abcdef or key ghijkl is wrong"))
        .isEqualTo("token *** or key *** is wrong");
  }

  @Test
  void aQueryThatIsAValueIsMasked() {
    assertThat(maskWithQuery("abcdef", "no abcdef")).isEqualTo("no ***");
  }

  @Test
  void valuesOfTheQueryAreMaskedDecodedAsWell() {
    assertThat(maskWithQuery("token=ab%2Fc+def", "ab%2Fc+def is ab/c def")).isEqualTo("*** is ***");
    assertThat(maskWithQuery("token=100%25ab", "100%ab")).isEqualTo("***");
  }

  @Test
  void headersAreMaskedAsAWholeAndInParts() {
    assertThat(maskWithHeader("Authorization", "Bearer abc.def", "Bearer abc.def / abc.def"))
        .isEqualTo("*** / ***");
    assertThat(maskWithHeader("Cookie", "session=abcdef; theme=dark", "no session abcdef"))
        .isEqualTo("no *** ***");
  }

  @Test
  void headersThatOnlySayHowToTalkAreShown() {
    assertThat(maskWithHeader("accept", "text/csv", "text/csv is not offered"))
        .isEqualTo("text/csv is not offered");
  }

  @Test
  void valuesOfJsonAreMaskedNamesAreNot() {
    Body body =
        Body.json("{\"user\":\"alice\",\"cards\":[{\"number\":4111111111111111}],\"ok\":true}");

    assertThat(maskWithBody(body, "user alice has no card 4111111111111111: true"))
        .isEqualTo("user *** has no card ***: true");
    assertThat(maskWithBody(body, "got " + body.text())).isEqualTo("got ***");
  }

  @Test
  void jsonIsRecognizedInATextToo() {
    assertThat(maskWithBody(Body.text("{\"user\":\"alice\"}"), "no alice")).isEqualTo("no ***");
  }

  @ParameterizedTest
  @CsvSource({
    "user=alice&password=abc%2Fdef, no user alice with abc/def, no user *** with ***",
    "<user>alice</user>, no user alice, no user ***",
    "1 password: abcdef, not abcdef, not ***",
  })
  void valuesInOtherTextsAreMasked(String body, String text, String masked) {
    assertThat(maskWithBody(Body.text(body), text)).isEqualTo(masked);
  }

  @Test
  void whatIsTooShortToBeASecretIsShown() {
    assertThat(maskWithQuery("page=12&lang=de", "12 pages in de")).isEqualTo("12 pages in de");
  }

  @Test
  void ofValuesThatContainEachOtherTheLongestIsMasked() {
    assertThat(maskWithQuery("a=abcd&b=abcdefgh", "abcdefgh abcd")).isEqualTo("*** ***");
  }

  @Test
  void theBeginningOfAValueAtACutIsMasked() {
    RequestSecrets secrets = of(URL + "?token=abcdefgh", Map.of(), Optional.empty());

    assertThat(secrets.mask("the token is abcdef", true)).isEqualTo("the token is ***");
    assertThat(secrets.mask("the token is abcdef", false)).isEqualTo("the token is abcdef");
    assertThat(secrets.mask("the end is a", true)).isEqualTo("the end is a");
    assertThat(secrets.mask("abcdefgh", true)).isEqualTo("***");
    assertThat(secrets.mask("", true)).isEmpty();
  }
}
