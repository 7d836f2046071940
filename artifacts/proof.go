package artifacts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/runner"
)

// MarkPassed is the gate: it runs the feature's check, or weighs the evidence for each step where there is none, writes the
// proof and then the pass. A refusal writes nothing but the record of the attempt. A feature that has passed stays as it is.
func (p *Project) MarkPassed(ctx context.Context, id string, evidence []Evidence) (*MarkReply, error) {
	if strings.TrimSpace(id) == "" {
		return nil, refuse("bad-argument", "id is empty", "give the id of the claimed feature")
	}
	var reply *MarkReply
	var job *markJob
	err := p.read(ctx, func(v *view) (err error) {
		reply, job, err = v.gate(id, evidence)
		return err
	})
	if err != nil || reply != nil {
		return reply, err
	}
	proof, attempt, failed := p.prove(ctx, job)
	if failed != nil {
		return nil, p.recordAttempt(ctx, id, attempt, failed)
	}
	err = p.update(ctx, func(v *view) error {
		var again *markJob
		reply, again, err = v.gate(id, evidence)
		if err != nil || reply != nil {
			return err
		}
		if again.command.Line != job.command.Line || again.command.Dir != job.command.Dir {
			return refuse("tampered", "the check of "+id+" changed while it ran", "mark_feature_passed again")
		}
		reply, err = v.pass(ctx, job, proof)
		return err
	})
	return reply, err
}

// A markJob is what the gate found to do.
type markJob struct {
	id       string
	command  runner.Command // no line: there is no check
	cwd      string
	evidence []ledger.Evidence
}

// gate asks everything that can be asked before a check runs. A reply means there is nothing to do.
func (v *view) gate(id string, evidence []Evidence) (*MarkReply, *markJob, error) {
	if err := v.require(needs{adopted: true, list: true, session: true, clean: true}); err != nil {
		var named []string
		for _, e := range evidence {
			if e.Artifact != "" {
				named = append(named, e.Artifact)
			}
		}
		return nil, nil, cmp.Or(v.outside(named), err)
	}
	f, err := v.find(id)
	if err != nil {
		return nil, nil, err
	}
	if f.State == feature.Passed && f.Problem == "" {
		proof := proofReply(v.ledger.Standing[id])
		if proof != nil {
			proof.Evidence, proof.Tail = nil, clipFront(proof.Tail, 300)
		}
		return &MarkReply{ID: id, Passed: true, Proof: proof, Counts: v.counts(),
			Next: "it has passed before; nothing was changed. commit what is left, then session_end"}, nil, nil
	}
	if err := v.mayPass(f); err != nil {
		return nil, nil, err
	}
	job, err := v.job(f)
	if err != nil {
		return nil, nil, err
	}
	if why := feature.Masked(f.Check); why != "" {
		return nil, nil, refuse("check-masked", "the check of "+id+" can't fail: "+why, "a check that hides its result proves nothing: a person must change it in the list, then run: longhaul accept")
	}
	if f.Check == "" && v.conf.Policy.RequireCheck {
		return nil, nil, refuse("check-required", id+" has no check and the policy asks for one", "a person may add a check to the list and run: longhaul accept")
	}
	job.evidence, err = v.weigh(f, evidence)
	return nil, job, err
}

// mayPass asks whether this session may pass the feature.
func (v *view) mayPass(f *feature.Feature) error {
	if h := v.book.Holder(f.ID, v.mine.ID, v.who().Scope, v.world()); h != nil {
		return refuse("claimed-by", f.ID+" is held by "+holder(h)+" since "+stamp(h.ClaimAt), "next_feature")
	}
	if v.mine.Claim != f.ID {
		if err := v.limit(); err != nil {
			return err
		}
		if err := problem(f); err != nil {
			return err
		}
		held := "this session holds no claim"
		next := `next_feature {"id":"` + f.ID + `"} claims it`
		if v.mine.Claim != "" {
			held = "this session works on " + v.mine.Claim
			next = "finish " + v.mine.Claim + `, or give it back: next_feature {"release":"REASON","id":"` + f.ID + `"}`
		}
		return refuse("not-claimed", f.ID+" is not claimed: "+held, next)
	}
	if err := problem(f); err != nil {
		return err
	}
	if f.State == feature.Retired {
		return refuse("blocked", f.ID+" is retired", "next_feature")
	}
	s := v.situation("")
	s.Parked = without(s.Parked, f.ID)
	if why := v.list.Blocked(f.ID, s); why != "" {
		return refuse("blocked", f.ID+": "+why, "next_feature offers what can be worked on")
	}
	if v.conf.Policy.IndependentVerification && !v.ledger.ClaimedBefore(f.ID, v.mine.ID) {
		return refuse("independent-verification", "the session that built "+f.ID+" may not mark it",
			`append_progress with an in_progress item for it, commit, session_end; the next session verifies and marks it`)
	}
	return nil
}

