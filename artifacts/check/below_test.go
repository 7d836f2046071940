package check

import (
	"slices"
	"strings"
	"testing"
)

func TestUnrun(t *testing.T) {
	for _, line := range []string{
		"pytest --collect-only -q", "pytest --co -q > list", "python -m pytest --fixtures", "go test -list . ./...", "go test -list=. ./...", "go test -c ./a", "go test -n ./...",
		"go test -exec true ./...", "go test -exec=/bin/true ./...", "cargo test --no-run", "cargo test -- --list", "cargo nextest list", "npx jest --listTests", "npx vitest list",
		"npx playwright test --list", "npx playwright --version", "npx mocha --dry-run", "bundle exec rspec --dry-run", "ctest -N", "./gradlew test -m", "gradle build -x test", "mvn -DskipTests verify",
		"make -n test", "make -s -n test", "make -q check", "make --touch test", "npm test -- --listTests", "env A=1 pytest --version", "bash -c 'pytest --co'", "cd a && pytest --co",
		"dotnet test --list-tests", "pytest --co && echo ok", "swift test list", "deno test --no-run", "tox -l",
	} {
		if why := Unrun(line); !strings.HasSuffix(why, " runs no test") {
			t.Errorf("%s: %q", line, why)
		}
	}
	for _, line := range []string{
		"pytest", "pytest -k list", "go test ./...", "go test -count=1 ./... && tar -c .", "go test -run X -args -n", "go test -exec 'qemu-arm' ./...", "go test -list . && go test ./...",
		"go test -c -o a.test ./a && ./a.test", "cargo test -- --nocapture", "cargo build --list", "make test", "make -k -j4 test", "make -C sub test", "make -f n.mk test", "npm test", "npm test -- --coverage",
		"npx playwright install chromium && npx playwright test", "npx jest --ci", "./check.sh --list", "curl -f localhost", "false", "test -f x", "pytest --help; pytest", "", "gradle test -x lint", "mvn verify",
	} {
		if why := Unrun(line); why != "" {
			t.Errorf("%s: %q", line, why)
		}
	}
}

func TestRunners(t *testing.T) {
	for line, want := range map[string][]string{
		"pytest -q && npx jest":                    {"pytest", "jest"},
		"uv run python -m pytest; pytest":          {"pytest"},
		"npm test":                                 nil,
		"go vet ./... && go test ./...":            {"go test"},
		"sh -c 'cargo nextest run'; node --test .": {"cargo nextest", "node --test"},
		"pytest --co; python -m unittest":          {"unittest"},
		"vendor/bin/phpunit":                       {"phpunit"},
	} {
		if got := Runners(line); !slices.Equal(got, want) {
			t.Errorf("%s: %q", line, got)
		}
	}
}

