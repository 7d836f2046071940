package feature

import (
	"fmt"
	"strings"
)

// Header is what a new list says about its project.
type Header struct{ Project, Type, CreatedAt string }

// New returns a new list in a layout: "root" is a bare array, "claude" and
// "plan" an object with a header, counters and the features. Ids are F001 and
// up unless given; no feature is passed.
func New(layout string, h Header, items []Item) (out []byte, ids []string, err error) {
	n := (&List{}).naming()
	var entries [][]field
	for i := range items {
		if items[i].ID != "" {
			n.series["F"] = given(n.series["F"], items[i].ID)
		}
	}
	for i := range items {
		id, raw, err := n.next(&items[i])
		if err != nil {
			return nil, nil, err
		}
		ids = append(ids, id)
		if layout == "root" {
			entries = append(entries, rootFields(&items[i], raw, false))
		} else {
			entries = append(entries, claudeFields(&items[i], raw, false))
		}
	}
	switch layout {
	case "root":
		out = []byte(listOf(entries, "") + "\n")
	case "claude", "plan":
		out = []byte(headed(h, entries))
	default:
		return nil, nil, fmt.Errorf("layout %q is none of claude, root, plan", layout)
	}
	return out, ids, nil
}

// given keeps the numbers of new ids above those that were brought along.
func given(s *series, id string) *series {
	if s == nil {
		s = &series{highest: "0", width: 3}
	}
	prefix, digits := splitNumber(id)
	if more := strings.TrimLeft(digits, "0"); prefix == "F" && larger(more, s.highest) {
		s.highest = more
	}
	return s
}

func headed(h Header, entries [][]field) string {
	s := indented("\n", "", "  ")
	return s.object([]field{
		{key: "project", raw: quote(h.Project, false)},
		{key: "type", raw: quote(h.Type, false)},
		{key: "created_at", raw: quote(h.CreatedAt, false)},
		{key: "total_features", raw: fmt.Sprint(len(entries))},
		{key: "completed", raw: "0"},
		{key: "features", raw: listOf(entries, "  ")},
	}) + "\n"
}

// listOf writes features one below the other, at one step below indent.
func listOf(entries [][]field, indent string) string {
	if len(entries) == 0 {
		return "[]"
	}
	s := indented("\n", indent+"  ", "  ")
	texts := make([]string, len(entries))
	for i := range entries {
		texts[i] = s.object(entries[i])
	}
	start := "\n" + indent + "  "
	return "[" + start + strings.Join(texts, ","+start) + "\n" + indent + "]"
}

// claudeFields are the keys of a feature in a list with a header.
func claudeFields(item *Item, id string, ascii bool) []field {
	fields := definition(item, id, "verification_steps", ascii)
	return append(fields,
		field{key: "passes", raw: "false"},
		field{key: "completed_at", raw: "null"},
		field{key: "session_id", raw: "null"})
}

// rootFields are the keys of a feature in a bare array.
func rootFields(item *Item, id string, ascii bool) []field {
	return append(definition(item, id, "steps", ascii), field{key: "passes", raw: "false"})
}

// definition writes what an item is; what it may lack is left out.
func definition(item *Item, id, steps string, ascii bool) []field {
	var fields []field
	add := func(key, raw string, given bool) {
		if given {
			fields = append(fields, field{key: key, raw: raw})
		}
	}
	add("id", id, id != "")
	add("category", quote(orGeneral(item.Category), ascii), true)
	add("priority", priorityJSON(item.Priority, ascii), strings.TrimSpace(item.Priority) != "")
	add("description", quote(item.Description, ascii), true)
	fields = append(fields, field{key: steps, list: quoteAll(item.Steps, ascii), isList: true})
	add("check", quote(item.Check, ascii), item.Check != "")
	add("cwd", quote(item.Cwd, ascii), item.Cwd != "")
	if len(item.Files) > 0 {
		fields = append(fields, field{key: "files", list: quoteAll(item.Files, ascii), isList: true})
	}
	if len(item.DependsOn) > 0 {
		fields = append(fields, field{key: "depends_on", list: quoteAll(item.DependsOn, ascii), isList: true})
	}
	return fields
}

func orGeneral(category string) string {
	if strings.TrimSpace(category) == "" {
		return "general"
	}
	return category
}