// job is the check of a feature, to be run without the lock.
func (v *view) job(f *feature.Feature) (job *markJob, err error) {
	job = &markJob{id: f.ID, command: v.check(f), cwd: f.Cwd}
	if f.Cwd != "" {
		job.command.Dir, err = v.inside(f.Cwd)
	}
	return job, err
}

func (v *view) check(f *feature.Feature) runner.Command {
	return runner.Command{Line: f.Check, Dir: v.root, Timeout: time.Duration(v.conf.Policy.CheckTimeout) * time.Second}
}

// weigh sorts the evidence by step and refuses what does not count. Beside a check it is kept as it is.
func (v *view) weigh(f *feature.Feature, given []Evidence) ([]ledger.Evidence, error) {
	if f.Check == "" && len(given) == 0 {
		return nil, refuse("evidence-required", f.ID+" has no check, so each step needs what you saw", markExample(f), stepLines(f, nil)...)
	}
	kept := make([]ledger.Evidence, 0, len(given))
	seen := map[int]string{}
	var bad []string
	for i, e := range given {
		step := e.Step
		if step == 0 {
			step = i + 1
		}
		if step < 1 || step > len(f.Steps) {
			bad = append(bad, fmt.Sprintf("step %d: %s has steps 1 to %d", step, f.ID, len(f.Steps)))
			continue
		}
		seen[step] = strings.TrimSpace(seen[step] + " " + e.Observed)
		kept = append(kept, ledger.Evidence{Step: step, Observed: clip(e.Observed, 4000), Artifact: e.Artifact})
	}
	if f.Check == "" {
		bad = append(bad, v.unobserved(f, seen)...)
	}
	if len(bad) > 0 {
		return nil, refuse("evidence-incomplete", "the evidence for "+f.ID+" is not complete", markExample(f), bad...)
	}
	return kept, v.artifacts(f, kept)
}

func (v *view) unobserved(f *feature.Feature, seen map[int]string) []string {
	observed := make([]string, len(f.Steps))
	for i := range f.Steps {
		observed[i] = seen[i+1]
	}
	weak := feature.Weak(f.Steps, observed)
	steps := make([]int, 0, len(weak))
	for step := range weak {
		steps = append(steps, step)
	}
	sort.Ints(steps)
	var bad []string
	for _, step := range steps {
		bad = append(bad, fmt.Sprintf("step %d: %s (%s)", step+1, weak[step], clip(f.Steps[step], 120)))
	}
	return bad
}

func markExample(f *feature.Feature) string {
	return `do each step as a user would, then mark_feature_passed {"id":"` + f.ID + `","evidence":[{"step":1,"observed":"what you did and saw"},…]}`
}

func stepLines(f *feature.Feature, _ []int) []string {
	var lines []string
	for i, s := range f.Steps {
		lines = append(lines, fmt.Sprintf("step %d: %s", i+1, clip(s, 160)))
	}
	return firsts(lines, 30)
}

