package config

import (
	"path"
	"regexp"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// Policy are the rules a project may tune.
type Policy struct {
	MaxFeaturesPerSession   int
	SessionMinutes          int
	ContextResetPercent     int
	RequireCheck            bool
	RequireArtifact         bool
	IndependentVerification bool
	RedFirst                bool
	SmokeTest               string // shell command, "" none
	InitTimeout             int    // seconds
	CheckTimeout            int    // seconds
	TodoPattern             string // regular expression, "" none
	MaxFileMB               int
	SecretPatterns          []string // see Secret
	SweepOnStart            int      // proven features to check again at each start
}

func defaultPolicy() Policy {
	return Policy{
		MaxFeaturesPerSession: 1,
		SessionMinutes:        45,
		ContextResetPercent:   65,
		InitTimeout:           600,
		CheckTimeout:          600,
		TodoPattern:           `\b(TODO|FIXME|XXX)\b`,
		MaxFileMB:             5,
		SecretPatterns:        secretPatterns(),
	}
}

// secretPatterns names files that hold secrets by custom. A later pattern
// overrules an earlier one, so the examples that projects do commit come last.
func secretPatterns() []string {
	return []string{
		".env", ".env.*", "*.env", ".envrc", ".dev.vars",
		"*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
		"credentials", "credentials*.json", "client_secret*.json", "service-account*.json", "service_account*.json", "secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml",
		".npmrc", ".pypirc", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".git-credentials", ".dockercfg", "master.key",
		"*.tfstate", "*.tfstate.backup", "terraform.tfvars", "*.token",
		"!*.example", "!*.sample", "!*.template", "!*.dist", "!*.pub", "!example.env", "!sample.env", "!template.env",
	}
}

// Secret tells which pattern makes the file a secret, "" when none does. A
// pattern without a slash is held against the base name, one with a slash
// against the whole path (slashes, relative to the project); case does not
// count. A pattern that begins with ! takes back what earlier ones matched.
func (p Policy) Secret(file string) (pattern string) {
	file = strings.ToLower(file)
	for _, candidate := range p.SecretPatterns {
		glob, keep := strings.CutPrefix(strings.ToLower(candidate), "!")
		if !matches(glob, file) {
			continue
		}
		pattern = candidate
		if keep {
			pattern = ""
		}
	}
	return pattern
}

func matches(glob, file string) bool {
	if !strings.Contains(glob, "/") {
		file = path.Base(file)
	}
	ok, err := path.Match(strings.TrimPrefix(glob, "/"), file)
	return err == nil && ok
}

// tokens are credentials that can be told from their own text, with few false
// alarms: each has a fixed prefix and a fixed alphabet.
var tokens = []struct {
	name    string
	pattern func() *regexp.Regexp
}{
	{"private key", pattern.Lazy(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`)},
	{"AWS access key", pattern.Lazy(`\b(?:AKIA|ASIA)[A-Z2-7]{16}\b`)},
	{"GitHub token", pattern.Lazy(`\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{60,}`)},
	{"GitLab token", pattern.Lazy(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"Anthropic key", pattern.Lazy(`\bsk-ant-[A-Za-z0-9_-]{32,}`)},
	{"OpenAI key", pattern.Lazy(`\bsk-(?:proj-|svcacct-)[A-Za-z0-9_-]{40,}|\bsk-[A-Za-z0-9]{48}\b`)},
	{"Slack token", pattern.Lazy(`\bxox[abprs]-[A-Za-z0-9-]{20,}`)},
	{"Stripe key", pattern.Lazy(`\b[rs]k_live_[A-Za-z0-9]{20,}`)},
	{"Google API key", pattern.Lazy(`\bAIza[A-Za-z0-9_-]{35}`)},
	{"npm token", pattern.Lazy(`\bnpm_[A-Za-z0-9]{36}\b|:_authToken=[A-Za-z0-9-]{20,}`)},
}

// Token names the credential that text holds, "" when it holds none that is known.
func Token(text []byte) string {
	for _, t := range tokens {
		if t.pattern().Match(text) {
			return t.name
		}
	}
	return ""
}
