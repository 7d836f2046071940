package feature

import (
	"fmt"
	"strconv"
	"strings"
)

// listNames are the keys under which a list of features is looked for first,
// in this order; groupNames hold groups, each with a list of its own.
var (
	listNames = []string{"features", "feature_list", "featureList", "features_list", "items", "tasks", "stories",
		"user_stories", "userStories", "topics", "requirements", "backlog", "tests", "test_cases", "list", "entries"}
	groupNames = []string{"phases", "epics", "modules", "categories", "waves", "milestones", "sprints", "stages",
		"sections", "areas", "domains", "components", "groups"}
)

// locate finds the arrays and maps that hold the features.
func (l *List) locate() error {
	switch l.nodes[0].kind {
	case array:
		if l.grouped(0, "array", "features") {
			return nil
		}
		l.hold("array", container{node: 0, group: -1})
		return nil
	case object:
	default:
		return l.wrong(0, "the list is "+l.nodes[0].kind.String()+", not an array or an object of features")
	}
	if l.size(0) == 0 {
		l.hold("object{}", container{node: 0, group: -1})
		return nil
	}
	if l.inObject(0, "object", -1, "") || l.nested(0, "object", 3) || l.rootMap() {
		return nil
	}
	if v := l.member(0, "features"); v >= 0 {
		return l.misfit("features", v)
	}
	return l.wrong(0, "the object holds no list of features")
}

func (l *List) wrong(n int, cause string) error {
	return syntaxError(l.src, int(l.nodes[n].start), cause)
}

// misfit names what under a list's key is no feature.
func (l *List) misfit(name string, v int) error {
	if l.nodes[v].kind != array {
		return l.wrong(v, name+" is "+l.nodes[v].kind.String()+", not a list of features")
	}
	i := 0
	for e := l.first(v); e < l.after(v); e, i = l.after(e), i+1 {
		if l.nodes[e].kind != object {
			return l.wrong(e, fmt.Sprintf("%s[%d] is %s, not an object", name, i, l.nodes[e].kind))
		}
	}
	return l.wrong(v, name+" is no list of features")
}

func (l *List) hold(shape string, c container) {
	l.shape = shape
	l.containers = append(l.containers, c)
}

// inObject looks for a list among an object's members: under "features",
// then in groups, then under any other key.
func (l *List) inObject(obj int, shape string, group int, name string) bool {
	if l.under(obj, "features", shape, group, name) {
		return true
	}
	for _, key := range groupNames {
		v := l.member(obj, key)
		if v >= 0 && l.grouped(v, shape+bracket(l.nodes[v].kind, key), "") {
			return true
		}
	}
	best, bestKey, bestScore := -1, "", 0
	for _, key := range listNames[1:] {
		if v := l.member(obj, key); v >= 0 && l.isList(v) {
			best, bestKey, bestScore = v, key, 2+l.likeness(v)
			break
		}
	}
	l.each(obj, func(k, v int) {
		if score := l.likeness(v); score > bestScore {
			best, bestKey, bestScore = v, l.text(k), score
		}
	})
	if best < 0 {
		return false
	}
	l.hold(shape+"["+bestKey+"]", container{node: best, group: group, name: name})
	return true
}

func bracket(k kind, key string) string {
	if k == object {
		return "{" + key + "}.*"
	}
	return "[" + key + "].*"
}

// under takes the list that a key names: an array, groups, or a map.
func (l *List) under(obj int, key, shape string, group int, name string) bool {
	v := l.member(obj, key)
	if v < 0 {
		return false
	}
	if l.nodes[v].kind != object && !l.isList(v) {
		return false
	}
	if l.grouped(v, shape+bracket(l.nodes[v].kind, key), "features") {
		return true
	}
	if l.nodes[v].kind == object {
		return l.mapped(v, shape+"{"+key+"}", group, name)
	}
	l.hold(shape+"["+key+"]", container{node: v, group: group, name: name})
	return true
}

