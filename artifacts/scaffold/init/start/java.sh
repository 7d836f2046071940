
port=8080
if [ -z "$start_command" ]; then
  build="$(cat pom.xml build.gradle build.gradle.kts 2>/dev/null || true)"
  case "$tool $build" in
    *gradle*org.springframework.boot*) start_command="$tool --console=plain bootRun" ;;
    *mvn*spring-boot*) start_command="$tool -B spring-boot:run" ;;
    *gradle*io.quarkus*) start_command="$tool --console=plain quarkusDev" ;;
    *mvn*quarkus*) start_command="$tool -B quarkus:dev" ;;
    *gradle*application*) start_command="$tool --console=plain run" ;;
  esac
fi
