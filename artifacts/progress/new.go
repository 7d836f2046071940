package progress

import "strings"

// NewLog returns an empty progress log of the layout claude, root or plan.
func NewLog(layout string, h Header) []byte {
	switch layout {
	case "plan":
		return []byte(h.render(boardTitle) + "\n" + english.render(2))
	case "root":
		return []byte(h.render(endTitle))
	}
	return []byte(h.render(topTitle) + "\n---\n\n")
}

// NewArchitecture returns a file of decisions that holds none yet.
func NewArchitecture(h Header) []byte {
	return []byte(h.render("Architecture Decisions"))
}

func (h Header) render(title string) string {
	var out strings.Builder
	out.WriteString("# " + title + "\n")
	if project := inline(h.Project); project != "" {
		out.WriteString("\n## Project: " + project + "\n")
	} else {
		out.WriteString("\n")
	}
	field(&out, "Type", h.Type)
	field(&out, "Stack", h.Stack)
	field(&out, "Started", h.Started)
	return out.String()
}

// AppendDecisions adds the decisions of a session at the end of the file, whose
// bytes stay as they are. Without a decision nothing is added.
func AppendDecisions(arch []byte, at, session string, decisions []string) []byte {
	list := texts(decisions)
	if len(list) == 0 {
		return arch
	}
	var out strings.Builder
	out.WriteString("## " + strings.Trim(inline(at)+" | "+inline(session), " |") + "\n")
	for _, decision := range list {
		out.WriteString(item("- ", decision))
	}
	text := suffix(arch, out.String(), false)
	return append(arch[:len(arch):len(arch)], text...)
}
