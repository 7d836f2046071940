package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// field looks a dotted path up in a JSON text ("feature.id", "results.0.ok"). Text comes back bare,
// anything else as compact JSON; ok is false where nothing lies.
func field(text []byte, path string) (value string, ok bool) {
	var at any
	if json.Unmarshal(text, &at) != nil {
		return "", false
	}
	for key := range strings.SplitSeq(path, ".") {
		switch inside := at.(type) {
		case map[string]any:
			at, ok = inside[key]
		case []any:
			n, err := strconv.Atoi(key)
			if ok = err == nil && n >= 0 && n < len(inside); ok {
				at = inside[n]
			}
		default:
			ok = false
		}
		if !ok {
			return "", false
		}
	}
	if text, isText := at.(string); isText {
		return text, true
	}
	compact, err := json.Marshal(at)
	return string(compact), err == nil
}

// expect holds a JSON text against wants of the form "path=value".
func expect(text []byte, wants []string) error {
	for _, want := range wants {
		path, value, _ := strings.Cut(want, "=")
		if got, _ := field(text, path); got != value {
			return fmt.Errorf("%s is %q, want %q", path, got, value)
		}
	}
	return nil
}
