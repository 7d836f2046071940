package artifacts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/longhaul-mcp/longhaul/artifacts/check"
	"github.com/longhaul-mcp/longhaul/artifacts/ledger"
	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
	"github.com/longhaul-mcp/longhaul/artifacts/runner"
)

// observe runs a check and says what it showed. The refusal is nil when it proves that the feature works.
func (p *Project) observe(ctx context.Context, job *markJob) (*ledger.Proof, *Refusal) {
	proof := &ledger.Proof{Kind: "observed", Command: job.command.Line, Cwd: job.cwd}
	if where, why := p.below(job.command.Line, job.cwd, 4); why != "" {
		return proof, refuse("check-masked", "the check of "+job.id+" proves nothing: in "+where+": "+why, "mend that file so that a failed or missing test fails the check, then mark_feature_passed again")
	}
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
			mendFailed(result), tailLines(result)...)
	}
	if why := runner.TestsRan(check.Runners(job.command.Line), result.Output); why != "" {
		return proof, refuse("no-tests-ran", "the check of "+job.id+": "+why+": "+job.command.Line, "write the test that the check is meant to run, then mark_feature_passed again", tailLines(result)...)
	}
	return proof, nil
}

// unprovable says that a check's own text shows that a green end would prove nothing, and the code for that.
func unprovable(line string) (code, why string) {
	if why = check.Masked(line); why != "" {
		return "check-masked", why
	}
	if why = check.Unrun(line); why != "" {
		return "no-tests-ran", why
	}
	return "", ""
}

// mostJudged is more than a script holds that a person has written.
const mostJudged = 1 << 20

// below looks for what hides a failure in the files that a check leaves the proof to, depth files deep.
func (p *Project) below(line, cwd string, depth int) (where, why string) {
	for _, c := range check.Below(line) {
		for _, name := range c.Files {
			rel := filepath.Join(cwd, filepath.FromSlash(name))
			if !filepath.IsLocal(rel) {
				continue
			}
			path := filepath.Join(p.Root(), rel)
			info, err := os.Stat(path)
			if err != nil || info.Size() > mostJudged {
				continue
			}
			data, err := readFile(path)
			if err != nil {
				continue
			}
			why, text := c.Judge(data)
			if why != "" {
				return c.String(), why
			}
			if depth > 0 && text != "" {
				if where, why = p.below(text, filepath.Join(cwd, filepath.FromSlash(c.Dir)), depth-1); why != "" {
					return where, why
				}
			}
			break
		}
	}
	return "", ""
}

// mendFailed is what to do about a failed check. 126 and 127 are the shell's own: what it was to run is no program or is not
// there (POSIX, Shell & Utilities, 2.8.2); they end with 2 at a syntax error.
func mendFailed(r runner.Result) string {
	mend := "mend the code, not the check, then mark_feature_passed again"
	switch {
	case r.ExitCode == 127:
		return "a command of the check is not there: install it, in init.sh so that later sessions have it, or write the script it names; else " + mend
	case r.ExitCode == 126:
		return "a command of the check may not be run: chmod +x it, or mend its first line; else " + mend
	case r.ExitCode == 2 && syntaxError().MatchString(r.Tail):
		return "a script of the check can't be read by its shell: mend it, then mark_feature_passed again"
	}
	return mend
}

var syntaxError = pattern.Lazy(`(?im): (?:line )?\d+: (?:syntax error|unexpected EOF)`)

// seconds never are 0 for something that ran.
func seconds(r runner.Result) float64 { return max(r.Seconds, 0.001) }

func tailLines(r runner.Result) []string {
	if r.Tail == "" {
		return []string{"it printed nothing"}
	}
	return []string{"its last output:\n" + clipFront(r.Tail, 8000)}
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
