package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tiktoken-go/tokenizer"
)

// A counter counts tokens as o200k_base does. Other tokenizers differ by some percent, not by a factor.
type counter struct{ codec tokenizer.Codec }

func newCounter() (counter, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	return counter{codec}, err
}

func (c counter) of(text string) (int, error) { return c.codec.Count(text) }

// measureWords counts what a model pays for: the definitions of the tools and all replies of one session.
func measureWords(y yard, r *report) error {
	c, err := newCounter()
	if err != nil {
		return err
	}
	always, err := c.definitions(y, r)
	if err != nil {
		return err
	}
	t := r.table("Replies of one session", "What a model is shown (`structuredContent`), a feature from start to end. Tokens by o200k_base. `line` is all bytes on the wire, in which the same facts stand a second time as text.",
		"features", "call", "tokens", "bytes", "line")
	for _, n := range []int{200, 2000} {
		if err := c.session(y, r, t, n, always); err != nil {
			return err
		}
	}
	return nil
}

// definitions counts name, description and input schema of each tool.
func (c counter) definitions(y yard, r *report) (always int, err error) {
	s, _, err := start(y.dir, y.longhaul)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	a, err := s.ask("tools/list", map[string]any{})
	if err != nil {
		return 0, err
	}
	var listed struct {
		Tools []struct {
			Name, Description string
			InputSchema       json.RawMessage
			Meta              map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal(a.result, &listed); err != nil {
		return 0, err
	}
	t := r.table("Definitions", "Name, description and input schema, which a model pays for on each request.", "tool", "tokens", "bytes")
	all, bytes := 0, 0
	for _, d := range listed.Tools {
		text := d.Name + "\n" + d.Description + "\n" + string(d.InputSchema)
		n, err := c.of(text)
		if err != nil {
			return 0, err
		}
		t.row("`"+d.Name+"`", fmt.Sprint(n), fmt.Sprint(len(text)))
		all, bytes = all+n, bytes+len(text)
		if d.Meta["anthropic/alwaysLoad"] == true {
			always += n
		}
	}
	t.row("all", fmt.Sprint(all), fmt.Sprint(bytes))
	r.count("definitions of all tools", "", all, 2000)
	r.count("definitions of the always loaded", "", always, 900)
	return always, nil
}

// session plays one session on a list of n features and counts each reply.
func (c counter) session(y yard, r *report, t *table, n, always int) error {
	dir, err := y.project(fmt.Sprintf("words%d", n), plan{features: n})
	if err != nil {
		return err
	}
	s, _, err := start(dir, y.longhaul)
	if err != nil {
		return err
	}
	defer s.stop()
	spent := map[string]int{}
	total := 0
	for _, call := range [][2]string{
		{"session_start", `{}`},
		{"next_feature", `{}`},
		{"mark_feature_passed", `{"id":"F001","evidence":` + evidence(1) + `}`},
		{"append_progress", `{"notes":["The table's rows come in the order of the last change"],"next_steps":["F002, which has a check"]}`},
		{"commit", `{"message":"things can be opened and changed"}`},
		{"session_end", `{"next_steps":["F002, which has a check"]}`},
		{"status", `{}`},
		{"list_features", `{}`},
	} {
		if call[0] == "mark_feature_passed" {
			if err := write(filepath.Join(dir, "src", "thing.txt"), "it can be opened\n"); err != nil {
				return err
			}
		}
		said, err := s.do(call[0], call[1])
		if err != nil {
			return err
		}
		tokens, err := c.of(said.structured)
		if err != nil {
			return err
		}
		spent[call[0]] = tokens
		if call[0] != "status" && call[0] != "list_features" {
			total += tokens
		}
		t.row(fmt.Sprint(n), "`"+call[0]+"`", fmt.Sprint(tokens), fmt.Sprint(len(said.structured)), fmt.Sprint(said.wire))
	}
	byHand, err := c.byHand(dir)
	if err != nil {
		return err
	}
	of := fmt.Sprintf(", %d features", n)
	one := spent["session_start"] + spent["mark_feature_passed"] // session_start claims the feature and shows it
	r.count("reply of next_feature"+of, "", spent["next_feature"], 300)
	r.count("a page of 50 of the list"+of, "", spent["list_features"], 2500)
	r.count("orientation (session_start)"+of, fmt.Sprintf("by hand %d", byHand), spent["session_start"], 600)
	r.count("one feature: session_start, which shows it, and the mark"+of, "", one, 700)
	r.count("the same with the definitions"+of, "", one+always, 1600)
	r.count("replies of a whole session"+of, "", total, 2000)
	return nil
}

// byHand counts what an agent reads that has no harness: the folder, the list, the log and the commits.
func (c counter) byHand(dir string) (int, error) {
	var read strings.Builder
	fmt.Fprintln(&read, dir)
	for _, name := range []string{"features.json", "progress.md"} {
		text, err := os.ReadFile(filepath.Join(dir, ".claude", name))
		if err != nil {
			return 0, err
		}
		read.Write(text)
	}
	if err := output(dir, &read, "git", "log", "-20"); err != nil {
		return 0, err
	}
	return c.of(read.String())
}