// artifacts looks at the files that the evidence names.
func (v *view) artifacts(f *feature.Feature, evidence []ledger.Evidence) error {
	var bad []string
	named := 0
	for i, e := range evidence {
		if e.Artifact == "" {
			continue
		}
		named++
		abs, err := v.inside(e.Artifact)
		if err != nil {
			return err
		}
		why := v.badArtifact(abs)
		if why != "" {
			bad = append(bad, fmt.Sprintf("step %d: %s %s", e.Step, e.Artifact, why))
			continue
		}
		if data, err := readFile(abs); err == nil {
			evidence[i].Hash = hash(data)[:16]
		}
	}
	if named == 0 && v.conf.Policy.RequireArtifact && f.Check == "" {
		bad = append(bad, "the policy asks for at least one artifact, a screenshot or a log")
	}
	if len(bad) > 0 {
		return refuse("artifact-missing", "the artifacts for "+f.ID+" do not hold", "make them anew while you verify, inside the project", bad...)
	}
	return nil
}

var images = map[string][]string{
	".png": {"\x89PNG\r\n\x1a\n"}, ".jpg": {"\xff\xd8\xff"}, ".jpeg": {"\xff\xd8\xff"}, ".gif": {"GIF8"}, ".webp": {"RIFF"},
}

// clockStep is how far a file system's clock may lag behind the system's.
const clockStep = 20 * time.Millisecond

func (v *view) badArtifact(abs string) (why string) {
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return "does not exist"
	case !info.Mode().IsRegular():
		return "is not a file"
	case info.Size() == 0:
		return "is empty"
	case info.ModTime().Before(v.mine.ClaimAt.Add(-clockStep)):
		return "is older than the claim"
	}
	if magic, ok := images[strings.ToLower(path.Ext(abs))]; ok && !startsWithAny(abs, magic) {
		return "is no image of its kind"
	}
	return ""
}

func startsWithAny(file string, magic []string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 16)
	n, _ := f.Read(head)
	return slices.ContainsFunc(magic, func(m string) bool { return strings.HasPrefix(string(head[:n]), m) })
}

// prove runs the check, without the lock. failed is the refusal when it proves nothing; attempt is what to record of it.
func (p *Project) prove(ctx context.Context, job *markJob) (proof *ledger.Proof, attempt *ledger.Proof, failed *Refusal) {
	if job.command.Line == "" {
		return &ledger.Proof{Kind: "attested", Evidence: job.evidence}, nil, nil
	}
	proof, failed = p.observe(ctx, job)
	if failed != nil {
		return nil, proof, failed
	}
	proof.Evidence = job.evidence
	return proof, nil, nil
}

// observe runs a check and says what it showed. The refusal is nil when it proves that the feature works.
func (p *Project) observe(ctx context.Context, job *markJob) (*ledger.Proof, *Refusal) {
	proof := &ledger.Proof{Kind: "observed", Command: job.command.Line, Cwd: job.cwd}
	result, err := p.run(ctx, job.command)
	if err != nil {
		var failed *runner.Error
		if errors.As(err, &failed) {
			return proof, refuse("check-failed", "the check of "+job.id+" can't be started: "+failed.Text, "mend it, then mark_feature_passed again")
		}
		return proof, refuse("check-failed", "the check of "+job.id+" can't be started: "+cause(err), "mend it, then mark_feature_passed again")
	}
	proof.ExitCode, proof.Seconds, proof.Tail, proof.Shell = &result.ExitCode, seconds(result), result.Tail, result.Shell
	switch {
	case result.Canceled:
		return proof, refuse("busy", "the call was cancelled and the check ended; nothing was marked", "mark_feature_passed again")
	case result.TimedOut:
		return proof, refuse("check-timeout", fmt.Sprintf("the check of %s ran longer than %s and was ended: %s", job.id, job.command.Timeout, job.command.Line),
			"make it faster, or a person may run: longhaul config set policy.check_timeout_s SECONDS", tailLines(result)...)
	case !result.OK:
		return proof, refuse("check-failed", fmt.Sprintf("the check of %s ended with exit code %d: %s", job.id, result.ExitCode, job.command.Line),
			"mend the code, not the check, then mark_feature_passed again", tailLines(result)...)
	}
	if why := runner.TestsRan(job.command.Line, result.Output); why != "" {
		return proof, refuse("no-tests-ran", "the check of "+job.id+": "+why+": "+job.command.Line, "write the test that the check is meant to run, then mark_feature_passed again", tailLines(result)...)
	}
	return proof, nil
}

