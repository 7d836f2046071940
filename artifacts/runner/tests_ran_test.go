package runner

import (
	"strings"
	"testing"

	"github.com/longhaul-mcp/longhaul/artifacts/check"
)

func TestTestsRan(t *testing.T) {
	tests := []struct {
		name, command, output string
		want                  string // in the answer; "" for tests that ran
	}{
		{"pytest", "pytest", "===== 5 passed, 2 skipped, 1 warning in 0.12s =====", ""},
		{"pytest quiet", "pytest -q", ".....\n5 passed in 0.12s", ""},
		{"pytest long", "pytest", "= 1 failed, 5 passed in 125.30s (0:02:05) =", ""},
		{"pytest expected failure", "pytest", "==== 1 xfailed in 0.01s ====", ""},
		{"pytest nothing", "pytest || [ $? -eq 5 ]", "collected 0 items\n\n===== no tests ran in 0.01s =====", "no tests ran in 0.01s"},
		{"pytest all skipped", "pytest", "===== 3 skipped in 0.01s =====", "pytest ran no test: ===== 3 skipped"},
		{"pytest all deselected", "pytest -k x", "= 3 deselected in 0.01s =", "3 deselected"},
		{"pytest skipped with warnings", "pytest", "= 3 skipped, 2 warnings in 0.01s =", "3 skipped"},
		{"pytest collect only", "pytest --collect-only -q", "a.py::test_a\n\n1 test collected in 0.00s", "collected"},
		{"pytest with coverage", "pytest --cov=app", "TOTAL 5 0 100%\n5 passed in 0.12s", ""},
		{"pytest colours", "pytest --color=yes", "\x1b[32m===== \x1b[32m\x1b[1m5 passed\x1b[0m\x1b[32m in 0.12s\x1b[0m\x1b[32m =====\x1b[0m\r\n", ""},
		{"pytest colours, nothing", "pytest --color=yes", "\x1b[33m===== \x1b[33m3 skipped\x1b[0m\x1b[33m in 0.12s\x1b[0m\x1b[33m =====\x1b[0m\r\n", "3 skipped"},

		{"unittest", "python3 -m unittest", "..\n------\nRan 2 tests in 0.000s\n\nOK", ""},
		{"unittest nothing", "python3 -m unittest", "\n------\nRan 0 tests in 0.000s\n\nNO TESTS RAN", "Ran 0 tests"},
		{"unittest all skipped", "python3 -m unittest", "ss\n------\nRan 2 tests in 0.000s\n\nOK (skipped=2)", "skipped=2"},
		{"unittest some skipped", "python3 -m unittest", "s.\n------\nRan 2 tests in 0.000s\n\nOK (skipped=1)", ""},
		{"django nothing", "manage.py test", "Found 0 test(s).\nSystem check identified no issues (0 silenced).\n\n-----\nRan 0 tests in 0.000s\n\nOK", "Ran 0 tests"},

		{"go", "go test ./...", "ok  \texample.com/a\t0.004s\n?   \texample.com/b\t[no test files]", ""},
		{"go cached", "go test ./...", "?   \texample.com/b\t[no test files]\nok  \texample.com/a\t(cached)\n", ""},
		{"go one of several empty", "go test -run TestA ./...", "ok  \texample.com/a\t0.004s\nok  \texample.com/b\t0.002s [no tests to run]", ""},
		{"go no files", "go test ./...", "?   \texample.com/a\t[no test files]\n?   \texample.com/b\t[no test files]", "[no test files]"},
		{"go no match", "go test -run X .", "testing: warning: no tests to run\nPASS\nok  \texample.com/a\t0.001s [no tests to run]", "[no tests to run]"},
		{"go no match with coverage", "go test -cover -run X .", "ok  \texample.com/a\t0.001s\tcoverage: 0.0% of statements [no tests to run]", "[no tests to run]"},
		{"go no files with coverage", "go test -cover ./...", "\texample.com/a\t\tcoverage: 0.0% of statements", "coverage: 0.0%"},
		{"go verbose", "go test -v .", "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/a\t0.001s", ""},
		{"go all skipped", "go test -v .", "=== RUN   TestA\n    a_test.go:5: later\n--- SKIP: TestA (0.00s)\nPASS\nok  \texample.com/a\t0.001s", "--- SKIP: TestA"},
		{"go some skipped", "go test -v .", "=== RUN   TestA\n--- SKIP: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nok  \texample.com/a\t0.001s", ""},
		{"go benchmarks", "go test -run ^$ -bench . .", "goos: linux\nBenchmarkA-2   \t 1000\t 12 ns/op\nPASS\nok  \texample.com/a\t1.001s", ""},
		{"go count is no -c", "go test -count=1 ./... && tar -c .", "ok  \texample.com/a\t0.004s", ""},
		{"go no packages", "go test ./...", `go: warning: "./..." matched no packages` + "\nno packages to test", "no packages"},
		{"go json", "go test -json", `{"Time":"2026-01-01T00:00:00Z","Action":"pass","Package":"a","Test":"TestA","Elapsed":0}`, ""},
		{"go json skipped", "go test -json", `{"Time":"2026-01-01T00:00:00Z","Action":"skip","Package":"a","Test":"TestA"}` + "\n" + `{"Time":"2026-01-01T00:00:00Z","Action":"pass","Package":"a","Elapsed":0}`, "Action"},
		{"gotestsum", "gotestsum", "✓  a (1ms)\n\nDONE 3 tests, 1 skipped in 0.1s", ""},
		{"gotestsum nothing", "gotestsum", "∅  a\n\nDONE 0 tests in 0.1s", "DONE 0 tests"},

		{"cargo", "cargo test", "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   Doc-tests a\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s", ""},
		{"cargo nothing", "cargo test", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s", "cargo test ran no test"},
		{"cargo filtered out", "cargo test nothing", "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.00s", "7 filtered out"},
		{"cargo ignored", "cargo test", "test result: ok. 0 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.00s", "3 ignored"},
		{"nextest", "cargo nextest run", "     Summary [   0.004s] 2 tests run: 2 passed, 0 skipped", ""},
		{"nextest nothing", "cargo nextest run --no-tests=pass", "     Summary [   0.000s] 0 tests run: 0 passed, 3 skipped", "0 tests run"},

		{"jest", "npx jest", "Test Suites: 1 passed, 1 total\nTests:       1 skipped, 2 passed, 3 total\nSnapshots:   0 total", ""},
		{"jest nothing", "npx jest --passWithNoTests", "No tests found, exiting with code 0", "No tests found"},
		{"jest all skipped", "npx jest", "Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total", "3 skipped"},
		{"jest todo", "npx jest", "Tests:       2 todo, 2 total", "2 todo"},
		{"vitest", "npx vitest run", " Test Files  1 passed (1)\n      Tests  5 passed (5)\n   Start at  10:00:00", ""},
		{"vitest mixed", "npx vitest run", " Test Files  1 passed (1)\n      Tests  5 passed | 1 skipped (6)", ""},
		{"vitest nothing", "npx vitest run --passWithNoTests", "No test files found, exiting with code 0", "No test files found"},
		{"vitest all skipped", "npx vitest run", " Test Files  1 skipped (1)\n      Tests  3 skipped (3)", "3 skipped"},
		{"vitest no tests", "npx vitest run", " Test Files  no tests\n      Tests  no tests", "no tests"},
		{"mocha", "npx mocha", "\n  a\n    ✔ b\n\n  1 passing (3ms)\n  2 pending", ""},
		{"mocha nothing", "npx mocha", "\n\n  0 passing (1ms)\n", "0 passing"},
		{"mocha all pending", "npx mocha", "\n\n  0 passing (1ms)\n  3 pending\n", "0 passing"},
		{"playwright", "npx playwright test", "Running 3 tests using 2 workers\n\n  1 skipped\n  2 passed (1.2s)", ""},
		{"playwright all skipped", "npx playwright test", "Running 3 tests using 2 workers\n\n  3 skipped", "3 skipped"},
		{"playwright nothing", "npx playwright test --pass-with-no-tests", "Error: No tests found", "No tests found"},
		{"node", "node --test", "# tests 2\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 1\n# todo 0", ""},
		{"node spec", "node --test", "ℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0", ""},
		{"node empty file", "node --test", "✔ a/empty.test.js (122.1ms)\nℹ tests 1\nℹ suites 0\nℹ pass 1\nℹ fail 0", "a file without a test"},
		{"node empty file, tap", "node --test", "ok 1 - empty.test.mjs\n  ---\n  ...\n1..1\n# tests 1\n# pass 1\n# fail 0", "a file without a test"},
		{"node empty file beside another", "node --test", "✔ empty.test.js (83.03ms)\n✔ adds (0.8ms)\nℹ tests 2\nℹ pass 2\nℹ fail 0", ""},
		{"node nothing", "node --test", "ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0", "node --test ran no test"},
		{"node all skipped", "node --test", "# tests 2\n# suites 0\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 2", "# pass 0"},
		{"bun", "bun test", " 3 pass\n 0 fail\nRan 3 tests across 1 file. [10.00ms]", ""},
		{"bun skipped", "bun test", " 0 pass\n 3 skip\n 0 fail\nRan 3 tests across 1 file. [10.00ms]", "Ran 3 tests"},
		{"deno", "deno test", "ok | 3 passed | 0 failed (10ms)", ""},
		{"deno nothing", "deno test", "ok | 0 passed | 0 failed | 2 ignored (10ms)", "0 passed"},

		{"rspec", "bundle exec rspec", "Finished in 0.1 seconds\n3 examples, 0 failures, 1 pending", ""},
		{"rspec nothing", "rspec", "No examples found.\n\nFinished in 0.0 seconds\n0 examples, 0 failures", "0 examples"},
		{"rspec all pending", "rspec", "2 examples, 0 failures, 2 pending", "2 pending"},
		{"minitest", "rails test", "5 runs, 9 assertions, 0 failures, 0 errors, 1 skips", ""},
		{"minitest nothing", "rails test", "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips", "0 runs"},
		{"minitest all skipped", "rails test", "2 runs, 0 assertions, 0 failures, 0 errors, 2 skips", "2 skips"},
		{"test-unit nothing", "rake test", "0 tests, 0 assertions, 0 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications", "0 tests"},
		{"phpunit", "vendor/bin/phpunit", "OK (3 tests, 4 assertions)", ""},
		{"phpunit some skipped", "phpunit", "OK, but some tests were skipped!\nTests: 3, Assertions: 2, Skipped: 1.", ""},
		{"phpunit all skipped", "phpunit", "OK, but some tests were skipped!\nTests: 2, Assertions: 0, Skipped: 2.", "Skipped: 2"},
		{"phpunit nothing", "phpunit", "No tests executed!", "No tests executed"},
		{"pest", "vendor/bin/pest", "  Tests:    5 passed (9 assertions)\n  Duration: 0.1s", ""},
		{"pest all skipped", "vendor/bin/pest", "  Tests:    2 skipped (0 assertions)", "2 skipped"},
		{"dotnet", "dotnet test", "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 3 ms - a.dll (net8.0)", ""},
		{"dotnet all skipped", "dotnet test", "Skipped! - Failed:     0, Passed:     0, Skipped:     3, Total:     3, Duration: 3 ms - a.dll (net8.0)", "Skipped!"},
		{"dotnet nothing", "dotnet test", "No test is available in /a/bin/a.dll. Make sure that test discoverer & executors are registered", "No test is available"},
		{"dotnet two projects", "dotnet test", "No test is available in /a/bin/a.dll.\nPassed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 3 ms - b.dll", ""},
		{"dotnet detailed", "dotnet test -v n", "Test Run Successful.\nTotal tests: 5\n     Passed: 4\n    Skipped: 1\n Total time: 1.0 Seconds", ""},
		{"dotnet detailed, all skipped", "dotnet test -v n", "Total tests: 5\n    Skipped: 5\n Total time: 1.0 Seconds", "Total tests: 5"},
		{"gradle", "./gradlew test", "> Task :compileTestJava\n> Task :test\n\nBUILD SUCCESSFUL in 3s", ""},
		{"gradle up to date", "./gradlew test", "> Task :test UP-TO-DATE\n\nBUILD SUCCESSFUL in 1s", ""},
		{"gradle nothing", "./gradlew test", "> Task :compileTestJava NO-SOURCE\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s", "NO-SOURCE"},
		{"gradle one of several", "./gradlew test", "> Task :a:test NO-SOURCE\n> Task :b:test\n\nBUILD SUCCESSFUL in 1s", ""},
		{"maven", "mvn test", "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1", ""},
		{"maven modules", "mvn test", "[INFO] No tests to run.\n[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0", ""},
		{"maven nothing", "mvn test", "[INFO] No tests to run.", "No tests to run"},
		{"maven skipped", "mvn test", "[INFO] Tests are skipped.", "Tests are skipped"},
		{"maven all skipped", "mvn test", "[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 2", "Skipped: 2"},
		{"ctest", "ctest", "1/2 Test #1: a ................   Passed    0.00 sec\n2/2 Test #2: b ................***Skipped   0.00 sec\n\n100% tests passed, 0 tests failed out of 2", ""},
		{"ctest summary alone", "ctest -Q", "100% tests passed, 0 tests failed out of 2", ""},
		{"ctest nothing", "ctest", "No tests were found!!!", "No tests were found"},
		{"ctest all skipped", "ctest", "1/1 Test #1: b ................***Skipped   0.00 sec\n\n100% tests passed, 0 tests failed out of 1", "Skipped"},

		{"pytest nothing, upper case", "pytest", "===== NO TESTS RAN IN 0.01S =====", "NO TESTS RAN IN 0.01S"},
		{"no tests ran alone", "python3 -m unittest 2>&1 | tail -1", "NO TESTS RAN", "NO TESTS RAN"},
		{"minitest nothing, short", "rake test", "0 runs, 0 assertions", "0 runs, 0 assertions"},
		{"tests and assertions, none", "vendor/bin/phpunit", "0 tests, 0 assertions", "0 tests, 0 assertions"},
		{"tests without an assertion", "vendor/bin/phpunit", "10 tests, 0 assertions", ""},
		{"assertions in a text", "./check.sh", "note: 0 tests, 0 assertions were here before", ""},
		{"playwright none passed", "npx playwright test", "  0 passed (5ms)", "0 passed (5ms)"},
		{"playwright none passed, some failed", "npx playwright test", "  1 failed\n    a.spec.ts:3:1\n  0 passed (1.2s)", ""},
		{"playwright ten passed", "npx playwright test", "  10 passed (1.2m)", ""},
		{"playwright error, indented", "npx playwright test || true", "  Error: No tests found", "No tests found"},
		{"swift nothing", "swift test", "Test Suite 'All tests' passed at 2026-01-01 10:00:00.000.\n\t Executed 0 tests, with 0 failures (0 unexpected) in 0.000 (0.001) seconds", "Executed 0 tests"},
		{"swift nothing, short", "swift test", "Executed 0 tests, with 0 failures", "XCTest ran no test"},
		{"swift", "xcodebuild test", "\t Executed 1 test, with 0 failures (0 unexpected) in 0.001 (0.002) seconds", ""},
		{"swift all skipped", "swift test", "\t Executed 2 tests, with 2 tests skipped and 0 failures (0 unexpected) in 0.001 (0.002) seconds", "2 tests skipped"},
		{"swift-testing beside an empty XCTest", "swift test", "\t Executed 0 tests, with 0 failures (0 unexpected) in 0.000 (0.001) seconds\n✔ Test run with 3 tests in 1 suite passed after 0.001 seconds.", ""},
		{"swift-testing nothing", "swift test", "✔ Test run with 0 tests passed after 0.001 seconds.", "0 tests passed"},
		{"executed in a text", "./check.sh", "We executed 0 tests, with 0 failures in mind", ""},

		{"two runners, one empty", "cargo test && pytest", "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n= 2 passed in 0.01s =", "cargo test ran no test"},
		{"two runners, the other one empty", "cargo test && pytest", "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n= 2 skipped in 0.01s =", "pytest ran no test"},
		{"two runners below, one empty", "npm test", "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n= 2 passed in 0.01s =", ""},
		{"output thrown away", "pytest -q >/dev/null 2>&1", "", "pytest printed nothing"},
		{"output thrown away, below", "cd a && npx jest --ci &>log", "\n", "jest printed nothing"},
		{"quiet by nature", "gradle -q test && ./check.sh", "", ""},
		{"make up to date", "make test", "make: 'test' is up to date.", "make ran no test: make: 'test' is up to date."},
		{"make without a recipe", "make check", "make: Nothing to be done for 'check'.", "Nothing to be done"},
		{"make, old quotes", "make check", "make: `check' is up to date.", "up to date"},
		{"make of a part", "make test", "make[1]: Nothing to be done for 'all'.\n./run\nall good", ""},
		{"make of another target", "make build test", "make: 'build' is up to date.\n./run\nall good", ""},
		{"make up to date beside a test", "make check && pytest", "make: 'check' is up to date.\n= 2 passed in 0.01s =", ""},
		{"no runner", "curl -fsS localhost:3000", "<html>0 tests</html>", ""},
		{"no output", "make test", "", ""},
		{"another summary", "./check.sh", "  Total: 5\n  Failed: 0\n0 fail\nno tests to write", ""},
		{"text about tests", "./check.sh", "this project had no tests ran in production\n> 0 passing thoughts", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := TestsRan(check.Runners(test.command), test.output)
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("TestsRan = %q, want %q", got, test.want)
			}
			windows := strings.ReplaceAll(test.output, "\n", "\r\n")
			if again := TestsRan(check.Runners(test.command), windows); again != got {
				t.Errorf("TestsRan with CR LF = %q, want %q", again, got)
			}
		})
	}
}
