package tools

import (
	"slices"
	"testing"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

func TestRolesNameToolsThatExist(t *testing.T) {
	for _, r := range roles {
		for _, name := range r.has {
			if _, ok := Find(name); !ok {
				t.Errorf("the role %s has %s, which is no tool", r.name, name)
			}
		}
	}
}

// TestNoRoleCodesAndChecks holds what the roles are for.
func TestNoRoleCodesAndChecks(t *testing.T) {
	strict := artifacts.Policy{IndependentVerification: true}
	for _, r := range roles {
		if r.Has("commit", strict) && r.Has("mark_feature_passed", strict) {
			t.Errorf("the role %s may commit and mark where another session must verify", r.name)
		}
	}
	for _, tool := range All() {
		someone := slices.ContainsFunc(roles, func(r Role) bool { return r.Has(tool.Name(), strict) })
		if !someone {
			t.Errorf("%s is no role's", tool.Name())
		}
		if !(Role{}).Has(tool.Name(), strict) {
			t.Errorf("without a role there is no %s", tool.Name())
		}
	}
}