// seconds never are 0 for something that ran.
func seconds(r runner.Result) float64 { return max(r.Seconds, 0.001) }

func tailLines(r runner.Result) []string {
	if r.Tail == "" {
		return []string{"it printed nothing"}
	}
	return []string{"its last output:\n" + clipFront(r.Tail, 8000)}
}

// recordAttempt keeps what a refused mark showed and answers the refusal.
func (p *Project) recordAttempt(ctx context.Context, id string, attempt *ledger.Proof, failed *Refusal) error {
	if failed.Code == "busy" {
		return failed
	}
	attempt.Tail = clipFront(attempt.Tail, 1000)
	err := p.update(context.WithoutCancel(ctx), func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true}); err != nil {
			return err
		}
		v.record(ledger.Record{Kind: ledger.Attempt, ID: id, Code: failed.Code, Proof: attempt})
		return nil
	})
	if err != nil {
		p.options.Log.Warn("record of a failed attempt", "err", err)
	}
	return failed
}

// pass writes the proof and the pass.
func (v *view) pass(ctx context.Context, job *markJob, proof *ledger.Proof) (*MarkReply, error) {
	f := v.list.Find(job.id)
	if err := v.situate(ctx, f, proof); err != nil {
		return nil, err
	}
	was := v.list.Was(job.id)
	raw, err := v.list.Pass(job.id, v.at.UTC().Format(time.RFC3339), v.mine.ID)
	if err != nil {
		return nil, ruleRefusal(err)
	}
	r := ledger.Record{Kind: ledger.Passed, ID: job.id, Proof: proof, Was: was}
	v.record(r)
	v.put(v.listPath, raw)
	v.mine.Pass(job.id)
	f.State, v.proven = feature.Passed, job.id
	reply := &MarkReply{ID: job.id, Passed: true, Changed: true, Counts: v.counts()}
	reply.Proof = proofReply(&v.records[len(v.records)-1])
	reply.Proof.Evidence, reply.Proof.Tail = nil, clipFront(reply.Proof.Tail, 300)
	reply.Next = `append_progress {"next_steps":["…"]}, commit, then session_end`
	if v.repo == nil {
		reply.Next = `append_progress {"next_steps":["…"]}, then session_end`
	}
	if !v.mine.Full(v.conf.Policy.MaxFeaturesPerSession) && !v.late() {
		reply.Next = `append_progress {"next_steps":["…"]}, commit, then next_feature or session_end`
	}
	return reply, nil
}

// ruleRefusal turns the word of the list's own rules into a refusal; it means that a writer went wrong, so nothing is written.
func ruleRefusal(err error) error {
	var rule *feature.RuleError
	if errors.As(err, &rule) {
		return refuse(rule.Rule, strings.TrimSpace(rule.ID+" "+rule.Detail), "nothing was written; call status")
	}
	return err
}

// situate says which state of the code the proof is about.
func (v *view) situate(ctx context.Context, f *feature.Feature, proof *ledger.Proof) error {
	proof.Files, proof.Own = v.covered(f), v.ownFiles(proof)
	if v.repo == nil {
		return nil
	}
	proof.Head = v.head.SHA
	dirty, err := v.dirty(ctx)
	if err != nil {
		return err
	}
	const most = 300
	if len(dirty) <= most {
		proof.Dirty = dirty
	}
	changed, err := v.changedFrom(ctx, v.mine.ClaimRev, dirty)
	if err != nil {
		return err
	}
	for _, c := range changed {
		if testFile.MatchString(c) && len(proof.Changed) < 20 {
			proof.Changed = append(proof.Changed, c)
		}
	}
	return nil
}

var testFile = regexp.MustCompile(`(?i)(^|[/._-])(tests?|specs?|e2e|__tests__)([/._-]|$)|_test\.|\.test\.|\.spec\.|(^|/)test_`)

