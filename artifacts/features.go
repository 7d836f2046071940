package artifacts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
)

// listBudget is what one page of list_features may cost, in bytes of JSON.
const listBudget = 7200

// ListFeatures answers one line a feature, or the features in full when IDs are given. It changes nothing and needs no
// session; a list that has not been adopted is shown as it is.
func (p *Project) ListFeatures(ctx context.Context, q Query) (*ListReply, error) {
	if q.Limit < 0 || q.Limit > 500 {
		return nil, refuse("bad-argument", "limit takes a number from 1 to 500", "list_features without limit")
	}
	if q.Limit == 0 {
		q.Limit = 50
	}
	var reply *ListReply
	err := p.read(ctx, func(v *view) (err error) {
		if err := v.require(needs{list: true}); err != nil {
			return err
		}
		reply, err = v.listing(ctx, q)
		return err
	})
	return reply, err
}

func (v *view) listing(ctx context.Context, q Query) (*ListReply, error) {
	reply := &ListReply{Features: []FeatureReply{}, Total: v.counts().Total, Tampered: firstTampered(v.tampered)}
	if len(q.IDs) > 0 {
		return reply, v.detail(ctx, q.IDs, reply)
	}
	start, err := v.cursor(q.Cursor)
	if err != nil {
		return nil, err
	}
	match, err := v.matcher(q)
	if err != nil {
		return nil, err
	}
	s := v.situation("")
	for i := range v.list.Features {
		f := &v.list.Features[i]
		if !match(f) {
			continue
		}
		reply.Matched++
		if i < start || reply.Cursor != "" {
			continue
		}
		if len(reply.Features) == q.Limit || jsonSize(reply) > listBudget {
			reply.Cursor = strconv.Itoa(i)
			continue
		}
		reply.Features = append(reply.Features, v.line(f, s))
	}
	reply.Warnings = v.allWarnings()
	reply.Next = `list_features {"ids":["…"]} shows one in full`
	if reply.Cursor != "" {
		reply.Next = `list_features {"cursor":"` + reply.Cursor + `"} goes on`
	}
	return reply, nil
}

func (v *view) cursor(c string) (int, error) {
	if c == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(c)
	if err != nil || n < 0 || n > len(v.list.Features) {
		return 0, refuse("bad-argument", "cursor "+quote(c)+" is not one that list_features gave", "list_features without cursor")
	}
	return n, nil
}

func (v *view) detail(ctx context.Context, ids []string, reply *ListReply) error {
	found, err := v.named(ids)
	if err != nil {
		return err
	}
	for _, f := range found {
		full := *v.show(f, false)
		if r := v.ledger.Standing[f.ID]; r != nil {
			full.Proof = proofReply(r)
			full.Proof.Stale = v.stale(ctx, f.ID)
			full.Proof.Tail = clipFront(full.Proof.Tail, 1000)
		}
		reply.Matched++
		if len(reply.Features) > 0 && jsonSize(reply)+jsonSize(full) > listBudget {
			reply.Next = "the answer is full: ask for the rest by their ids"
			continue
		}
		reply.Features = append(reply.Features, fit(full, listBudget))
	}
	if reply.Next == "" {
		reply.Next = "next_feature claims one"
	}
	return nil
}

// fit cuts one feature that is larger than an answer may be.
func fit(f FeatureReply, budget int) FeatureReply {
	if jsonSize(f) <= budget {
		return f
	}
	f.Description, f.Check, f.Files = clip(f.Description, 2000), clip(f.Check, 800), firsts(f.Files, 10)
	if p := f.Proof; p != nil {
		p.Evidence, p.Tail = someEvidence(p.Evidence), clipFront(p.Tail, 500)
	}
	steps := f.Steps
	f.Steps = nil
	for i, s := range steps {
		if jsonSize(f)+len(s) > budget {
			f.Steps = append(f.Steps, fmt.Sprintf("… %d more steps: resource harness://features/%s", len(steps)-i, url.PathEscape(f.ID)))
			break
		}
		f.Steps = append(f.Steps, clip(s, 1000))
	}
	return f
}

// someEvidence is what of a proof's evidence fits an answer; harness://evidence/{id} holds all.
func someEvidence(all []Evidence) []Evidence {
	var kept []Evidence
	const most = 8
	for i, e := range all {
		if i == most {
			break
		}
		e.Observed, e.Artifact = clip(e.Observed, 200), clip(e.Artifact, 200)
		kept = append(kept, e)
	}
	return kept
}

// matcher is the filter of a query.
func (v *view) matcher(q Query) (func(*feature.Feature) bool, error) {
	if !slices.Contains([]string{"", "all", "failing", "passed", "blocked", "claimed"}, q.Status) {
		return nil, refuse("bad-argument", "status "+quote(q.Status)+" is unknown: it takes failing, passed, blocked, claimed or all", "list_features")
	}
	s := v.situation("")
	words := strings.Fields(strings.ToLower(q.Query))
	return func(f *feature.Feature) bool {
		return v.inStatus(f, q.Status, s) &&
			(q.Category == "" || strings.EqualFold(f.Category, q.Category)) &&
			containsAll(strings.ToLower(f.ID+" "+f.Category+" "+f.Title+" "+f.Description), words)
	}, nil
}

