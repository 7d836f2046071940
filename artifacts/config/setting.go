package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// setting is one key of the file: where it stands, what it takes, and the
// place in a Config that holds it.
type setting struct {
	group, name string // "policy", "session_minutes"; group "" at the top
	at          any    // *int, *bool, *string or *[]string
	min, max    int    // of an int
	check       func(string) error
}

func settings(c *Config) []setting {
	p, f := &c.Policy, &c.Files
	return []setting{
		{group: "files", name: "features", at: &f.Features},
		{group: "files", name: "progress", at: &f.Progress},
		{group: "files", name: "architecture", at: &f.Architecture},
		{group: "files", name: "init_script", at: &f.InitScript},
		{group: "files", name: "plan", at: &f.Plan},
		{group: "policy", name: "max_features_per_session", at: &p.MaxFeaturesPerSession, min: 1, max: 1000},
		{group: "policy", name: "session_minutes", at: &p.SessionMinutes, min: 1, max: 10080},
		{group: "policy", name: "context_reset_percent", at: &p.ContextResetPercent, min: 1, max: 100},
		{group: "policy", name: "require_check", at: &p.RequireCheck},
		{group: "policy", name: "require_artifact", at: &p.RequireArtifact},
		{group: "policy", name: "independent_verification", at: &p.IndependentVerification},
		{group: "policy", name: "red_first", at: &p.RedFirst},
		{group: "policy", name: "smoke_test", at: &p.SmokeTest},
		{group: "policy", name: "init_timeout_s", at: &p.InitTimeout, min: 1, max: 86400},
		{group: "policy", name: "check_timeout_s", at: &p.CheckTimeout, min: 1, max: 86400},
		{group: "policy", name: "todo_pattern", at: &p.TodoPattern, check: compiles},
		{group: "policy", name: "max_file_mb", at: &p.MaxFileMB, min: 1, max: 1 << 20},
		{group: "policy", name: "secret_patterns", at: &p.SecretPatterns, check: isGlob},
		{group: "policy", name: "sweep_on_start", at: &p.SweepOnStart, max: 100000},
		{name: "bookkeeping", at: &c.Bookkeeping},
	}
}

func compiles(text string) error {
	_, err := regexp.Compile(text)
	return err
}

func isGlob(text string) error {
	_, err := path.Match(text, "")
	return err
}

func (s setting) key() string {
	if s.group == "" {
		return s.name
	}
	return s.group + "." + s.name
}

func (s setting) value() any {
	switch at := s.at.(type) {
	case *int:
		return *at
	case *bool:
		return *at
	case *string:
		return *at
	}
	return *s.at.(*[]string)
}

// takes says in words what the setting takes.
func (s setting) takes() string {
	switch s.at.(type) {
	case *int:
		return fmt.Sprintf("a whole number from %d to %d", s.min, s.max)
	case *bool:
		return "true or false"
	case *string:
		return "a text"
	}
	return "a list of texts"
}

func (s setting) refuse(got string) error {
	return fmt.Errorf("%s takes %s, not %s", s.key(), s.takes(), short(got))
}

// assign stores the value that a file holds. null is the same as no key.
func (s setting) assign(token []byte) error {
	if string(token) == "null" {
		return nil
	}
	switch at := s.at.(type) {
	case *int:
		return s.assignNumber(at, string(token))
	case *bool:
		if text := string(token); text != "true" && text != "false" {
			return s.refuse(text)
		}
		*at = token[0] == 't'
		return nil
	case *string:
		if token[0] != '"' {
			return s.refuse(string(token))
		}
		*at = unquote(token)
		return s.verify(*at)
	}
	return s.assignList(s.at.(*[]string), token)
}

func (s setting) assignNumber(at *int, text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < s.min || n > s.max {
		return s.refuse(text)
	}
	*at = n
	return nil
}

func (s setting) assignList(at *[]string, token []byte) error {
	var items []json.RawMessage
	if token[0] != '[' || json.Unmarshal(token, &items) != nil {
		return s.refuse(string(token))
	}
	list := make([]string, 0, len(items))
	for _, item := range items {
		if item[0] != '"' {
			return s.refuse(string(token))
		}
		text := unquote(item)
		if err := s.verify(text); err != nil {
			return err
		}
		list = append(list, text)
	}
	*at = list
	return nil
}

func (s setting) verify(text string) error {
	if s.check == nil {
		return nil
	}
	if err := s.check(text); err != nil {
		return fmt.Errorf("%s: %q: %w", s.key(), text, err)
	}
	return nil
}

// token turns a value from the command line into JSON. A list is a JSON array
// or names between commas; a text is taken as it is.
func (s setting) token(value string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(value)
	switch s.at.(type) {
	case *string:
		return literal(value), nil
	case *[]string:
		if strings.HasPrefix(trimmed, "[") {
			return json.RawMessage(trimmed), s.wellFormed(trimmed)
		}
		return literal(splitNames(trimmed)), nil
	}
	return json.RawMessage(trimmed), s.wellFormed(trimmed)
}

func (s setting) wellFormed(text string) error {
	if !json.Valid([]byte(text)) || text == "null" {
		return s.refuse(text)
	}
	return nil
}

func splitNames(text string) []string {
	names := []string{}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// literal is the JSON of a value, without the escapes that are for HTML only.
func literal(value any) json.RawMessage {
	if list, ok := value.([]string); ok && list == nil {
		value = []string{}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("config: " + err.Error()) // numbers, booleans and texts always encode
	}
	return json.RawMessage(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}

func unquote(token []byte) string {
	var text string
	if json.Unmarshal(token, &text) != nil {
		return ""
	}
	return text
}

// short keeps a message readable when the value is not.
func short(text string) string {
	if text == "" {
		return "nothing"
	}
	runes := []rune(text)
	if len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}