// changedFrom are the paths that differ from an earlier commit, on disk too.
func (v *view) changedFrom(ctx context.Context, rev string, dirty map[string]string) ([]string, error) {
	all := map[string]bool{}
	for path, print := range dirty {
		if before, ok := v.mine.Dirty[path]; !ok || before != print {
			all[path] = true
		}
	}
	if rev != "" && rev != v.head.SHA {
		paths, err := v.repo.Changed(ctx, rev, v.head.SHA)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			all[path] = true
		}
	}
	list := make([]string, 0, len(all))
	for path := range all {
		list = append(list, path)
	}
	sort.Strings(list)
	return list, nil
}

// covered fingerprints the files that the feature says it covers.
func (v *view) covered(f *feature.Feature) map[string]string {
	const most = 200
	files := map[string]string{}
	for _, pattern := range f.Files {
		for _, rel := range v.glob(pattern) {
			if len(files) == most {
				return files
			}
			files[rel] = v.print(rel)
		}
	}
	return files
}

// ownFiles fingerprints the files that a check's command names: test files and scripts.
func (v *view) ownFiles(proof *ledger.Proof) map[string]string {
	const most = 20
	own := map[string]string{}
	for _, word := range strings.FieldsFunc(proof.Command, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>=\"'`", r) }) {
		word, _, _ = strings.Cut(word, "::") // a pytest node
		rel := path.Join(filepath.ToSlash(proof.Cwd), word)
		if len(own) == most || !filepath.IsLocal(filepath.FromSlash(rel)) {
			continue
		}
		if info, err := os.Stat(v.path(rel)); err == nil && info.Mode().IsRegular() {
			own[rel] = v.print(rel)
		}
	}
	return own
}

func (v *view) print(rel string) string {
	if v.repo != nil {
		return v.repo.Fingerprint(rel)
	}
	data, err := readFile(v.path(rel))
	if err != nil {
		return ""
	}
	return hash(data)[:16]
}

// newestProof is what a pass stands on, or the newest green check since.
func (v *view) newestProof(id string) *ledger.Record {
	standing := v.ledger.Standing[id]
	h := v.ledger.History(id)
	for i := len(h) - 1; i >= 0 && standing != nil && h[i] != standing; i-- {
		if h[i].Kind == ledger.Verified && h[i].Code == "" {
			return h[i]
		}
	}
	return standing
}

// stale says whether the code that a proof is about has moved since.
func (v *view) stale(ctx context.Context, id string) bool {
	r := v.newestProof(id)
	if r == nil || r.Proof == nil {
		return false
	}
	for rel, before := range r.Proof.Own {
		if v.print(rel) != before {
			return true
		}
	}
	if len(r.Proof.Files) > 0 {
		for rel, before := range r.Proof.Files {
			if v.print(rel) != before {
				return true
			}
		}
		return false
	}
	if v.repo == nil || r.Proof.Head == "" {
		return false
	}
	paths := map[string]bool{}
	for rel := range r.Proof.Dirty {
		paths[rel] = true
	}
	dirty, err := v.dirty(ctx)
	if err != nil {
		return true
	}
	for rel := range dirty {
		paths[rel] = true
	}
	if r.Proof.Head != v.head.SHA {
		changed, err := v.repo.Changed(ctx, r.Proof.Head, v.head.SHA)
		if err != nil {
			return true // the commit is gone: nothing shows that the code is the same
		}
		for _, rel := range changed {
			paths[rel] = true
		}
	}
	for rel := range paths {
		if before, ok := r.Proof.Dirty[rel]; !v.isHarness(rel) && rel != v.conf.Files.InitScript && (!ok || before != v.print(rel)) {
			return true
		}
	}
	return false
}

func proofReply(r *ledger.Record) *Proof {
	if r == nil {
		return nil
	}
	if r.Proof == nil {
		return &Proof{Kind: "adopted", At: r.At, Session: r.Session}
	}
	reply := &Proof{
		Kind: r.Proof.Kind, Command: r.Proof.Command, Cwd: r.Proof.Cwd, ExitCode: r.Proof.ExitCode, Seconds: r.Proof.Seconds,
		Tail: r.Proof.Tail, Head: short(r.Proof.Head), Session: r.Session, At: r.At, Changed: r.Proof.Changed, By: r.Proof.By, Reason: r.Reason,
	}
	for _, e := range r.Proof.Evidence {
		reply.Evidence = append(reply.Evidence, Evidence{Step: e.Step, Observed: e.Observed, Artifact: e.Artifact})
	}
	return reply
}

