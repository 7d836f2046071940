package session

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

var (
	noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	one  = Who{Worktree: "/p", Host: "h", PID: 1, Born: "a"}
	two  = Who{Worktree: "/p", Host: "h", PID: 2, Born: "b"}
	call = Who{Worktree: "/p", Host: "h", PID: 3, Born: "c", Call: true}
)

// world says at which minute it is and which pids live.
func world(minute int, alive ...int) World {
	return World{Now: noon.Add(time.Duration(minute) * time.Minute), Lease: 90 * time.Minute, Alive: func(s Session) bool {
		for _, pid := range alive {
			if s.PID == pid {
				return true
			}
		}
		return false
	}}
}

func id(s *Session) string {
	if s == nil {
		return ""
	}
	return s.ID
}

func TestMineAndResume(t *testing.T) {
	elsewhere := one
	elsewhere.Worktree = "/q"
	reused := one
	reused.Born = "later"
	tests := []struct {
		name         string
		who          Who
		w            World
		mine, resume string
	}{
		{"the same server", one, world(1, 1), "session-001", "session-001"},
		{"another server, the first lives", two, world(1, 1, 2), "", ""},
		{"another server, the first is gone", two, world(1, 2), "", "session-001"},
		{"gone for longer than the lease", two, world(91, 2), "", ""},
		{"the pid is another process now", reused, world(1), "", "session-001"},
		{"another worktree", elsewhere, world(1), "", ""},
		{"a call while the server lives", call, world(1, 1), "", ""},
		{"a call after the server", call, world(1), "session-001", "session-001"},
	}
	for _, tt := range tests {
		var b Book
		b.Open(one, 0, noon)
		if got := id(b.Mine(tt.who, tt.w)); got != tt.mine {
			t.Errorf("%s: Mine() = %q, want %q", tt.name, got, tt.mine)
		}
		if got := id(b.Resume(tt.who, tt.w)); got != tt.resume {
			t.Errorf("%s: Resume() = %q, want %q", tt.name, got, tt.resume)
		}
	}
}

func TestCallsShareASession(t *testing.T) {
	var b Book
	b.Open(call, 0, noon)
	next := call
	next.PID, next.Born = 9, "z"
	if got := id(b.Mine(next, world(1))); got != "session-001" {
		t.Errorf("Mine() = %q, want the session of the call before", got)
	}
	if got := id(b.Mine(next, world(100))); got != "" {
		t.Errorf("Mine() = %q after the lease, want none", got)
	}
	if got := b.Holder("F1", "", "", world(1)); got != nil {
		t.Errorf("Holder() = %v, want none", got)
	}
}

func TestNumbersGoOn(t *testing.T) {
	var b Book
	if got := b.Open(one, 7, noon).ID; got != "session-008" {
		t.Errorf("Open() = %s, want session-008", got)
	}
	b.Close("session-008")
	if got := b.Open(one, 0, noon).ID; got != "session-009" {
		t.Errorf("Open() = %s, want session-009: a number is never given twice", got)
	}
}

func TestHolder(t *testing.T) {
	tests := []struct {
		name  string
		w     World
		scope string
		held  bool
	}{
		{"alive", world(1, 1), "", true},
		{"dead", world(1), "", false},
		{"lapsed", world(91, 1), "", false},
		{"another project of the repository", world(1, 1), "app/", false},
	}
	for _, tt := range tests {
		var b Book
		b.Claim(b.Open(one, 0, noon), "F1", "head", noon)
		if got := b.Holder("F1", "session-099", tt.scope, tt.w) != nil; got != tt.held {
			t.Errorf("%s: held = %v, want %v", tt.name, got, tt.held)
		}
		if b.Holder("F1", "session-001", tt.scope, tt.w) != nil {
			t.Errorf("%s: a session is held up by itself", tt.name)
		}
	}
}

func TestClaimTakesAFreeOneOver(t *testing.T) {
	var b Book
	b.Claim(b.Open(one, 0, noon), "F1", "head", noon)
	b.Open(two, 0, noon)
	b.Claim(&b.Sessions[1], "F1", "head", noon)
	if b.Sessions[0].Claim != "" || b.Sessions[1].Claim != "F1" {
		t.Errorf("claims = %q and %q, want the second alone", b.Sessions[0].Claim, b.Sessions[1].Claim)
	}
}

