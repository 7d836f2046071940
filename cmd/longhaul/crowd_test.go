package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// TestCrowd has eight servers claim, pass, break and add features, write notes and commit at once in one folder, while a person
// writes into the log and commits with git. What each was told must be what one server alone could have told one after another
// (linearizability, by github.com/anishathalye/porcupine), and nothing that was answered may be missing in the end.
// LONGHAUL_CROWD says how many acts each server makes.
func TestCrowd(t *testing.T) {
	const servers = 8
	acts := 12
	if wish, err := strconv.Atoi(os.Getenv("LONGHAUL_CROWD")); err == nil && wish > 0 {
		acts = wish
	}
	y := newYard(t, true)
	if err := os.Mkdir(filepath.Join(y.dir, ".harness"), 0o755); err != nil {
		t.Fatal(err)
	}
	y.write(".harness/config.json", `{"version":1,"policy":{"max_features_per_session":1000}}`)
	y.must("harness_init", killedFeatures())
	y.must("session_end", `{"next_steps":["go on"]}`)
	c := &crowd{began: time.Now()}
	stop := make(chan struct{})
	var person, group sync.WaitGroup
	person.Go(func() { c.person(t, y, stop) })
	var all []session
	for range servers {
		s := connect(t, y.dir, "2025-11-25")
		c.tell(t, s, "session_start", `{"run_init":false}`)
		c.tell(t, s, "next_feature", `{"release":"all begin with nothing"}`)
		all = append(all, s)
	}
	for i, s := range all {
		group.Go(func() { c.server(t, s, i, acts) })
	}
	group.Wait()
	close(stop)
	person.Wait()
	if result, _ := porcupine.CheckOperationsVerbose(crowdModel, c.history, time.Minute); result != porcupine.Ok {
		t.Errorf("the history of %d acts is %s\n%s", len(c.history), result, c.firstIllegal())
	}
	c.hold(t, y)
	t.Logf("%d acts, %d of them on features", servers*acts, len(c.history))
}

// killedFeatures sets a project up whose features pass by what every project has.
func killedFeatures() string {
	var items []string
	for i := range 12 {
		items = append(items, fmt.Sprintf(`{"description":"The thing number %d can be seen from outside","steps":["look at it"],"check":"test -d .git"}`, i))
	}
	return `{"project":"p","type":"cli","features":[` + strings.Join(items, ",") + `]}`
}

// An act is what a server asked of a feature, and a told what it was told.
type (
	act struct {
		id, what string
		who      int
	}
	told string
)

// crowdModel is one feature: who holds it, and whether it has passed.
var crowdModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		byID := map[string][]porcupine.Operation{}
		for _, op := range history {
			id := op.Input.(act).id
			byID[id] = append(byID[id], op)
		}
		for _, part := range byID {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return crowdState{holder: -1} },
	Step: func(state, input, output any) (bool, any) {
		s, a := state.(crowdState), input.(act)
		free := s.holder < 0 || s.holder == a.who
		switch what := a.what + " " + string(output.(told)); what {
		case "claim ok":
			return free && !s.passed, crowdState{a.who, false}
		case "claim claimed-by":
			return !free, s
		case "claim passed":
			return s.passed, s
		case "release ok":
			return s.holder == a.who, crowdState{-1, s.passed}
		case "mark ok":
			return s.holder == a.who && !s.passed, crowdState{-1, true}
		case "regress ok":
			return s.passed, crowdState{s.holder, false}
		case "regress not-passed":
			return !s.passed, s
		default:
			return false, s
		}
	},
}

type crowdState struct {
	holder int
	passed bool
}

// A crowd gathers what was told.
type crowd struct {
	began time.Time

	mu      sync.Mutex
	history []porcupine.Operation
	notes   []string // answered
	added   []string // ids
	shas    []string
}

func (c *crowd) server(t *testing.T, s session, who, acts int) {
	chance := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(who)))
	for n := range acts {
		id := fmt.Sprintf("F%03d", 1+chance.IntN(6))
		text := fmt.Sprintf("server %d tells number %04d", who, n)
		switch chance.IntN(8) {
		case 0, 1, 2:
			if c.on(t, s, act{id, "claim", who}, "next_feature", `{"id":"`+id+`"}`) != "ok" {
				continue
			}
			if chance.IntN(3) == 0 {
				c.on(t, s, act{id, "release", who}, "next_feature", `{"release":"another"}`)
			} else {
				c.on(t, s, act{id, "mark", who}, "mark_feature_passed", `{"id":"`+id+`"}`)
			}
		case 3, 4:
			c.on(t, s, act{id, "regress", who}, "report_regression", `{"id":"`+id+`","reason":"`+text+`"}`)
		case 5:
			if _, code := c.tell(t, s, "append_progress", `{"notes":["`+text+`"],"next_steps":["go on"]}`); code == "ok" {
				c.keep(&c.notes, text)
			}
		case 6:
			reply, code := c.tell(t, s, "add_features", `{"features":[{"description":"What `+text+` is seen on the screen","steps":["look"]}]}`)
			if code == "ok" {
				id, _ := field([]byte(reply), "ids.0")
				c.keep(&c.added, id)
			}
		case 7:
			reply, code := c.tell(t, s, "commit", `{"message":"`+text+`"}`)
			if code == "ok" {
				sha, _ := field([]byte(reply), "sha")
				c.keep(&c.shas, sha)
			} else if code != "nothing-to-commit" && code != "index-locked" {
				t.Errorf("commit: %s", reply)
			}
		}
	}
}

