package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Parse reads a config file. What it does not name has its default, what this
// package does not know is passed over. An error names the key and what it
// takes, or the line where the JSON is broken.
func Parse(data []byte) (Config, error) {
	whole, err := root(data)
	if err != nil {
		return Config{}, err
	}
	top, err := members(data, whole, "")
	if err != nil {
		return Config{}, err
	}
	layout, err := parseHead(data, top)
	if err != nil {
		return Config{}, err
	}
	c := Default(layout)
	groups := map[string][]member{"": top}
	for _, name := range []string{"files", "policy"} {
		if groups[name], err = group(data, top, name); err != nil {
			return Config{}, err
		}
	}
	for _, s := range settings(&c) {
		m, ok := find(groups[s.group], s.name)
		if !ok {
			continue
		}
		if err := s.assign(data[m.value:m.stop]); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

// parseHead reads version and layout, on which the rest depends.
func parseHead(data []byte, top []member) (layout string, err error) {
	if m, ok := find(top, "version"); ok && string(data[m.value:m.stop]) != "1" {
		return "", fmt.Errorf("version takes 1, not %s", short(string(data[m.value:m.stop])))
	}
	m, ok := find(top, "layout")
	if !ok {
		return "", nil
	}
	token := data[m.value:m.stop]
	if layout = unquote(token); knownLayout(layout) {
		return layout, nil
	}
	return "", fmt.Errorf("layout takes %s, not %s", strings.Join(layouts, ", "), short(string(token)))
}

// group returns the members of an object at the top, none when it is not there.
func group(data []byte, top []member, name string) ([]member, error) {
	m, ok := find(top, name)
	if !ok || string(data[m.value:m.stop]) == "null" {
		return nil, nil
	}
	if data[m.value] != '{' {
		return nil, fmt.Errorf("%s takes an object, not %s", name, short(string(data[m.value:m.stop])))
	}
	return members(data, span{m.value, m.stop - 1}, name+".")
}

// PolicyHash returns a hash of what the file says about policy and about
// bookkeeping keys, which can loosen the rules just as much. Order of keys,
// white space and escapes do not change it; a file that can't be parsed has none, "".
func PolicyHash(data []byte) string {
	whole, err := root(data)
	if err != nil {
		return ""
	}
	top, err := members(data, whole, "")
	if err != nil {
		return ""
	}
	said := map[string]any{}
	for _, name := range []string{"policy", "bookkeeping"} {
		if m, ok := find(top, name); ok {
			if value := canonical(data[m.value:m.stop]); value != nil {
				said[name] = value
			}
		}
	}
	sum := sha256.Sum256(literal(said))
	return hex.EncodeToString(sum[:8])
}

// canonical is the value with every number as written; nil for one that says
// nothing: null, an empty object or list.
func canonical(token []byte) any {
	decoder := json.NewDecoder(strings.NewReader(string(token)))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
	}
	return value
}
