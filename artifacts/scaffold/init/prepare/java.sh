
# --- Java, Kotlin ---
tool=""
if [ -f gradlew ]; then
  tool="bash ./gradlew"
elif [ -f mvnw ]; then
  tool="bash ./mvnw"
elif [ -f pom.xml ]; then
  need mvn "See https://maven.apache.org"
  tool=mvn
elif ls build.gradle* settings.gradle* >/dev/null 2>&1; then
  need gradle "See https://gradle.org"
  tool=gradle
else
  say "init: no pom.xml or build.gradle yet; nothing to prepare"
  exit 0
fi
need java "See https://adoptium.net"

copy_env

say "init: smoke test: main and test code compile"
case "$tool" in
  *gradle*)
    $tool --console=plain -q testClasses
    keep_out_of_git .gradle
    keep_out_of_git build
    ;;
  *)
    $tool -B -q test-compile
    keep_out_of_git target
    ;;
esac
