package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// sample is the project that the demo builds: the order for it, its tests, and what the agent writes.
//
//go:embed sample
var sample embed.FS

const list = ".claude/features.json"

// A scene is one stretch of the day. Each step names what must come of it.
type scene struct {
	title string
	steps []step
}

type step func(*agent) error

// workday is the whole day: set up, work, attempts to cheat, a crash, and the look at the end.
func workday() []scene {
	return []scene{
		{"The first agent sets the project up", []step{
			writes("the tests and the program's frame", "pocket.sh", "test/smoke.sh", "test/add.sh", "test/list.sh"),
			arrives,
			orders("harness_init", "sample/init.json", "counts.total=4", "counts.failing=4"),
			calls("commit", `{"message":"frame and tests","type":"chore","paths":["pocket.sh","test/smoke.sh","test/add.sh","test/list.sh"]}`),
			calls("session_end", `{"focus":"set-up","next_steps":["Start with F001"]}`, "closed=true", "complete=true"),
			leaves,
		}},
		{"A coding agent starts and tries to get away with it", []step{
			arrives,
			calls("session_start", `{}`, "state=feature", "feature.id=F001", "init.ok=true"),
			refuses("check-failed", "mark_feature_passed", `{"id":"F001","evidence":["Ran it, works fine","Looked at the file"]}`),
			edits("marks F001 as passed with an editor", pass),
			refuses("tampered", "mark_feature_passed", `{"id":"F001"}`),
			calls("rollback", `{"target":"feature_list","reason":"edited by hand"}`),
			edits("deletes F004, which looks hard", drop),
			refuses("tampered", "commit", `{"message":"tidy up the list"}`),
			calls("rollback", `{"target":"feature_list","reason":"a feature was deleted"}`),
			calls("status", `{}`, "counts.total=4", "counts.passed=0", "integrity.ok=true"),
		}},
		{"Then it does the work", []step{
			writes("verbs/add.sh", "verbs/add.sh"),
			calls("mark_feature_passed", `{"id":"F001"}`, "passed=true", "proof.kind=observed"),
			calls("commit", `{"message":"notes can be added"}`, "subject=feat: notes can be added (F001)"),
			refuses("session-limit", "next_feature", `{}`),
			calls("append_progress", `{"focus":"adding notes","decisions":"One script a verb, so that features do not meet in a file","next_steps":"List the notes (F002)"}`),
			calls("session_end", `{"next_steps":["List the notes (F002)"]}`, "closed=true", "complete=true"),
			leaves,
		}},
		{"The next agent is cut off in the middle", []step{
			arrives,
			calls("session_start", `{"focus":"list"}`, "state=feature", "feature.id=F002"),
			writes("verbs/list.sh", "verbs/list.sh"),
			leaves,
		}},
		{"A fresh server process goes on where it stopped", []step{
			arrives,
			calls("session_start", `{}`, "resumed=true", "feature.id=F002"),
			calls("mark_feature_passed", `{"id":"F002"}`, "passed=true", "proof.kind=observed"),
			calls("commit", `{"message":"notes are listed with their numbers"}`),
			calls("session_end", `{"focus":"listing notes","next_steps":["Write the help text (F003)"]}`, "complete=true"),
			leaves,
		}},
		{"A feature without a check needs what was seen, step by step", []step{
			arrives,
			calls("session_start", `{}`, "feature.id=F003"),
			writes("verbs/help.sh", "verbs/help.sh"),
			refuses("evidence-required", "mark_feature_passed", `{"id":"F003"}`),
			refuses("evidence-incomplete", "mark_feature_passed", `{"id":"F003","evidence":["done","ok"]}`),
			calls("mark_feature_passed", `{"id":"F003","evidence":["Two lines came, one for add and one for list","verbs holds add.sh, list.sh and help.sh; the text names add and list"]}`, "passed=true", "proof.kind=attested"),
			calls("commit", `{"message":"help names the verbs"}`),
			calls("session_end", `{"focus":"help text","next_steps":["Drop a note by its number (F004)"]}`, "complete=true"),
		}},
		{"Where the project stands", []step{
			calls("status", `{"audit":true}`, "counts.passed=3", "counts.total=4", "percent=75", "next_feature.id=F004", "integrity.ok=true"),
			looks,
			leaves,
		}},
	}
}

func arrives(a *agent) error { return a.does("a server process starts", a.arrive) }
func leaves(a *agent) error  { return a.does("the client goes; the server process ends", a.leave) }

// looks prints what the verb status shows to people.
func looks(a *agent) error {
	fmt.Fprintln(a.out)
	return status(streams{nil, a.out, a.out}, []string{"--project", a.project})
}

// calls is a tool call that must succeed with these facts ("path=value") in the reply.
func calls(tool, arguments string, wants ...string) step {
	return func(a *agent) error { return a.call(tool, arguments, "", wants) }
}

// refuses is a tool call that must be refused with this code.
func refuses(code, tool, arguments string) step {
	return func(a *agent) error { return a.call(tool, arguments, code, nil) }
}

// orders is calls with the arguments in a file of the sample.
func orders(tool, name string, wants ...string) step {
	return func(a *agent) error {
		arguments, err := sample.ReadFile(name)
		if err != nil {
			return err
		}
		return a.call(tool, string(arguments), "", wants)
	}
}

// writes copies files of the sample into the project.
func writes(what string, names ...string) step {
	return func(a *agent) error {
		return a.does("the agent writes "+what, func() error {
			for _, name := range names {
				text, err := sample.ReadFile("sample/" + name)
				if err != nil {
					return err
				}
				path := filepath.Join(a.project, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					return err
				}
				if err := os.WriteFile(path, text, 0o644); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// edits changes the feature list behind the server's back.
func edits(what string, change func([]byte) ([]byte, error)) step {
	return func(a *agent) error {
		return a.does("the agent "+what, func() error { return a.edit(list, change) })
	}
}

// pass flips the first feature to passed.
func pass(text []byte) ([]byte, error) {
	return bytes.Replace(text, []byte(`"passes": false`), []byte(`"passes": true`), 1), nil
}

// drop reads the list, removes its last feature and prints it again.
func drop(text []byte) ([]byte, error) {
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	features, ok := whole["features"].([]any)
	if !ok || len(features) == 0 {
		return nil, errors.New("no features in the list")
	}
	whole["features"] = slices.Delete(features, len(features)-1, len(features))
	return json.MarshalIndent(whole, "", "  ")
}
