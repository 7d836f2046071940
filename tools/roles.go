package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// A Role is a part of the work with the tools that belong to it, so that who checks can't code and who codes sets
// nothing up. The zero Role has every tool.
type Role struct {
	name string
	has  []string
}

// roles is every role that a server can be started in.
var roles = []Role{
	{"initializer", []string{"session_start", "append_progress", "commit", "harness_init", "add_features", "list_features", "session_end", "status"}},
	{"coder", []string{"session_start", "next_feature", "mark_feature_passed", "append_progress", "commit", "add_features", "list_features",
		"verify_features", "report_regression", "rollback", "session_end", "status"}},
	{"evaluator", []string{"session_start", "next_feature", "mark_feature_passed", "append_progress", "list_features", "verify_features",
		"report_regression", "session_end", "status"}},
}

// ParseRole returns the role of that name. No name, and one that is an unexpanded ${…}, is the role with every tool.
func ParseRole(name string) (Role, error) {
	if name == "" || strings.Contains(name, "${") {
		return Role{}, nil
	}
	var known []string
	for _, r := range roles {
		if r.name == name {
			return r, nil
		}
		known = append(known, r.name)
	}
	return Role{}, fmt.Errorf("no role %q; there is %s", name, strings.Join(known, ", "))
}

// Has reports whether the tool is the role's under the policy: where another session must verify, a coder marks nothing.
func (r Role) Has(tool string, policy artifacts.Policy) bool {
	if r.name == "" {
		return true
	}
	if r.name == "coder" && tool == markFeaturePassed.spec.name && policy.IndependentVerification {
		return false
	}
	return slices.Contains(r.has, tool)
}

// Tools returns every tool, in the order a session meets them. One that is not the role's refuses every call.
func (r Role) Tools() []Tool {
	list := All()
	for i, t := range list {
		list[i] = r.limited(t)
	}
	return list
}

// Find returns the tool of that name, as Tools has it.
func (r Role) Find(name string) (Tool, bool) {
	t, ok := Find(name)
	return r.limited(t), ok
}

func (r Role) limited(t Tool) Tool {
	if r.name == "" {
		return t
	}
	run := t.run
	t.run = func(ctx context.Context, p *artifacts.Project, args json.RawMessage) (json.RawMessage, error) {
		if !r.Has(t.spec.name, p.Policy()) {
			return nil, r.refusal(t.spec.name)
		}
		return run(ctx, p, args)
	}
	return t
}

func (r Role) refusal(tool string) error {
	if slices.Contains(r.has, tool) {
		return &artifacts.Refusal{
			Code: "independent-verification",
			What: "the policy wants another session to verify, and this server is started as " + r.name,
			Next: "append_progress with an in_progress item for the feature, commit, session_end; a session of the role evaluator marks it",
		}
	}
	var others []string
	for _, o := range roles {
		if slices.Contains(o.has, tool) {
			others = append(others, o.name)
		}
	}
	return &artifacts.Refusal{
		Code: "bad-argument",
		What: tool + " is not a tool of the role " + r.name + ", which this server is started in",
		Next: "leave it to a session of the role " + strings.Join(others, " or ") + "; here there is " + strings.Join(r.has, ", "),
	}
}