// warnGreen runs the check of a feature just claimed, where the policy wants it seen red first.
func (p *Project) warnGreen(ctx context.Context, f *FeatureReply, warnings *[]string) {
	if f == nil || f.Check == "" {
		return
	}
	var job *markJob
	err := p.read(ctx, func(v *view) (err error) {
		if x := v.list.Find(f.ID); v.conf.Policy.RedFirst && x != nil && len(v.tampered) == 0 {
			job, err = v.job(x)
		}
		return err
	})
	if err != nil || job == nil {
		return
	}
	if _, failed := p.observe(ctx, job); failed == nil {
		*warnings = append(*warnings, "the check of "+f.ID+" is green before any work: it may not test the feature")
	}
}

// Verify runs checks again. It records what they show and changes no pass.
func (p *Project) Verify(ctx context.Context, ids []string, scope string, limit int) (*VerifyReply, error) {
	if limit < 0 {
		return nil, refuse("bad-argument", "limit takes a number from 1", "verify_features without limit")
	}
	if limit == 0 {
		limit = 10
	}
	reply := &VerifyReply{Results: []CheckResult{}}
	var jobs []*markJob
	err := p.read(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true}); err != nil {
			return err
		}
		reply.Tampered = firstTampered(v.tampered)
		chosen, err := v.toVerify(ctx, ids, scope)
		if err != nil {
			return err
		}
		for _, f := range chosen {
			switch {
			case v.isTampered(f.ID):
				reply.Results = append(reply.Results, CheckResult{ID: f.ID, Code: "tampered", Tail: "its definition is not as sealed; the check was not run"})
			case f.Check == "" || feature.Masked(f.Check) != "":
				reply.NoCheck = append(reply.NoCheck, f.ID)
			case len(jobs) == limit:
				reply.Left = append(reply.Left, f.ID)
			default:
				job, err := v.job(f)
				if err != nil {
					return err
				}
				jobs = append(jobs, job)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	reply.NoCheck, reply.Left = firsts(reply.NoCheck, 50), firsts(reply.Left, 50)
	return reply, p.verify(ctx, jobs, reply)
}

func (p *Project) verify(ctx context.Context, jobs []*markJob, reply *VerifyReply) error {
	var records []ledger.Record
	var broken []string
	passed := map[string]bool{}
	for _, job := range jobs {
		proof, failed := p.observe(ctx, job)
		if failed != nil && failed.Code == "busy" {
			return failed
		}
		result := CheckResult{ID: job.id, OK: failed == nil, ExitCode: proof.ExitCode, Seconds: proof.Seconds}
		r := ledger.Record{Kind: ledger.Verified, ID: job.id, Proof: proof}
		if failed != nil {
			result.Code, result.Tail = failed.Code, clipFront(proof.Tail, 1200)
			r.Code = failed.Code
			broken = append(broken, job.id)
		}
		proof.Tail = clipFront(proof.Tail, 500)
		reply.Results = append(reply.Results, result)
		records = append(records, r)
	}
	err := p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true}); err != nil {
			return err
		}
		for _, r := range records {
			f := v.list.Find(r.ID)
			if f == nil {
				continue
			}
			passed[r.ID] = f.State == feature.Passed
			if err := v.situate(ctx, f, r.Proof); err != nil {
				return err
			}
			v.record(r)
		}
		reply.Next = v.nextStep()
		return nil
	})
	reply.Next = cmp.Or(verifyNext(broken, passed), reply.Next)
	if len(reply.Results) == 0 {
		reply.Next = "no check was to be run: " + reply.Next
	}
	for jsonSize(reply) > 7200 {
		for i := range reply.Results {
			reply.Results[i].Tail = clipFront(reply.Results[i].Tail, len(reply.Results[i].Tail)/2)
		}
	}
	return err
}

// verifyNext is the next step where something broke.
func verifyNext(broken []string, passed map[string]bool) string {
	for _, id := range broken {
		if passed[id] {
			return `report_regression {"id":"` + id + `","reason":"…"} for each passed feature that broke`
		}
	}
	if len(broken) > 0 {
		return "mend " + some(broken)
	}
	return ""
}