func TestReap(t *testing.T) {
	var b Book
	b.Open(one, 0, noon)
	b.Open(two, 0, noon)
	over := b.Reap(world(91, 2))
	if len(over) != 1 || over[0].ID != "session-001" || len(b.Sessions) != 1 {
		t.Errorf("Reap() = %v, left %v; want the dead one out", over, b.Sessions)
	}
}

func TestBookRoundTrip(t *testing.T) {
	var b Book
	s := b.Open(one, 0, noon)
	b.Claim(s, "F1", "head", noon)
	s.Pass("F1")
	got, err := Read(b.Bytes())
	if err != nil || !reflect.DeepEqual(got.Sessions, b.Sessions) || got.Last != b.Last {
		t.Errorf("Read() = %+v, %v; want %+v", got, err, b)
	}
	if empty, err := Read(nil); err != nil || len(empty.Sessions) != 0 {
		t.Errorf("Read(nil) = %+v, %v", empty, err)
	}
	if _, err := Read([]byte("{")); err == nil {
		t.Error("a cut book was read")
	}
}

func TestEndChecklist(t *testing.T) {
	full := Facts{Git: true, Entry: true, NextSteps: true, Smoke: true, SmokeOK: true}
	tests := []struct {
		name    string
		s       Session
		change  func(*Facts)
		missing string
	}{
		{"all done", Session{Claimed: []string{"F1"}, Passed: []string{"F1"}}, func(*Facts) {}, ""},
		{"noted instead", Session{Claimed: []string{"F1"}, Noted: []string{"F1"}}, func(*Facts) {}, ""},
		{"entry and next steps from before", Session{Entries: 1, NextDone: true}, func(f *Facts) { f.Entry, f.NextSteps = false, false }, ""},
		{"nothing left to do next", Session{}, func(f *Facts) { f.NextSteps, f.AllPassed = false, true }, ""},
		{"uncommitted", Session{}, func(f *Facts) { f.Uncommitted = []string{"a.go"} }, "all changes committed"},
		{"secrets alone", Session{}, func(f *Facts) { f.LeftOut = []string{".env"} }, ""},
		{"a claim left open", Session{Claimed: []string{"F1", "F2"}, Passed: []string{"F1"}}, func(*Facts) {}, "claimed features passed or noted"},
		{"passed and broken again", Session{Claimed: []string{"F1"}, Passed: []string{"F1"}}, func(f *Facts) { f.Regressed = []string{"F1"} }, "claimed features passed or noted"},
		{"no entry", Session{}, func(f *Facts) { f.Entry = false }, "progress entry"},
		{"no next steps", Session{}, func(f *Facts) { f.NextSteps = false }, "next steps named"},
		{"a to-do", Session{}, func(f *Facts) { f.Todos = []string{"a.go:1: TODO"} }, "no TODO comments in added lines"},
		{"red smoke test", Session{}, func(f *Facts) { f.SmokeOK = false }, "smoke test"},
	}
	for _, tt := range tests {
		f := full
		tt.change(&f)
		var missing []string
		for _, item := range tt.s.End(f) {
			if !item.OK {
				missing = append(missing, item.Item)
			}
		}
		if got := strings.Join(missing, ", "); got != tt.missing {
			t.Errorf("%s: missing %q, want %q", tt.name, got, tt.missing)
		}
	}
}

// TestClockSetBack: a session from the future does not last until then, except that of a process known to live.
func TestClockSetBack(t *testing.T) {
	here, far := world(-24*60, 1), world(-24*60, 1)
	here.Host, far.Host = "h", "other"
	dead := world(-24 * 60)
	dead.Host = "h"
	tests := []struct {
		name string
		w    World
		want bool
	}{
		{"a live process here", here, false},
		{"a dead process here", dead, true},
		{"a process of another host", far, true},
		{"within the lease", world(-60), false},
	}
	for _, tt := range tests {
		if got := tt.w.Lapsed(Session{Host: "h", PID: 1, Born: "a", Seen: noon}); got != tt.want {
			t.Errorf("%s: Lapsed() = %v, want %v", tt.name, got, tt.want)
		}
	}
	zone := time.FixedZone("east", 14*3600)
	if world(1).Lapsed(Session{Seen: noon.In(zone)}) {
		t.Error("another time zone ends the lease")
	}
}
