//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKilledAtRandom kills calls, and the git that they run, at random moments of a working day, and wants every act that was
// answered to be there. LONGHAUL_KILLS says how many are killed.
func TestKilledAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes under the race detector, which does not see the program")
	}
	kills := 40
	if wish, err := strconv.Atoi(os.Getenv("LONGHAUL_KILLS")); err == nil && wish > 0 {
		kills = wish
	}
	y := newYard(t, true)
	if err := os.Mkdir(filepath.Join(y.dir, ".harness"), 0o755); err != nil {
		t.Fatal(err)
	}
	y.write(".harness/config.json", `{"version":1,"policy":{"max_features_per_session":1000}}`)
	y.must("harness_init", killedFeatures())
	y.must("session_end", `{"next_steps":["go on"],"notes":["the note before the crash"]}`)
	y.must("session_start", `{"run_init":false}`)
	y.keep()
	seed := uint64(time.Now().UnixNano())
	d := &killedDay{yard: y, chance: rand.New(rand.NewPCG(seed, 0)), usual: map[string]time.Duration{}}
	d.begin()
	done, answered, fresh := 0, 0, true
	for done < kills && !t.Failed() {
		if done > 0 && done%200 == 0 && !fresh {
			d.check()
			y.restore()
			d.begin()
			fresh = true
			continue
		}
		switch d.act() {
		case "":
			done++
			fresh = false
		case "answered":
			answered++
		}
		if done%5 == 0 {
			d.check()
		}
	}
	d.check()
	t.Logf("%d calls killed, %d answered; seed %d", done, answered, seed)
}

// A killedDay knows what has been answered, and so must stay.
type killedDay struct {
	*yard
	chance *rand.Rand
	usual  map[string]time.Duration // how long a tool takes when it is let be
	said   []string                 // by files: notes, descriptions
	passed map[string]bool          // by feature: what the last answer said; gone while a call about it was killed
	shas   []string
	next   int
}

func (d *killedDay) begin() { d.said, d.passed, d.shas = nil, map[string]bool{}, nil }

// act makes one call and lets it live for a random part of its usual time. It is "" for a call that was killed.
func (d *killedDay) act() (outcome string) {
	d.Helper()
	d.next++
	text := fmt.Sprintf("the thing that was told as number %d", d.next)
	id := fmt.Sprintf("F%03d", 1+d.chance.IntN(12))
	code := ""
	switch d.chance.IntN(9) {
	case 0, 1:
		if _, code = d.cut("append_progress", `{"notes":["`+text+`"],"next_steps":["go on"]}`); code == "answered" {
			d.said = append(d.said, text)
		}
	case 2:
		if _, code = d.cut("add_features", `{"features":[{"description":"`+text+` is seen","steps":["look"],"check":"test -d .git"}]}`); code == "answered" {
			d.said = append(d.said, text+" is seen")
		}
	case 3:
		_, code = d.cut("next_feature", `{"release":"another","id":"`+id+`"}`)
	case 4, 5:
		d.call("next_feature", `{"release":"another","id":"`+id+`"}`)
		before := d.passed[id]
		delete(d.passed, id)
		if _, code = d.cut("mark_feature_passed", `{"id":"`+id+`"}`); code == "answered" {
			d.passed[id] = true
		} else if code != "" && before {
			d.passed[id] = true
		}
	case 6:
		before, knew := d.passed[id]
		delete(d.passed, id)
		if _, code = d.cut("report_regression", `{"id":"`+id+`","reason":"`+text+`"}`); code == "answered" {
			d.passed[id] = false
		} else if code != "" && knew {
			d.passed[id] = before
		}
	case 7:
		d.write("notes.txt", text+"\n")
		var reply string
		if reply, code = d.cut("commit", `{"message":"`+text+`"}`); code == "answered" {
			sha, _ := field([]byte(reply), "sha")
			d.shas = append(d.shas, sha)
		}
	case 8:
		if _, code = d.cut("session_end", `{"next_steps":["go on"],"incomplete_reason":"it is late"}`); code != "" {
			d.call("session_start", `{"run_init":false}`)
		}
	}
	if code == "no-session" {
		d.call("session_start", `{"run_init":false}`)
	}
	return code
}

// cut makes a call that may be killed: the code is "" when it was, "answered", or what it refuses with.
func (d *killedDay) cut(tool, arguments string) (reply, code string) {
	d.Helper()
	c := exec.Command(d.program, "call", tool, arguments)
	c.Dir, c.Env = d.dir, d.env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out, told bytes.Buffer
	c.Stdout, c.Stderr = &out, &told
	began := time.Now()
	if err := c.Start(); err != nil {
		d.Fatal(err)
	}
	usual := d.usual[tool]
	spared := usual == 0 || d.chance.IntN(6) == 0 // tells how long it takes now
	if !spared {
		group := c.Process.Pid
		timer := time.AfterFunc(time.Duration(d.chance.Int64N(int64(usual)*5/4)), func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
		defer timer.Stop()
	}
	err := c.Wait()
	if c.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		d.freeGit()
		return "", ""
	}
	if err == nil {
		if spared {
			took := time.Since(began)
			if usual > 0 {
				took = (usual + took) / 2
			}
			d.usual[tool] = took
		}
		return out.String(), "answered"
	}
	code, _, _ = strings.Cut(told.String(), ":")
	if !slices.Contains([]string{"no-session", "session-limit", "not-claimed", "nothing-to-commit", "not-passed", "blocked", "bad-argument", "index-locked"}, code) {
		d.Errorf("%s %s after a kill: %s", tool, arguments, told.String())
	}
	return "", code
}

// freeGit takes away the locks that git leaves when it is killed, as it asks a person to.
func (d *killedDay) freeGit() {
	d.Helper()
	for _, pattern := range []string{"*.lock", "refs/heads/*.lock", "refs/longhaul/*/*.lock"} {
		found, _ := filepath.Glob(filepath.Join(d.dir, ".git", filepath.FromSlash(pattern)))
		for _, lock := range found {
			_ = os.Remove(lock)
		}
	}
}

// check makes calls that live, one that may write and so clears up first, and holds the project against what was answered.
func (d *killedDay) check() {
	d.Helper()
	d.must("session_start", `{"run_init":false}`)
	status := d.must("status", `{}`)
	if ok, _ := field([]byte(status), "integrity.ok"); ok != "true" {
		d.Fatalf("status: %s", status)
	}
	if why := wholeFiles(d.dir); why != "" {
		d.Error(why)
	}
	kept := d.read(".claude/features.json") + d.read(".claude/progress.md")
	for _, text := range d.said {
		if strings.Count(kept, text) < 1 {
			d.Errorf("%q was answered and is gone", text)
		}
	}
	for id, passed := range d.passed {
		line := featureText(d.read(".claude/features.json"), id)
		if strings.Contains(line, `"passes": true`) != passed {
			d.Errorf("%s: answered passes %v, the list says %s", id, passed, line)
		}
	}
	if len(d.shas) > 0 {
		log := d.git("log", "--format=%h")
		for _, sha := range d.shas {
			if !strings.Contains(log, sha) {
				d.Errorf("the commit %s was answered and is gone", sha)
			}
		}
		d.git("fsck", "--strict", "--no-dangling")
	}
}

// featureText is what a list says of one feature.
func featureText(list, id string) string {
	_, rest, _ := strings.Cut(list, `"id": "`+id+`"`)
	text, _, _ := strings.Cut(rest, `"id":`)
	return text
}