// tell makes a call; a disk that others write to at this instant is asked again.
func (c *crowd) tell(t *testing.T, s session, tool, arguments string) (reply, code string) {
	for {
		reply, refused := s.call(t, tool, arguments)
		if !refused {
			return reply, "ok"
		}
		if code, _, _ = strings.Cut(reply, ":"); code != "busy" {
			return reply, code
		}
	}
}

// on makes a call about a feature and notes when and what was told.
func (c *crowd) on(t *testing.T, s session, a act, tool, arguments string) told {
	called := time.Since(c.began)
	reply, code := c.tell(t, s, tool, arguments)
	answered := time.Since(c.began)
	if a.what == "claim" && code != "ok" && code != "claimed-by" {
		if !strings.Contains(reply, "passed") {
			t.Errorf("%s %s: %s", tool, arguments, reply)
		}
		code = "passed"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history = append(c.history, porcupine.Operation{ClientId: a.who, Input: a, Call: called.Nanoseconds(), Output: told(code), Return: answered.Nanoseconds()})
	return told(code)
}

// firstIllegal tells the acts up to the first moment without one under way by which the history is not linearizable.
func (c *crowd) firstIllegal() string {
	var b strings.Builder
	for _, part := range crowdModel.Partition(c.history) {
		slices.SortFunc(part, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
		ends := int64(0)
		for n, op := range part {
			if n > 0 && op.Call > ends && !porcupine.CheckOperations(crowdModel, part[:n]) {
				part = part[:n]
				break
			}
			ends = max(ends, op.Return)
		}
		if porcupine.CheckOperations(crowdModel, part) {
			continue
		}
		for _, op := range part[max(0, len(part)-20):] {
			fmt.Fprintf(&b, "%v %v: from %v to %v\n", op.Input, op.Output, time.Duration(op.Call), time.Duration(op.Return))
		}
	}
	return b.String()
}

func (c *crowd) keep(list *[]string, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*list = append(*list, text)
}

// person writes at the end of the log, as an editor that appends does, and commits a file of their own.
func (c *crowd) person(t *testing.T, y *yard, stop chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		y.write("notes.txt", fmt.Sprintf("note %d\n", n))
		for _, args := range [][]string{{"status"}, {"add", "notes.txt"}, {"commit", "-qm", "a person's note"}, {"gc", "-q", "--auto"}, {"log", "-1"}} {
			git := exec.Command("git", args...)
			git.Dir, git.Env = y.dir, y.env
			out, err := git.CombinedOutput()
			if err != nil && !strings.Contains(string(out), ".lock") && !strings.Contains(string(out), "nothing to commit") && !strings.Contains(string(out), "nothing added") && !strings.Contains(string(out), "no changes added") && !strings.Contains(string(out), "cannot lock ref") {
				t.Errorf("git %s: %v\n%s", args, err, out)
			}
		}
	}
}

// hold wants all that was answered in the files and in git.
func (c *crowd) hold(t *testing.T, y *yard) {
	log := y.read(".claude/progress.md")
	for _, note := range c.notes {
		if n := strings.Count(log, note); n != 1 {
			t.Errorf("the log holds %q %d times, want once", note, n)
		}
	}
	var list struct {
		Features []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(y.read(".claude/features.json")), &list); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, f := range list.Features {
		count[f.ID]++
	}
	for _, id := range c.added {
		if count[id] != 1 {
			t.Errorf("the list holds %s %d times, want once", id, count[id])
		}
	}
	if want := 12 + len(c.added); len(list.Features) != want || len(count) != want {
		t.Errorf("the list holds %d features with %d ids, want %d", len(list.Features), len(count), want)
	}
	history := y.git("log", "--format=%H")
	for _, sha := range c.shas {
		if !strings.Contains(history, sha) {
			t.Errorf("the commit %s was answered and is not in the history", sha)
		}
	}
	y.git("fsck", "--strict", "--no-dangling")
	if ok, _ := field([]byte(y.must("status", `{}`)), "integrity.ok"); ok != "true" {
		t.Errorf("status: %s", y.must("status", `{}`))
	}
	if why := wholeFiles(y.dir); why != "" {
		t.Error(why)
	}
}
