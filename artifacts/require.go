package artifacts

import (
	"fmt"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/feature"
)

// needs are what a call asks of the project before it acts, in the order in which they are refused.
type needs struct{ adopted, list, session, clean bool }

func (v *view) require(n needs) error {
	if v.broken != nil {
		return v.broken
	}
	if n.adopted && !v.adopted {
		what := "there is no harness in " + v.root
		if v.listPath != "" {
			what = v.listPath + " has not been adopted yet"
		}
		return refuse("not-initialized", what, `harness_init {"project":"NAME","type":"web-app|api|cli|library|mobile|other"}`)
	}
	if n.list && v.listErr != nil {
		return v.listErr
	}
	if n.list && v.list == nil {
		return refuse("not-initialized", "there is no feature list in "+v.root, `harness_init {"project":"NAME","type":"…"}`)
	}
	if n.session && v.mine == nil {
		return refuse("no-session", "no session is open here", "session_start")
	}
	if n.clean && len(v.tampered) > 0 {
		return v.refuseTampered()
	}
	return nil
}

func (v *view) refuseTampered() *Refusal {
	lines := make([]string, 0, len(v.tampered))
	for i, t := range v.tampered {
		if i == 20 {
			lines = append(lines, fmt.Sprintf("… and %d more", len(v.tampered)-i))
			break
		}
		lines = append(lines, strings.TrimSpace(t.ID+" "+t.What+" "+t.Detail))
	}
	return refuse("tampered", "the harness was changed outside the tools", `rollback {"target":"feature_list","reason":"…"} puts back the sealed state; a person may run: longhaul accept`, lines...)
}

// find looks a feature up by its exact id.
func (v *view) find(id string) (*feature.Feature, error) {
	if f := v.list.Find(id); f != nil {
		return f, nil
	}
	what := "there is no feature " + quote(id)
	if near := v.list.Nearest(id); len(near) > 0 {
		what += "; nearest: " + strings.Join(near, ", ")
	}
	return nil, refuse("unknown-feature", what, "list_features shows the ids")
}

// problem refuses a feature that can't be worked on as it stands in the file.
func problem(f *feature.Feature) error {
	if f.Problem == "" {
		return nil
	}
	return refuse(f.Problem, strings.TrimPrefix(f.Why, f.Problem+": "), "a person must put this right in the list; take another feature: next_feature")
}