// toVerify chooses the features of a scope, the cheapest check first.
func (v *view) toVerify(ctx context.Context, ids []string, scope string) ([]*feature.Feature, error) {
	if len(ids) > 0 {
		return v.named(ids)
	}
	var chosen []*feature.Feature
	for i := range v.list.Features {
		f := &v.list.Features[i]
		in := false
		switch scope {
		case "", "claimed":
			in = f.ID == v.mine.Claim || slices.Contains(v.mine.Passed, f.ID)
		case "passed":
			in = f.State == feature.Passed
		case "stale":
			in = f.State == feature.Passed && v.stale(ctx, f.ID)
		default:
			return nil, refuse("bad-argument", "scope "+quote(scope)+" is unknown: it takes claimed, stale or passed", "verify_features")
		}
		if in {
			chosen = append(chosen, f)
		}
	}
	sort.SliceStable(chosen, func(i, j int) bool { return v.cost(chosen[i].ID) < v.cost(chosen[j].ID) })
	return chosen, nil
}

// cost is how long the check took last.
func (v *view) cost(id string) float64 {
	h := v.ledger.History(id)
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].Proof != nil && h[i].Proof.Seconds > 0 {
			return h[i].Proof.Seconds
		}
	}
	return 0
}

func (v *view) named(ids []string) ([]*feature.Feature, error) {
	var found []*feature.Feature
	for _, id := range ids {
		f, err := v.find(id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found, nil
}

// ReportRegression is the one way back from passed to not passed.
func (p *Project) ReportRegression(ctx context.Context, id, reason string) (*RegressionReply, error) {
	if strings.TrimSpace(reason) == "" {
		return nil, refuse("bad-argument", "reason is blank: say what broke and how you saw it", `report_regression {"id":"…","reason":"…"}`)
	}
	var reply *RegressionReply
	err := p.update(ctx, func(v *view) error {
		if err := v.require(needs{adopted: true, list: true, session: true, clean: true}); err != nil {
			return err
		}
		f, err := v.find(id)
		if err != nil {
			return err
		}
		if err := problem(f); err != nil {
			return err
		}
		if f.State != feature.Passed {
			return refuse("not-passed", id+" is not passed", "next_feature")
		}
		if err := v.reopen([]string{id}); err != nil {
			return err
		}
		v.record(ledger.Record{Kind: ledger.Regression, ID: id, Reason: clip(reason, 2000)})
		v.mine.Passed = slices.DeleteFunc(v.mine.Passed, func(s string) bool { return s == id })
		reply = &RegressionReply{ID: id, Changed: true, Counts: v.counts(), Next: v.nextStep() + "; " + id + " is offered first"}
		return nil
	})
	return reply, err
}

// reopen takes passes back in the list, each to the state it had before.
func (v *view) reopen(ids []string) error {
	for i, id := range ids {
		var was feature.Was
		if r := v.ledger.Standing[id]; r != nil {
			was = r.Was
		}
		raw, err := v.list.Fail(id, was)
		if err != nil {
			return ruleRefusal(err)
		}
		if err := v.relist(raw, ids[:i+1]...); err != nil {
			return err
		}
	}
	v.put(v.listPath, v.list.Bytes())
	return nil
}

// relist goes on with new bytes of the list: what is proven passes, but for the features just reopened.
func (v *view) relist(raw []byte, reopened ...string) error {
	old := v.list.Seals(v.conf.Bookkeeping)
	list, err := feature.Parse(raw)
	if err != nil {
		return fmt.Errorf("%s would not parse: %w", v.listPath, err)
	}
	list.Align(old, v.conf.Bookkeeping)
	for i := range list.Features {
		f := &list.Features[i]
		if f.Problem != "" || f.State == feature.Retired {
			continue
		}
		f.State = feature.Failing
		if v.ledger.Standing[f.ID] != nil && !slices.Contains(reopened, f.ID) {
			f.State = feature.Passed
		}
	}
	v.list = list
	return nil
}