func TestBelow(t *testing.T) {
	const scripts = `{"scripts":{"test":"npm run lint && npm run unit","unit":"jest || true","lint":"eslint .","verify":"vitest run","noop":"echo tests are fine","list":"jest --listTests","watch":"vitest"}}`
	const rules = "PYTEST ?= python -m pytest\nall: build\nbuild:\n\tgcc a.c\ntest: build unit\nunit:\n\t@$(PYTEST) tests\ncheck:\n\t-pytest\n\t@echo done\npiped:\n\tpytest | tee log\n" +
		"none:\nhollow: ;\nlong:\n\tpytest \\\n\t  -q || true\nverify:\n\tpytest --co\ntest-many:\n\tpytest a\n\tpytest b\n\trm -rf x\ntest-sub:\n\t$(MAKE) -C sub test\ntest-for:\n\tfor i in a b; do pytest $$i; done\n.PHONY: test unit\n"
	for _, test := range []struct{ line, data, file, why, text string }{
		{"npm test", scripts, "package.json", "", "npm run lint && npm run unit"},
		{"npm run unit", scripts, "package.json", "|| true", "jest || true"},
		{"npm run test:list", scripts, "package.json", "", ""},
		{"cd web && yarn verify --silent", scripts, "web/package.json", "", "vitest run"},
		{"npm --prefix web test", scripts, "web/package.json", "", "npm run lint && npm run unit"},
		{"pnpm -C web run list", scripts, "web/package.json", "jest --listTests runs no test", "jest --listTests"},
		{"npm run noop", scripts, "package.json", "it cannot fail", "echo tests are fine"},
		{"npm run gone --if-present", scripts, "package.json", "--if-present", ""},
		{"npm run gone", scripts, "package.json", "", ""},
		{"npm test", `{"scripts":`, "package.json", "", ""},
		{"make test", rules, "Makefile", "", "(gcc a.c\n) &&\n(python -m pytest tests\n)"},
		{"make check", rules, "Makefile", "the - before pytest", ""},
		{"make piped", rules, "Makefile", "| tee log", "(pytest | tee log\n)"},
		{"make piped", "SHELL := /bin/bash -o pipefail\n" + rules, "Makefile", "", "(pytest | tee log\n)"},
		{"make none", rules, "Makefile", "it runs nothing", ""},
		{"make hollow", rules, "Makefile", "it runs nothing", ""},
		{"make none", "include more.mk\n" + rules, "Makefile", "", ""},
		{"make long", rules, "Makefile", "|| true", "(pytest \\\n\t  -q || true\n)"},
		{"make verify", rules, "Makefile", "pytest --co runs no test", "(pytest --co\n)"},
		{"make test-many", rules, "Makefile", "", "(pytest a\n) &&\n(pytest b\n) &&\n(rm -rf x\n)"},
		{"make test-many", ".IGNORE:\n" + rules, "Makefile", ".IGNORE", ""},
		{"make test-many", ".ONESHELL:\n" + rules, "Makefile", "; rm -rf x", "pytest a\npytest b\nrm -rf x"},
		{"make test-sub", rules, "Makefile", "", "(make -C sub test\n)"},
		{"make test-for", rules, "Makefile", "its exit code is not that of", "(for i in a b; do pytest $i; done\n)"},
		{"make -C sub -f x.mk test", rules, "sub/x.mk", "", "(gcc a.c\n) &&\n(python -m pytest tests\n)"},
		{"make", rules, "Makefile", "", "(gcc a.c\n)"},
		{"make other", rules, "Makefile", "", ""},
		{"sh ./check.sh", "pytest || true\n", "check.sh", "|| true", "pytest || true\n"},
		{"./check.sh", "#!/bin/sh\npytest\necho done\n", "check.sh", "; echo done", "#!/bin/sh\npytest\necho done\n"},
		{"./check.sh", "#!/bin/sh -e\npytest\necho done\n", "check.sh", "", "set -e\n#!/bin/sh -e\npytest\necho done\n"},
		{"bash -e ./check.sh", "pytest\necho done\n", "check.sh", "", "set -e\npytest\necho done\n"},
		{"./check.sh", "#!/usr/bin/env python3\nimport os # || true\n", "check.sh", "", ""},
		{"./check.sh", "#!/usr/bin/env bash\nset -euo pipefail\nnpm ci\nnpm test | tee log\n", "check.sh", "", "#!/usr/bin/env bash\nset -euo pipefail\nnpm ci\nnpm test | tee log\n"},
		{"./check.sh", "\x7fELF\x00", "check.sh", "", ""},
		{"cd a; . ./check.sh", "go test -list . ./...", "a/check.sh", "runs no test", "go test -list . ./..."},
	} {
		calls := Below(test.line)
		if len(calls) != 1 || !slices.Contains(calls[0].Files, test.file) {
			t.Errorf("%s: %+v", test.line, calls)
			continue
		}
		why, text := calls[0].Judge([]byte(test.data))
		if (why == "") != (test.why == "") || !strings.Contains(why, test.why) || test.text != text {
			t.Errorf("%s: %q, %q", test.line, why, text)
		}
	}
	for _, line := range []string{"pytest", "npm ci", "npm test --workspaces", "npm test -w a", "bash -c pytest", "/usr/bin/check.sh", `sh "$f"`, "npm start", "bun test", "echo ./check.sh", "./build.sh && pytest", ""} {
		if calls := Below(line); len(calls) > 0 {
			t.Errorf("%s: %+v", line, calls)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("make test", "test: a\n\t-pytest $(X)\n")
	f.Add("npm test", `{"scripts":{"test":"jest || true"}}`)
	f.Add("./check.sh", "#!/bin/sh -e\npytest\n")
	f.Fuzz(func(t *testing.T, line, data string) {
		for _, c := range Below(line) {
			why, text := c.Judge([]byte(data))
			again, also := c.Judge([]byte(data))
			if why != again || text != also || c.String() == "" || len(c.Files) == 0 {
				t.Errorf("%q, %q: %q, then %q", line, data, why, again)
			}
		}
		Unrun(data)
		Runners(data)
	})
}