// isList reports an array that holds nothing but objects.
func (l *List) isList(v int) bool {
	if l.nodes[v].kind != array {
		return false
	}
	for e := l.first(v); e < l.after(v); e = l.after(e) {
		if l.nodes[e].kind != object {
			return false
		}
	}
	return true
}

// likeness scores how much the objects of an array look like features:
// 0 not at all, 1 they have a text, 2 they have a state.
func (l *List) likeness(v int) int {
	if !l.isList(v) || l.size(v) == 0 {
		return 0
	}
	return l.featureLike(l.first(v))
}

func (l *List) featureLike(obj int) int {
	score := 0
	l.each(obj, func(k, v int) {
		switch key := l.text(k); {
		case isStateKey(key):
			score = 2
		case score == 0 && rankOf(key, textKeys) >= 0:
			score = 1
		}
	})
	return score
}

// grouped takes a container whose elements are groups, each with a list of
// its own. only restricts the key that the list may have: an element of a
// list of features may hold lists of other things.
func (l *List) grouped(n int, shape, only string) bool {
	kept := len(l.containers)
	l.each(n, func(k, g int) {
		if l.nodes[g].kind != object {
			return
		}
		name := l.groupName(k, g)
		if only != "" {
			if v := l.member(g, only); v >= 0 && (l.nodes[v].kind == array && l.isList(v) || l.nodes[v].kind == object) {
				l.under(g, only, shape, g, name)
			}
			return
		}
		l.inObject(g, shape, g, name)
	})
	return len(l.containers) > kept
}

func (l *List) groupName(key, g int) string {
	if name := l.word(g, "name", "title", "id", "phase", "epic", "module", "category"); name != "" {
		return name
	}
	if key >= 0 {
		return l.text(key)
	}
	return ""
}

// mapped takes a map of id, or of position, to feature.
func (l *List) mapped(v int, shape string, group int, name string) bool {
	size, objects, numbered := 0, 0, true
	l.each(v, func(k, e int) {
		numbered = numbered && l.text(k) == strconv.Itoa(size)
		size++
		if l.nodes[e].kind == object {
			objects++
		}
	})
	if objects == 0 && size > 0 {
		return false
	}
	numbered = numbered && size > 0
	l.hold(shape, container{node: v, group: group, name: name, keyed: !numbered, count: numbered})
	return true
}

// nested looks for a list in the objects below the top, at most depth levels down.
func (l *List) nested(obj int, shape string, depth int) bool {
	found := false
	l.each(obj, func(k, v int) {
		if found || depth == 0 || l.nodes[v].kind != object || meta(l.text(k)) {
			return
		}
		below := shape + "." + l.text(k)
		found = l.under(v, "features", below, -1, "") || l.inGroups(v, below) || l.nested(v, below, depth-1)
	})
	return found
}

func (l *List) inGroups(obj int, shape string) bool {
	for _, key := range groupNames {
		v := l.member(obj, key)
		if v >= 0 && l.grouped(v, shape+bracket(l.nodes[v].kind, key), "") {
			return true
		}
	}
	return false
}

// rootMap takes a top-level map of id, or of position, to feature; members
// that are no objects, and metadata, lie beside the features.
func (l *List) rootMap() bool {
	features, stated, strange := 0, 0, false
	l.each(0, func(k, v int) {
		key := l.text(k)
		if l.nodes[v].kind != object || meta(key) {
			return
		}
		score := l.featureLike(v)
		features++
		strange = strange || score == 0
		if score == 2 || strings.ContainsAny(key, "0123456789") {
			stated++
		}
	})
	if features == 0 || strange || stated == 0 {
		return false
	}
	return l.mapped(0, "object{}", -1, "")
}

// meta reports the keys that hold something about the list.
func meta(key string) bool {
	switch strings.ToLower(key) {
	case "metadata", "meta", "config", "summary", "stats", "statistics", "rules", "status_legend", "statuses",
		"states", "statusdefinitions", "prioritydefinitions", "feature_template", "template", "header", "info":
		return true
	}
	return strings.HasPrefix(key, "_") || strings.HasPrefix(key, "$")
}
