package progress

import (
	"fmt"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

var sha = pattern.Lazy(`^[0-9a-f]{7,40}$`)

// render writes the entry with its heading at the given level. Sections that
// have nothing are left out, but for the blockers: that there are none is news.
func (e Entry) render(level int) string {
	var out strings.Builder
	mark := strings.Repeat("#", level)
	out.WriteString(mark + " " + e.heading() + "\n")
	field(&out, "Focus", e.Focus)
	field(&out, "Duration", e.Duration)
	section := func(title, marker string, raw []string) {
		if list := texts(raw); len(list) > 0 {
			out.WriteString("\n" + mark + "# " + title + "\n")
			for _, text := range list {
				out.WriteString(item(marker, text))
			}
		}
	}
	blockers := texts(e.Blockers)
	if len(blockers) == 0 {
		blockers = []string{"None"}
	}
	section("Completed Features", "- ✅ ", e.Completed)
	section("In Progress", "- ", e.InProgress)
	section("Blockers", "- ", blockers)
	section("Technical Decisions", "- ", e.Decisions)
	if next := texts(e.NextSteps); len(next) > 0 {
		out.WriteString("\n" + mark + "# Next Session Should\n" + ordered(next, 1))
	}
	section("Notes", "- ", e.Notes)
	if commits := texts(e.Commits); len(commits) > 0 {
		out.WriteString("\n" + mark + "# Git Commits This Session\n")
		for _, commit := range commits {
			out.WriteString("- " + commitLine(commit) + "\n")
		}
	}
	return out.String()
}

func (e Entry) heading() string {
	title := fmt.Sprintf("Session %d", e.Number)
	if e.Continued {
		title += " (continued)"
	}
	for _, part := range []string{e.At, e.Session} {
		if part = inline(part); part != "" {
			title += " | " + part
		}
	}
	return title
}

func field(out *strings.Builder, name, text string) {
	if text = inline(text); text != "" {
		out.WriteString("**" + name + "**: " + text + "\n")
	}
}

// ordered is a numbered list that begins with the number first.
func ordered(list []string, first int) string {
	var out strings.Builder
	for i, text := range list {
		out.WriteString(item(fmt.Sprintf("%d. ", first+i), text))
	}
	return out.String()
}

func commitLine(commit string) string {
	commit = inline(commit)
	hash, subject, _ := strings.Cut(commit, " ")
	if sha().MatchString(hash) {
		return strings.TrimSpace("`" + hash + "` " + subject)
	}
	return escaped(commit)
}