func (v *view) inStatus(f *feature.Feature, status string, s feature.Situation) bool {
	switch status {
	case "failing":
		return f.State == feature.Failing
	case "passed":
		return f.State == feature.Passed
	case "blocked":
		return f.State == feature.Failing && v.list.Blocked(f.ID, s) != ""
	case "claimed":
		return s.Held[f.ID] || (v.mine != nil && v.mine.Claim == f.ID)
	}
	return true
}

func containsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// line is a feature in a listing.
func (v *view) line(f *feature.Feature, s feature.Situation) FeatureReply {
	text := f.Title
	if text == "" {
		text = f.Description
	}
	return FeatureReply{ID: f.ID, Category: f.Category, Priority: f.Priority, Description: clip(oneLine(text), 120), Status: v.status(f, s)}
}

func (v *view) status(f *feature.Feature, s feature.Situation) string {
	switch {
	case f.State == feature.Retired:
		return "retired"
	case v.unproven(f):
		return "unproven"
	case f.State == feature.Passed:
		return "passed"
	case s.Held[f.ID] || (v.mine != nil && v.mine.Claim == f.ID):
		return "claimed"
	case v.list.Blocked(f.ID, s) != "":
		return "blocked"
	case s.Regressed[f.ID]:
		return "regressed"
	}
	return "failing"
}

// show is a feature in full, in a start or next answer cut to a reasonable size.
func (v *view) show(f *feature.Feature, bounded bool) *FeatureReply {
	s := v.situation("")
	r := &FeatureReply{
		ID: f.ID, Category: f.Category, Priority: f.Priority, Title: f.Title, Description: f.Description, Steps: f.Steps,
		Check: f.Check, Cwd: f.Cwd, Files: f.Files, DependsOn: f.DependsOn, Status: v.status(f, s),
	}
	if r.Status == "blocked" {
		r.Why = v.list.Blocked(f.ID, s)
	}
	if why := v.ledger.Regressed[f.ID]; why != "" && f.State == feature.Failing {
		r.Why = "passed before and broke: " + clip(why, 300)
		if r.Status == "claimed" {
			r.Status = "regressed"
		}
	}
	if len(r.Steps) == 1 && r.Steps[0] == r.Description {
		r.Steps = nil
	}
	if bounded {
		r.Title, r.Description, r.Check = clip(r.Title, 300), clip(r.Description, 1200), clip(r.Check, 800)
		r.Steps = cutSteps(r, 2400)
		r.Files, r.DependsOn = clipped(firsts(r.Files, 10), 120), firsts(r.DependsOn, 20)
	}
	return r
}

// jsonSize is what a value costs in an answer.
func jsonSize(v any) int {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // answers are plain values
	}
	return b.Len() - 1
}

// AddFeatures appends features. The ids are given here, in the list's own style.
func (p *Project) AddFeatures(ctx context.Context, items []Incoming) (*AddedReply, error) {
	if err := acceptable(items, false); err != nil {
		return nil, err
	}
	var reply *AddedReply
	err := p.update(ctx, func(v *view) error {
		if err := cmp.Or(v.leaving(plain(items)), v.require(needs{adopted: true, list: true, session: true, clean: true})); err != nil {
			return err
		}
		added := plain(items)
		warnings, err := lint(added, v.list)
		if err != nil {
			return err
		}
		warnings = append(warnings, v.unknownDependencies(added)...)
		raw, ids, err := v.list.Append(added)
		if err != nil {
			return ruleRefusal(err)
		}
		if err := v.sealNew(raw, ids); err != nil {
			return err
		}
		v.put(v.listPath, raw)
		reply = &AddedReply{IDs: ids, Counts: v.counts(), Warnings: firsts(warnings, 30)}
		reply.Next = v.nextStep()
		return nil
	})
	return reply, err
}

// sealNew seals appended features and goes on with the new bytes in view.
func (v *view) sealNew(raw []byte, ids []string) error {
	if err := v.relist(raw); err != nil {
		return err
	}
	for _, s := range v.list.Seals(v.conf.Bookkeeping) {
		if slices.Contains(ids, s.ID) {
			v.record(ledger.Record{Kind: ledger.Seal, ID: s.ID, Pos: s.Positional, Keys: s.Keys})
		}
	}
	return nil
}

