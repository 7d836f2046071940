package artifacts

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/config"
	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/history"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/progress"
	"github.com/longhaul-mcp/longhaul/artifacts/scaffold"
)

var (
	projectTypes = []string{"web-app", "api", "cli", "library", "mobile", "other"}
	layouts      = []string{"claude", "root", "plan"}
)

// Init makes the harness of a new project, adopts the list, log or plan that is there, or mends a harness that lacks files.
// Nothing that exists is changed. It opens the initializer's session and commits what it made when Commit is true.
func (p *Project) Init(ctx context.Context, r InitRequest) (*InitializedReply, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	err := p.read(ctx, func(v *view) error {
		_, err := v.design(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := p.ensureGit(ctx, r.Commit); err != nil {
		return nil, err
	}
	reply := &InitializedReply{}
	var commit func() error
	err = p.update(ctx, func(v *view) error {
		d, err := v.design(r)
		if err != nil {
			return err
		}
		commit, err = v.build(ctx, d, reply)
		return err
	})
	if err != nil {
		return nil, err
	}
	if r.Commit {
		if err := commit(); err != nil {
			reply.Warnings = append(reply.Warnings, "not committed: "+err.Error())
		}
	}
	return reply, nil
}

func (r InitRequest) check() error {
	var bad []string
	if strings.TrimSpace(r.Project) == "" {
		bad = append(bad, "project: the name of the project is missing")
	}
	if !slices.Contains(projectTypes, r.Type) {
		bad = append(bad, "type "+quote(r.Type)+": it takes "+strings.Join(projectTypes, ", "))
	}
	if r.Layout != "" && !slices.Contains(layouts, r.Layout) {
		bad = append(bad, "layout "+quote(r.Layout)+": it takes "+strings.Join(layouts, ", "))
	}
	if len(r.Features) > 0 && r.Import != "" {
		bad = append(bad, "features and import: give one of them")
	}
	if len(bad) > 0 {
		return refuse("bad-argument", "harness_init can't go on", `harness_init {"project":"NAME","type":"web-app"}`, bad...)
	}
	if len(r.Features) > 0 {
		return acceptable(r.Features, false)
	}
	return nil
}

// ensureGit makes a repository where there is none.
func (p *Project) ensureGit(ctx context.Context, wanted bool) error {
	root, err := findRoot(p.start)
	if err != nil || !wanted {
		return err
	}
	if _, err := history.Open(root); !errors.Is(err, history.ErrNoGit) {
		return explain(err)
	}
	_, err = history.Init(ctx, root)
	return explain(err)
}

// nextInit is the next step of the initializer.
const nextInit = "add_features until everything is listed, commit what the set-up needs, then session_end; the next session begins with the first feature"

// A design is what Init is going to make.
type design struct {
	conf     config.Config
	request  InitRequest
	items    []feature.Item
	mend     bool // the harness is there, files may be missing
	adopt    bool // a list is there
	warnings []string
	done     []bool // by item: ticked in a plan that is adopted
}

// design decides what is to be made. It refuses what would change an existing harness.
func (v *view) design(r InitRequest) (design, error) {
	d := design{request: r, mend: v.adopted, adopt: !v.adopted && v.listPath != ""}
	if err := v.already(r); err != nil {
		return d, err
	}
	if v.broken != nil {
		return d, v.broken
	}
	if v.listErr != nil {
		return d, v.listErr
	}
	if d.mend {
		d.conf = v.conf
		return d, nil
	}
	d.conf = config.Default(v.layoutFor(r.Layout))
	if v.confRaw != nil {
		d.conf = v.conf
		if r.Layout != "" && r.Layout != v.conf.Layout {
			return d, refuse("already-initialized", configPath+" names the layout "+v.conf.Layout+"; nothing was changed", "leave layout out, or change the file first")
		}
	}
	if text := strings.TrimSpace(r.SmokeTest); text != "" {
		d.conf.Policy.SmokeTest = text
	}
	v.adoptPaths(&d)
	if d.adopt {
		return d, nil
	}
	return d, cmp.Or(v.gather(&d), v.leaving(d.items))
}

func (v *view) already(r InitRequest) error {
	given := ""
	switch {
	case len(r.Features) > 0 && v.listPath != "":
		given = "features"
	case r.Import != "" && (v.adopted || v.listPath != ""):
		given = "import"
	case v.adopted && len(r.Features) > 0:
		given = "features"
	case v.adopted && r.InitScript != "":
		given = "init_script"
	case v.adopted && r.Layout != "" && r.Layout != v.conf.Layout:
		given = "layout " + r.Layout
	default:
		return nil
	}
	next := "add_features appends new ones; session_start goes on"
	if !v.adopted {
		next = "harness_init without " + given + " adopts " + v.listPath + "; then add_features"
	}
	return refuse("already-initialized", given+" can't be taken: "+v.root+" has "+v.has()+" already; nothing was changed", next)
}

func (v *view) has() string {
	if v.adopted {
		return "a harness"
	}
	return "the list " + v.listPath
}

// guessLayout is the layout that the files in the project speak of.
func (v *view) guessLayout() string {
	for _, name := range config.ListNames {
		if exists(v.path(name)) {
			if strings.HasPrefix(name, ".claude/") {
				return "claude"
			}
			return "root"
		}
	}
	if exists(v.path("plan.md")) && exists(v.path("progress.md")) {
		return "plan"
	}
	return ""
}

func (v *view) layoutFor(given string) string {
	if given != "" {
		return given
	}
	if guess := v.guessLayout(); guess != "" {
		return guess
	}
	if exists(v.path("claude-progress.txt")) {
		return "root"
	}
	return "claude"
}

// adoptPaths takes the files that are there instead of the layout's.
func (v *view) adoptPaths(d *design) {
	f := &d.conf.Files
	if d.adopt {
		f.Features = v.listPath
	}
	if !exists(v.path(f.Progress)) {
		if _, name := v.foundLog(); name != "" {
			f.Progress = name
		}
	}
	for _, name := range []string{"init.sh", "scripts/init.sh"} {
		if !exists(v.path(f.InitScript)) && exists(v.path(name)) {
			f.InitScript = name
		}
	}
	for _, name := range []string{"architecture.md", ".claude/architecture.md", "docs/architecture.md", "ARCHITECTURE.md"} {
		if !exists(v.path(f.Architecture)) && exists(v.path(name)) {
			f.Architecture = name
		}
	}
}

// gather collects the features of a new list: given, imported, or the milestones of a plan that is there.
func (v *view) gather(d *design) error {
	d.items = plain(d.request.Features)
	switch {
	case d.request.Import != "":
		if err := v.importItems(d); err != nil {
			return err
		}
	case len(d.items) == 0 && d.conf.Layout == "plan" && exists(v.path(d.conf.Files.Plan)):
		data, err := readFile(v.path(d.conf.Files.Plan))
		if err != nil {
			return err
		}
		log, _ := v.foundLog()
		d.takeMilestones(data, func(m progress.Milestone) bool { return m.Done || ticked(log, m.Title) })
	}
	warnings, err := lint(d.items, nil)
	if err != nil {
		return err
	}
	d.warnings = append(d.warnings, firsts(warnings, 20)...)
	const few = 30
	if n := len(d.items); n < few {
		d.warnings = append(d.warnings, fmt.Sprintf("%d so far: a project usually needs 30 to 200 features, each small and testable from end to end", n))
	}
	return nil
}

func (d *design) takeMilestones(plan []byte, done func(progress.Milestone) bool) {
	for _, m := range progress.Milestones(plan) {
		d.items = append(d.items, feature.Item{Description: m.Title, Steps: m.Steps})
		d.done = append(d.done, done(m))
	}
}

// ticked says whether a hand-over file has a ticked line about a milestone.
func ticked(log []byte, title string) bool {
	title = strings.ToLower(oneLine(title))
	for line := range strings.Lines(strings.ToLower(string(log))) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(strings.TrimLeft(line, "-*+ "), "[x]"); ok && strings.TrimSpace(text) == title {
			return true
		}
	}
	return false
}

// importItems reads a list of any shape, or a plan, from a file of the project or from the argument itself.
func (v *view) importItems(d *design) error {
	data := []byte(d.request.Import)
	if t := strings.TrimSpace(d.request.Import); !strings.HasPrefix(t, "{") && !strings.HasPrefix(t, "[") {
		abs, err := v.inside(d.request.Import)
		if err != nil {
			return err
		}
		if data, err = readFile(abs); err != nil {
			return refuse("bad-argument", "import: "+cause(err), "give the path of a list or plan in the project, or the list itself as JSON text")
		}
		if strings.EqualFold(filepath.Ext(abs), ".md") {
			d.takeMilestones(data, func(progress.Milestone) bool { return false })
			return d.someImported()
		}
	}
	list, err := feature.Parse(data)
	if err != nil {
		return refuse("bad-argument", "import can't be read: "+err.Error(), "mend it, then call again; nothing was changed")
	}
	var bad []string
	for i := range list.Features {
		f := &list.Features[i]
		if f.Problem != "" {
			bad = append(bad, f.Why)
		}
		if f.State == feature.Passed {
			bad = append(bad, f.ID+" passes: a feature comes in as not passed")
		}
		d.items = append(d.items, item(f))
	}
	if len(bad) > 0 {
		return refuse("bad-argument", "import holds features that can't be taken",
			"put the list at feature_list.json and call harness_init without import: that adopts it as it is", firsts(bad, 30)...)
	}
	return d.someImported()
}

func (d *design) someImported() error {
	if len(d.items) > 0 {
		return nil
	}
	return refuse("bad-argument", "import holds no features", "give a feature list or a plan with milestones")
}

func item(f *feature.Feature) feature.Item {
	it := feature.Item{Category: f.Category, Priority: f.Priority, Description: f.Description, Check: f.Check, Cwd: f.Cwd, Files: f.Files, DependsOn: f.DependsOn}
	if !f.Positional {
		it.ID = f.ID
	}
	if f.Title != "" {
		it.Description = f.Title + ": " + f.Description
	}
	if len(f.Steps) != 1 || f.Steps[0] != f.Description {
		it.Steps = f.Steps
	}
	return it
}

// build makes the files of a design and opens the session. The commit is left to the caller, without the lock.
func (v *view) build(ctx context.Context, d design, reply *InitializedReply) (commit func() error, err error) {
	if err := v.enterInit(ctx, d); err != nil {
		return nil, err
	}
	files := d.conf.Files
	if err := v.buildList(d, reply); err != nil {
		return nil, err
	}
	header := progress.Header{Project: d.request.Project, Type: d.request.Type, Stack: d.stack(v), Started: v.at.Format("2006-01-02")}
	if d.conf.Layout == "plan" {
		v.create(files.Plan, func() []byte { return progress.NewPlan(header, d.milestones(v.list)) }, reply)
	}
	v.create(files.Progress, func() []byte { return v.newLog(d, header) }, reply)
	v.create(files.Architecture, func() []byte {
		arch := progress.NewArchitecture(header)
		if text := strings.TrimSpace(d.request.Description); text != "" {
			arch = progress.AppendDecisions(arch, stamp(v.at), v.mine.ID, []string{"Goal: " + text})
		}
		return arch
	}, reply)
	if err := v.buildScript(d, reply); err != nil {
		return nil, err
	}
	if err := v.buildConfig(d, reply); err != nil {
		return nil, err
	}
	for _, c := range v.changes {
		if !v.contains(c.Path) {
			return nil, refuse("outside-project", c.Path+" lies behind a link that leaves the project", "replace the link by a folder, or choose another layout")
		}
	}
	reply.Root, reply.Layout, reply.List, reply.Session = v.root, v.conf.Layout, v.listPath, v.mine.ID
	reply.Counts = v.counts()
	reply.Warnings = append(append(reply.Warnings, d.warnings...), v.allWarnings()...)
	if n := len(v.mine.Dirty); n > 0 && !d.mend {
		reply.Warnings = append(reply.Warnings, fmt.Sprintf("%d files were changed or untracked before: commit leaves them out unless they are named in paths", n))
	}
	reply.Next = v.afterInit(d, reply)
	return v.initCommit(ctx, reply), nil
}

// afterInit is the next step after a set-up, an adoption or a mending.
func (v *view) afterInit(d design, reply *InitializedReply) string {
	switch {
	case d.mend:
		return v.nextStep()
	case d.adopt:
		if log, _ := v.log(); len(log) > 0 {
			text, id, _ := progress.Last(log, 600)
			reply.Progress = &ProgressReply{Session: id, Text: text}
		}
		return "session_end with next_steps from the log; the next session begins with a feature"
	}
	return nextInit
}

func (v *view) enterInit(ctx context.Context, d design) error {
	v.conf = d.conf
	v.adopted = true
	if v.mine = v.book.Resume(v.who(), v.world()); v.mine != nil {
		return nil
	}
	if err := v.openSession(ctx); err != nil {
		return err
	}
	v.mine.Init = !d.mend && !d.adopt
	return nil
}

// buildList makes the list, or seals the one that is there.
func (v *view) buildList(d design, reply *InitializedReply) error {
	if d.mend {
		if v.list == nil {
			return refuse("tampered", "the feature list is gone", `rollback {"target":"feature_list","reason":"…"}`)
		}
		reply.Kept = append(reply.Kept, v.listPath)
		return nil
	}
	v.listPath = d.conf.Files.Features
	if d.adopt {
		reply.Kept = append(reply.Kept, v.listPath)
	} else {
		raw, _, err := feature.New(d.conf.Layout, feature.Header{Project: d.request.Project, Type: d.request.Type, CreatedAt: v.at.UTC().Format(time.RFC3339)}, d.items)
		if err != nil {
			return ruleRefusal(err)
		}
		if raw, err = v.passDone(d, raw); err != nil {
			return err
		}
		v.put(v.listPath, raw)
		reply.Created = append(reply.Created, v.listPath)
	}
	v.sealAll(reply)
	return nil
}

// passDone is the new list with the milestones that a plan had ticked as passed; it goes on with them in view.
func (v *view) passDone(d design, raw []byte) (out []byte, err error) {
	if v.list, err = feature.Parse(raw); err != nil {
		return nil, fmt.Errorf("the new list would not parse: %w", err)
	}
	for i, done := range d.done {
		if !done {
			continue
		}
		if raw, err = v.list.Pass(v.list.Features[i].ID, v.at.UTC().Format(time.RFC3339), v.mine.ID); err != nil {
			return nil, ruleRefusal(err)
		}
		if v.list, err = feature.Parse(raw); err != nil {
			return nil, fmt.Errorf("the new list would not parse: %w", err)
		}
	}
	return raw, nil
}

// sealAll seals a list as it is adopted.
func (v *view) sealAll(reply *InitializedReply) {
	passed := 0
	for i, s := range v.list.Seals(v.conf.Bookkeeping) {
		f := &v.list.Features[i]
		r := ledger.Record{Kind: ledger.Seal, ID: s.ID, Pos: s.Positional, Keys: s.Keys, Adopted: f.State == feature.Passed && f.Problem == "", Broken: f.Problem != "", Retired: f.State == feature.Retired}
		if r.Adopted {
			passed++
		}
		v.record(r)
	}
	if fresh, err := ledger.Fold(slices.Concat(v.ledgerRaw, recordsBytes(v.records))); err == nil {
		v.ledger = fresh // the answer of this call counts by it
	}
	if passed > 0 {
		reply.Warnings = append(reply.Warnings, fmt.Sprintf("%d features passed already: they count, as unproven", passed))
	}
}

func recordsBytes(records []ledger.Record) []byte {
	var all []byte
	for _, r := range records {
		all = append(all, r.Bytes()...)
	}
	return all
}

func (v *view) newLog(d design, header progress.Header) []byte {
	log := progress.NewLog(d.conf.Layout, header)
	if d.conf.Layout == "plan" {
		return progress.UpdateBoard(log, v.board(Note{}))
	}
	return log
}

// create makes a file that is not there.
func (v *view) create(rel string, content func() []byte, reply *InitializedReply) {
	if rel == "" {
		return
	}
	if exists(v.path(rel)) {
		if rel != v.listPath {
			reply.Kept = append(reply.Kept, rel)
		}
		return
	}
	v.put(rel, content())
	reply.Created = append(reply.Created, rel)
}

func (d design) stack(v *view) string {
	if d.request.Stack != "" {
		return d.request.Stack
	}
	return v.detect()
}

// detect tells the stack by the files in the project's folder.
func (v *view) detect() string {
	return scaffold.Detect(func(pattern string) bool {
		found, err := filepath.Glob(v.path(pattern))
		return err == nil && len(found) > 0
	})
}

func (d design) milestones(l *feature.List) []progress.Milestone {
	var all []progress.Milestone
	for i := range l.Features {
		f := &l.Features[i]
		m := progress.Milestone{Title: f.ID + ": " + f.Description, Steps: f.Steps}
		if len(f.Steps) == 1 && f.Steps[0] == f.Description {
			m.Steps = nil
		}
		all = append(all, m)
	}
	return all
}

// buildScript makes init.sh from the given text or the template of the stack.
func (v *view) buildScript(d design, reply *InitializedReply) error {
	rel := d.conf.Files.InitScript
	if rel == "" {
		return nil
	}
	if exists(v.path(rel)) {
		reply.Kept = append(reply.Kept, rel)
		if d.request.InitScript != "" {
			reply.Warnings = append(reply.Warnings, rel+" was there and is kept; init_script was not used")
		}
		return nil
	}
	text, err := d.script(v)
	if err != nil {
		return err
	}
	v.putMode(rel, text, 0o755)
	reply.Created = append(reply.Created, rel)
	return nil
}

func (d design) script(v *view) ([]byte, error) {
	given := d.request.InitScript
	if given != "" && given != "prepare" && given != "start" {
		text := strings.ReplaceAll(given, "\r\n", "\n")
		if !strings.HasPrefix(text, "#!") {
			text = "#!/usr/bin/env bash\n" + text
		}
		return []byte(strings.TrimRight(text, "\n") + "\n"), nil
	}
	stack := v.detect()
	if d.request.Stack != "" {
		stack = scaffold.Stack(d.request.Stack)
	}
	if given == "" {
		given = "prepare"
	}
	return scaffold.InitScript(stack, given)
}

func (v *view) buildConfig(d design, reply *InitializedReply) error {
	if d.mend && v.confRaw != nil {
		if text := strings.TrimSpace(d.request.SmokeTest); text != "" && text != v.conf.Policy.SmokeTest {
			reply.Warnings = append(reply.Warnings, "smoke_test is part of the policy: a person may run: longhaul config set policy.smoke_test COMMAND")
		}
		return nil
	}
	if d.mend {
		return refuse("tampered", configPath+" is gone", `rollback {"target":"feature_list","reason":"…"}`)
	}
	raw, err := v.newConfig(d)
	if err != nil {
		return err
	}
	if !bytes.Equal(raw, v.confRaw) {
		v.put(configPath, raw)
	}
	v.record(ledger.Record{Kind: ledger.Policy, Hash: config.PolicyHash(raw), List: v.listPath})
	if v.confRaw == nil {
		reply.Created = append(reply.Created, configPath)
	} else {
		reply.Kept = append(reply.Kept, configPath)
	}
	reply.Created = append(reply.Created, ledgerPath)
	return nil
}

// newConfig is a new file, or the one that was written beforehand with what it does not say.
func (v *view) newConfig(d design) ([]byte, error) {
	if v.confRaw == nil {
		return d.conf.Bytes(), nil
	}
	raw := v.confRaw
	f := d.conf.Files
	var err error
	for _, set := range [][2]string{
		{"files.features", f.Features}, {"files.progress", f.Progress}, {"files.architecture", f.Architecture},
		{"files.init_script", f.InitScript}, {"files.plan", f.Plan}, {"policy.smoke_test", d.conf.Policy.SmokeTest},
	} {
		if set[1] == "" {
			continue
		}
		if raw, err = config.Set(raw, set[0], set[1]); err != nil {
			return nil, refuse("unreadable", configPath+": "+err.Error(), "mend the file by hand, then call again")
		}
	}
	return raw, nil
}

// initCommit commits what was made, and the harness files that were there.
func (v *view) initCommit(ctx context.Context, reply *InitializedReply) func() error {
	repo, id := v.repo, v.mine.ID
	files := append(v.harnessFiles(false), v.conf.Files.InitScript)
	p := v.p
	return func() error {
		if repo == nil {
			return nil
		}
		paths, ignored, err := changedHarness(ctx, repo, files)
		for _, f := range ignored {
			reply.Warnings = append(reply.Warnings, f+" is ignored by git and stays out of the commit (ignored-file)")
		}
		if err != nil || len(paths) == 0 {
			return err
		}
		done, err := repo.Commit(ctx, history.CommitRequest{Paths: paths, Message: "chore: set up the harness\n\nHarness-Session: " + id + "\n"})
		if err != nil {
			return err
		}
		reply.Commit = short(done.SHA)
		return p.update(context.WithoutCancel(ctx), func(v *view) error {
			if v.mine != nil && v.mine.Head == "" {
				v.mine.Head = done.SHA
			}
			v.keepCopy()
			return nil
		})
	}
}
