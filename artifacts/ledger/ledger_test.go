package ledger

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// lines joins records to a ledger.
func lines(records ...Record) []byte {
	var all []byte
	for _, r := range records {
		all = append(all, r.Bytes()...)
	}
	return all
}

func seal(id string, more ...func(*Record)) Record {
	r := Record{Kind: Seal, ID: id, Keys: map[string]string{"description": "hash of " + id}}
	for _, m := range more {
		m(&r)
	}
	return r
}

func ids(s *State) string {
	var all []string
	for _, x := range s.Seals {
		all = append(all, x.ID)
	}
	return strings.Join(all, " ")
}

func TestFoldKeepsTheSealedOrder(t *testing.T) {
	other := func(r *Record) { r.Keys = map[string]string{"description": "another"} }
	before := func(id string) func(*Record) { return func(r *Record) { r.Before = id } }
	tests := []struct {
		name    string
		records []Record
		want    string
	}{
		{"in file order", []Record{seal("A"), seal("B"), seal("C")}, "A B C"},
		{"put in front", []Record{seal("A"), seal("B"), seal("X", before("A"))}, "X A B"},
		{"put in the middle, twice", []Record{seal("A"), seal("B"), seal("X", before("B")), seal("Y", before("X"))}, "A Y X B"},
		{"in front of nothing known", []Record{seal("A"), seal("X", before("Z"))}, "A X"},
		{"the same twice", []Record{seal("A"), seal("A")}, "A"},
		{"one id for two features", []Record{seal("A"), seal("A", other)}, "A A"},
		{"accepted anew", []Record{seal("A"), seal("B"), {Kind: Accept}, seal("B")}, "B"},
	}
	for _, tt := range tests {
		s, err := Fold(lines(tt.records...))
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(s); got != tt.want {
			t.Errorf("%s: seals = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFoldKnowsWhatStands(t *testing.T) {
	adopted := seal("A", func(r *Record) { r.Adopted = true })
	proof := Record{Kind: Passed, ID: "A", Proof: &Proof{Kind: "observed"}}
	tests := []struct {
		name      string
		records   []Record
		standing  bool
		unproven  bool
		regressed bool
	}{
		{"sealed only", []Record{seal("A")}, false, false, false},
		{"adopted", []Record{adopted}, true, true, false},
		{"adopted, then proved", []Record{adopted, proof}, true, false, false},
		{"proved", []Record{seal("A"), proof}, true, false, false},
		{"a failed attempt", []Record{seal("A"), {Kind: Attempt, ID: "A", Code: "check-failed"}}, false, false, false},
		{"a green check without a mark", []Record{seal("A"), {Kind: Verified, ID: "A"}}, false, false, false},
		{"regressed", []Record{seal("A"), proof, {Kind: Regression, ID: "A", Reason: "broke"}}, false, false, true},
		{"proved again", []Record{seal("A"), proof, {Kind: Regression, ID: "A"}, proof}, true, false, false},
		{"rolled back", []Record{seal("A"), proof, {Kind: Rollback, IDs: []string{"A"}, Reason: "wrong"}}, false, false, true},
		{"accepted as passed", []Record{seal("A"), {Kind: Accept, IDs: []string{"A"}}, seal("A")}, true, true, false},
		{"accepted as not passed", []Record{seal("A"), proof, {Kind: Accept}, seal("A")}, false, false, false},
		{"proved, then accepted", []Record{seal("A"), proof, {Kind: Accept, IDs: []string{"A"}}, seal("A")}, true, false, false},
	}
	for _, tt := range tests {
		s, err := Fold(lines(tt.records...))
		if err != nil {
			t.Fatal(err)
		}
		_, regressed := s.Regressed["A"]
		if got := s.Standing["A"] != nil; got != tt.standing || s.Unproven("A") != tt.unproven || regressed != tt.regressed {
			t.Errorf("%s: standing %v, unproven %v, regressed %v; want %v, %v, %v", tt.name, got, s.Unproven("A"), regressed, tt.standing, tt.unproven, tt.regressed)
		}
	}
}

// TestAddIsFold holds a ledger read in two parts against the whole, cut after each line.
func TestAddIsFold(t *testing.T) {
	records := []Record{
		{Kind: Start, Session: "session-001", At: "2026-01-01T10:00:00Z"}, seal("A"), seal("B", func(r *Record) { r.Retired = true }),
		{Kind: Policy, Hash: "p", List: "feature_list.json"}, {Kind: Passed, ID: "A", Proof: &Proof{Kind: "attested"}, Session: "session-001"},
		{Kind: Park, ID: "B", Reason: "waits"}, {Kind: Entry, Doing: []Note{{ID: "B", Text: "half"}}},
		{Kind: End, Session: "session-001", IDs: []string{"A"}, Claimed: []string{"A", "B"}}, {Kind: Unpark, ID: "B"},
	}
	whole, err := Fold(lines(records...))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range records {
		s, err := Fold(lines(records[:cut]...))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(lines(records[cut:]...)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s, whole) {
			t.Errorf("cut after %d lines: %+v, want %+v", cut, s, whole)
		}
	}
	if got := whole.Sessions(); len(got) != 1 || got[0].Number != 1 || !got[0].Complete || whole.Highest() != 1 || whole.List != "feature_list.json" {
		t.Errorf("sessions = %+v, highest %d, list %q", got, whole.Highest(), whole.List)
	}
	if !whole.ClaimedBefore("B", "session-002") || whole.ClaimedBefore("B", "session-001") {
		t.Error("ClaimedBefore: want B claimed before session-002 and not before its own session")
	}
}

func TestFoldNamesTheBrokenLine(t *testing.T) {
	good := string(lines(seal("A")))
	tests := []struct {
		name, text string
		line       int
		conflict   bool
	}{
		{"torn at the end", good + `{"kind":"se`, 2, false},
		{"no object", good + good + "true\n", 3, false},
		{"conflict", good + "<<<<<<< HEAD\n" + good, 2, true},
	}
	for _, tt := range tests {
		_, err := Fold([]byte(tt.text))
		var broken *LineError
		if !errors.As(err, &broken) || broken.Line != tt.line || broken.Conflict != tt.conflict {
			t.Errorf("%s: %v, want line %d, conflict %v", tt.name, err, tt.line, tt.conflict)
		}
	}
	if s, err := Fold([]byte("\ufeff" + good + "\n\r\n" + good)); err != nil || ids(s) != "A" {
		t.Errorf("a mark, blank lines and CRLF: %v", err)
	}
}

func TestMissing(t *testing.T) {
	tests := []struct {
		name, have, want string
		missing          int
	}{
		{"same", "a\nb\n", "a\nb\n", 0},
		{"more", "a\nb\nc\n", "a\nb\n", 0},
		{"shortened", "a\n", "a\nb\n", 1},
		{"other order", "b\na\n", "a\nb\n", 0},
		{"twice wanted", "a\n", "a\na\n", 1},
		{"changed", "a\nx\n", "a\nb\n", 1},
		{"other line ends", "a\r\nb\r\n", "a\nb\n", 0},
	}
	for _, tt := range tests {
		if got := Missing([]byte(tt.have), []byte(tt.want)); got != tt.missing {
			t.Errorf("%s: Missing() = %d, want %d", tt.name, got, tt.missing)
		}
	}
}

// FuzzFold holds the reader against any bytes: it answers or says the line, and what it took can be added to.
func FuzzFold(f *testing.F) {
	f.Add(lines(seal("A"), Record{Kind: Passed, ID: "A"}))
	f.Add([]byte("{}\n\n{\"kind\":\"seal\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Fold(data)
		if err != nil {
			var broken *LineError
			if !errors.As(err, &broken) || broken.Line < 1 {
				t.Fatalf("Fold() = %v, want a line", err)
			}
			return
		}
		if err := s.Add(lines(seal("Z"))); err != nil {
			t.Fatal(err)
		}
	})
}
