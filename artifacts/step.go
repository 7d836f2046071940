package artifacts

import (
	"fmt"
	"time"
)

// nextStep is what an open session does next.
func (v *view) nextStep() string {
	switch {
	case len(v.tampered) > 0:
		return `rollback {"target":"feature_list","reason":"…"}: the harness was changed outside the tools`
	case v.mine == nil:
		return "session_start"
	case v.late() && v.mine.Claim != "":
		return fmt.Sprintf("the session's %d minutes are over: commit what works, session_end with an in_progress item for %s", v.conf.Policy.SessionMinutes, v.mine.Claim)
	case v.mine.Claim != "":
		return "go on with " + v.mine.Claim
	case v.mine.Init && len(v.mine.Passed) == 0:
		return nextInit
	case v.mine.Full(v.conf.Policy.MaxFeaturesPerSession), v.late():
		return "commit what is left, then " + v.endCall()
	}
	return "next_feature, or " + v.endCall()
}

// endCall is session_end with what it will ask for.
func (v *view) endCall() string {
	if v.mine.NextDone && !v.untold() {
		return "session_end"
	}
	return `session_end {"next_steps":["…"]}`
}

// late says whether the session has had its time.
func (v *view) late() bool {
	return v.at.Sub(v.mine.Started) > time.Duration(v.conf.Policy.SessionMinutes)*time.Minute
}
