# shellcheck shell=bash
# What ./run and ./test need of the machine. To be sourced.

# Prints the java to use, JAVA_HOME's if that is set.
require_java() {
  local java=java version
  if [ -n "${JAVA_HOME:-}" ]; then java=$JAVA_HOME/bin/java; fi
  if ! command -v "$java" >/dev/null; then
    echo "No $java found. $(how_to_install)" >&2
    return 1
  fi
  version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
  if [ "${version:-0}" -lt 17 ]; then
    echo "Java 17 or newer is needed; $java is version ${version:-unknown}. $(how_to_install)" >&2
    return 1
  fi
  echo "$java"
}

require_maven() {
  local javac
  javac=$(dirname "$(readlink -f "$(command -v "$1")")")/javac
  if ! [ -x "$javac" ]; then
    echo "A JDK is needed, and $1 belongs to a mere JRE. $(how_to_install)" >&2
    return 1
  fi
  if ! command -v mvn >/dev/null; then
    echo "Maven (mvn) is needed. $(how_to_install)" >&2
    return 1
  fi
}

how_to_install() {
  echo "On Debian or Ubuntu: apt-get install openjdk-17-jdk-headless maven"
}
