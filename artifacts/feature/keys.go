package feature

import "strings"

// The keys that features have in the wild, by precedence.
var (
	textKeys     = []string{"description", "desc", "behavior", "user_visible_behavior", "title", "name", "feature_name", "feature"}
	titleKeys    = []string{"title", "name", "feature_name"}
	stepsKeys    = []string{"verification_steps", "steps", "acceptance_criteria", "acceptanceCriteria", "acceptance", "verification", "done_criteria", "doneCriteria", "definition_of_done", "tests"}
	checkKeys    = []string{"check", "verify_cmd", "verify_command"}
	dependsKeys  = []string{"depends_on", "dependencies", "dependsOn", "deps", "depends", "blockedBy", "blocked_by"}
	categoryKeys = []string{"category", "area", "module", "group", "phase"}
)

// rankOf returns the place of key in keys, -1 when it is not among them.
func rankOf(key string, keys []string) int {
	for i, k := range keys {
		if k == key {
			return i
		}
	}
	return -1
}

// isStateKey reports the keys that hold a feature's state, in any case.
func isStateKey(key string) bool {
	return isKey(key, "passes") || isKey(key, "status") || isKey(key, "state")
}

func isKey(key, name string) bool {
	return len(key) == len(name) && strings.EqualFold(key, name)
}

// stampKey returns the stamp that a key is, completed_at or session_id in
// either spelling, "" for none.
func stampKey(key string) string {
	switch key {
	case "completed_at", "completedAt":
		return "completed_at"
	case "session_id", "sessionId":
		return "session_id"
	}
	return ""
}
