package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestDefaults(t *testing.T) {
	p := Default("claude").Policy
	if p.MaxFeaturesPerSession != 1 || p.SessionMinutes != 45 || p.ContextResetPercent != 65 || p.InitTimeout != 600 ||
		p.CheckTimeout != 600 || p.TodoPattern != `\b(TODO|FIXME|XXX)\b` || p.MaxFileMB != 5 || p.SmokeTest != "" ||
		p.RequireCheck || p.RequireArtifact || p.IndependentVerification || p.RedFirst {
		t.Errorf("Default() policy = %+v", p)
	}
	if got := Default("").Layout; got != "claude" {
		t.Errorf("Default(\"\") layout = %q, want claude", got)
	}
}

func TestBytesAndBack(t *testing.T) {
	for _, layout := range layouts {
		for _, change := range []func(*Config){
			func(*Config) {},
			func(c *Config) { c.Files.Features = "docs/<list>.json" },
			func(c *Config) { c.Files.Plan = "" },
			func(c *Config) { c.Policy.SmokeTest = `curl -f "http://localhost" && echo <ok>` },
			func(c *Config) { c.Policy.SecretPatterns = nil },
			func(c *Config) { c.Policy.RedFirst, c.Policy.MaxFileMB, c.Bookkeeping = true, 9, []string{"owner"} },
		} {
			want := Default(layout)
			change(&want)
			data := want.Bytes()
			if !json.Valid(data) || !strings.HasSuffix(string(data), "}\n") {
				t.Errorf("Bytes() = %s", data)
			}
			got, err := Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Policy.SecretPatterns) == 0 {
				got.Policy.SecretPatterns = nil
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("Parse(Bytes()) = %+v\nwant %+v\n%s", got, want, data)
			}
		}
	}
}

func TestNewFileIsSmall(t *testing.T) {
	want := `{
  "version": 1,
  "layout": "root",
  "files": {
    "features": "feature_list.json",
    "progress": "claude-progress.txt",
    "architecture": "architecture.md",
    "init_script": "init.sh"
  }
}
`
	if got := string(Default("root").Bytes()); got != want {
		t.Errorf("Bytes() = %s, want %s", got, want)
	}
}

func TestParse(t *testing.T) {
	c, err := Parse([]byte("\ufeff{\"layout\":\"plan\",\"new\":[1,{}],\"policy\":{\"session_minutes\":30,\"later\":null,\"red_first\":null,\"secret_patterns\":[\"*.s\"]},\"files\":{\"plan\":\"docs/plan.md\"}}\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := Default("plan")
	want.Policy.SessionMinutes, want.Policy.SecretPatterns, want.Files.Plan = 30, []string{"*.s"}, "docs/plan.md"
	if !reflect.DeepEqual(c, want) {
		t.Errorf("Parse() = %+v, want %+v", c, want)
	}
	if c, err := Parse([]byte("{}")); err != nil || !reflect.DeepEqual(c, Default("claude")) {
		t.Errorf("Parse({}) = %+v, %v, want the defaults", c, err)
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ data, want string }{
		{"", "empty"}, {" \n", "empty"}, {"[]", "object"}, {"null", "object"}, {"\xff{}", "UTF-8"},
		{"{\n  \"layout\": claude\n}", "line 2, column 13"}, {"{}\n{}", "line 2"}, {`{"version":1,}`, "line 1"},
		{`{"version":2}`, "version takes 1, not 2"}, {`{"version":"1"}`, "version takes 1"},
		{`{"layout":"tree"}`, `layout takes claude, root, plan, not "tree"`},
		{`{"policy":[]}`, "policy takes an object"}, {`{"files":"x"}`, "files takes an object"},
		{`{"policy":{"session_minutes":"45"}}`, `policy.session_minutes takes a whole number from 1 to 10080, not "45"`},
		{`{"policy":{"session_minutes":0}}`, "policy.session_minutes"}, {`{"policy":{"session_minutes":4.5}}`, "policy.session_minutes"},
		{`{"policy":{"context_reset_percent":101}}`, "from 1 to 100"}, {`{"policy":{"max_file_mb":99999999999999999999}}`, "policy.max_file_mb"},
		{`{"policy":{"red_first":"true"}}`, "policy.red_first takes true or false"}, {`{"policy":{"require_check":1}}`, "policy.require_check"},
		{`{"policy":{"smoke_test":false}}`, "policy.smoke_test takes a text"},
		{`{"policy":{"todo_pattern":"("}}`, "policy.todo_pattern"}, {`{"policy":{"secret_patterns":["["]}}`, "policy.secret_patterns"},
		{`{"policy":{"secret_patterns":"*.pem"}}`, "takes a list of texts"}, {`{"bookkeeping":[1]}`, "bookkeeping takes a list of texts"},
		{`{"files":{"features":null,"features":"x"}}`, "files.features: the key stands twice"}, {`{"policy":{},"policy":{}}`, "policy: the key stands twice"},
	}
	for _, test := range tests {
		_, err := Parse([]byte(test.data))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%q) error = %v, want it to say %q", test.data, err, test.want)
		}
	}
}

func TestSecret(t *testing.T) {
	p := Default("claude").Policy
	for _, file := range []string{".env", "app/.env.local", ".ENV", "server.pem", "id_rsa", "home/id_ed25519", "tls.key", "a.p12", "credentials.json",
		"credentials-prod.json", ".npmrc", "prod.env", ".env.production"} {
		if p.Secret(file) == "" {
			t.Errorf("Secret(%q) finds nothing", file)
		}
	}
	for _, file := range []string{".env.example", "app/.env.sample", ".env.template", "id_rsa.pub", "environment.ts", "keys.go", "monkey.js", "secrets.go", "readme.md", "env"} {
		if got := p.Secret(file); got != "" {
			t.Errorf("Secret(%q) = %q, want none", file, got)
		}
	}
	own := Policy{SecretPatterns: []string{"private/*", "!private/readme.md", "*.tok"}}
	for file, want := range map[string]string{"private/a": "private/*", "private/readme.md": "", "x/private/a": "", "x/a.tok": "*.tok"} {
		if got := own.Secret(file); got != want {
			t.Errorf("Secret(%q) = %q, want %q", file, got, want)
		}
	}
}

func TestToken(t *testing.T) {
	fill := strings.Repeat("A1b2C3d4", 12)
	for text, want := range map[string]string{
		"key = AKIA" + "IOSFODNN7EXAMPLE"[:16]:     "AWS access key",
		"ghp" + "_" + fill[:36]:                    "GitHub token",
		"-----BEGIN " + "OPENSSH PRIVATE KEY-----": "private key",
		"-----BEGIN PUBLIC KEY-----":               "",
		"sk-" + "ant-api03-" + fill[:60]:           "Anthropic key",
		"sk-learn and ghp_short":                   "",
		"":                                         "",
	} {
		if got := Token([]byte(text)); got != want {
			t.Errorf("Token(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	if ListNames[0] != ".claude/features.json" || ListNames[2] != "feature_list.json" {
		t.Errorf("ListNames = %v", ListNames)
	}
	for _, name := range []string{"features_list.json", ".claude/feature-list.json", "specs/features_list.json", "docs/features.json"} {
		if !slices.Contains(ListNames, name) {
			t.Errorf("ListNames lacks %s", name)
		}
	}
	if got := slices.Compact(slices.Sorted(slices.Values(ListNames))); len(got) != len(ListNames) {
		t.Error("a list name stands twice")
	}
}
