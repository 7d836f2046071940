package feature

import "slices"

// Graft returns the list with features of another version of it after the
// last, as they are written there; they may be passed there. An id that the
// list has already is left out.
func (l *List) Graft(from *List, ids []string) ([]byte, error) {
	p := l.printer(l.containers[len(l.containers)-1])
	var texts []string
	var added []record
	for i := range from.Features {
		id := from.Features[i].ID
		if own := l.Find(id); !slices.Contains(ids, id) || own != nil && !own.Positional {
			continue
		}
		added = append(added, from.records[i])
		texts = append(texts, p.entry(id, len(texts), from.object(i)))
	}
	if len(texts) == 0 {
		return l.Bytes(), nil
	}
	edits := append(l.recount(&amend{index: -1, added: added}, nil), p.insert(texts))
	out := apply(l.src, edits)
	if err := l.checkOld(out); err != nil {
		return nil, err
	}
	return out, nil
}