// acceptable refuses what no list may take in, all of it at once.
func acceptable(items []Incoming, ids bool) error {
	if len(items) == 0 {
		return refuse("bad-argument", "features is empty: it takes a list of {description, category, priority, steps, check}", "give at least one feature")
	}
	var bad []string
	code := "bad-argument"
	seen := map[string]int{}
	for i, it := range items {
		where := fmt.Sprintf("features[%d]", i)
		if strings.TrimSpace(it.Description) == "" {
			bad = append(bad, where+".description is missing")
		}
		if it.Passes {
			bad = append(bad, where+".passes: a feature comes in as not passed; only mark_feature_passed changes that")
		}
		if it.ID != "" && !ids {
			bad = append(bad, where+".id: ids are given by the list; leave it out")
		}
		if n, ok := seen[it.ID]; ok && it.ID != "" {
			bad = append(bad, fmt.Sprintf("%s.id %s is that of features[%d] too", where, quote(it.ID), n))
		}
		seen[it.ID] = i
		if it.Cwd != "" && !filepath.IsLocal(filepath.FromSlash(it.Cwd)) {
			bad, code = append(bad, where+".cwd "+quote(it.Cwd)+" is outside the project"), "outside-project"
		}
		for _, file := range it.Files {
			if !filepath.IsLocal(filepath.FromSlash(file)) {
				bad, code = append(bad, where+".files "+quote(file)+" is outside the project"), "outside-project"
			}
		}
	}
	if len(bad) > 0 {
		return refuse(code, "these features can't be taken", "mend them and send all again; nothing was added", firsts(bad, 30)...)
	}
	return nil
}

// leaving refuses features whose check would run, or whose files lie, outside the project by way of a link.
func (v *view) leaving(items []feature.Item) error {
	var bad []string
	for i, it := range items {
		if it.Cwd != "" && !v.contains(v.path(it.Cwd)) {
			bad = append(bad, fmt.Sprintf("features[%d].cwd %s", i, quote(it.Cwd)))
		}
		for _, file := range it.Files {
			if !v.contains(v.path(fixed(file))) {
				bad = append(bad, fmt.Sprintf("features[%d].files %s", i, quote(file)))
			}
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return refuse("outside-project", "these lead out of the project through a link", "mend them and send all again; nothing was added", firsts(bad, 30)...)
}

// fixed is the folder of a pattern in which its search begins, or the pattern itself when it has no wild card.
func fixed(pattern string) string {
	pattern = filepath.ToSlash(pattern)
	if i := strings.IndexAny(pattern, "*?["); i >= 0 {
		return path.Dir(pattern[:i] + "x")
	}
	return pattern
}

func plain(items []Incoming) []feature.Item {
	out := make([]feature.Item, len(items))
	for i, it := range items {
		out[i] = it.Item
	}
	return out
}

// lint sorts what the rules of style say: masked checks refuse, the rest are warnings.
func lint(items []feature.Item, l *feature.List) (warnings []string, err error) {
	var masked []string
	for _, lint := range feature.LintItems(items, l) {
		text := fmt.Sprintf("features[%d]: %s", lint.Item, lint.Text)
		if lint.Code == "check-masked" {
			masked = append(masked, text)
			continue
		}
		warnings = append(warnings, text)
	}
	if len(masked) > 0 {
		return nil, refuse("check-masked", "a check that can pass while the feature is broken proves nothing", "mend these checks and send all again; nothing was added", firsts(masked, 30)...)
	}
	return warnings, nil
}

// unknownDependencies names dependencies on ids that neither the list nor the new features have.
func (v *view) unknownDependencies(items []feature.Item) []string {
	var unknown []string
	for i, it := range items {
		for _, id := range it.DependsOn {
			if v.list.Find(id) == nil && !slices.ContainsFunc(items, func(o feature.Item) bool { return o.ID == id && id != "" }) {
				unknown = append(unknown, fmt.Sprintf("features[%d] depends on %s, which is not in the list; it blocks nothing", i, quote(id)))
			}
		}
	}
	return unknown
}

// glob finds files of the project by a pattern with * and **, git's and dependency folders left out.
func (v *view) glob(pattern string) []string {
	pattern = path.Clean(filepath.ToSlash(pattern))
	if !strings.ContainsAny(pattern, "*?[") {
		if filepath.IsLocal(filepath.FromSlash(pattern)) && exists(v.path(pattern)) {
			return []string{pattern}
		}
		return nil
	}
	base := fixed(pattern)
	if !filepath.IsLocal(filepath.FromSlash(base)) {
		return nil
	}
	var found []string
	const most = 5000
	walked := 0
	_ = filepath.WalkDir(v.path(base), func(abs string, d fs.DirEntry, err error) error {
		if walked++; err != nil || walked > most {
			return fs.SkipAll
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(v.root, abs)
		if err == nil && d.Type().IsRegular() && globMatch(strings.Split(pattern, "/"), strings.Split(filepath.ToSlash(rel), "/")) {
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	})
	return found
}

func globMatch(pattern, name []string) bool {
	if len(pattern) == 0 {
		return len(name) == 0
	}
	if pattern[0] == "**" {
		return globMatch(pattern[1:], name) || (len(name) > 0 && globMatch(pattern, name[1:]))
	}
	if len(name) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return err == nil && ok && globMatch(pattern[1:], name[1:])
}
