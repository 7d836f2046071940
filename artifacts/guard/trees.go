package guard

import (
	"path"
	"slices"
	"strings"
)

// find runs commands on what it finds, or deletes it.
func find(r *reader, c command) {
	found, except := searched(c.args, c.env.dir, r.home)
	note := func(run func()) {
		n := len(r.writes)
		run()
		for i := range r.writes[n:] {
			r.writes[n+i].Except = append(r.writes[n+i].Except, except...)
		}
	}
	for i, a := range c.args {
		switch a {
		case "-delete":
			if strings.Contains(strings.Join(c.args, " "), "-type d") {
				continue // it deletes empty folders
			}
			note(func() {
				for _, f := range found {
					r.add(Write{Path: f, By: "find -delete"})
				}
			})
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X":
			inner := c.args[i+1:]
			if end := slices.IndexFunc(inner, func(w string) bool { return w == ";" || w == "+" }); end >= 0 {
				inner = inner[:end]
			}
			note(func() {
				for _, f := range found {
					v := slices.Clone(inner)
					for n := range v {
						v[n] = strings.ReplaceAll(v[n], "{}", f)
					}
					r.command(v, "", c.env.copy())
				}
			})
		case "-fprint", "-fprintf", "-fls":
			if i+1 < len(c.args) {
				r.write(c.args[i+1], c.env, "find "+a, false)
			}
		}
	}
}

// searched are the paths that find's arguments ask for, and those that they leave out.
func searched(args []string, dir, home string) (found, except []string) {
	starts := []string{"."}
	if n := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") || a == "!" || a == "(" }); n > 0 {
		starts = args[:n]
	} else if n < 0 && len(args) > 0 {
		starts = args
	}
	wild := func(pattern string) string {
		return strings.NewReplacer("*", string(all), string(anyRun), string(all), "?", string(one)).Replace(pattern)
	}
	shallow := false
	var names, paths []string
	for i, a := range args {
		if i+1 >= len(args) {
			break
		}
		value := wild(args[i+1])
		not := i > 0 && (args[i-1] == "!" || args[i-1] == "-not")
		pruned := i+2 < len(args) && args[i+2] == "-prune"
		switch a {
		case "-name", "-iname":
			if not || pruned {
				except = append(except, string(all)+"/"+value)
			} else {
				names = append(names, value)
			}
		case "-path", "-ipath", "-wholename":
			if full := absolute(value, dir, home); not || pruned {
				except = append(except, full)
			} else {
				paths = append(paths, full)
			}
		case "-maxdepth":
			shallow = args[i+1] == "1"
		}
	}
	if len(names) == 0 {
		names = []string{string(all)}
	}
	for _, start := range starts {
		start = absolute(start, dir, home)
		for _, name := range names {
			if found = append(found, start+"/"+name); !shallow {
				found = append(found, start+"/"+string(all)+"/"+name)
			}
		}
	}
	if len(paths) > 0 {
		found = paths
	}
	return found, except
}

// git brings back older states of files in more than one way.
func git(r *reader, c command) {
	args, e := c.args, c.env.copy()
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace"}, args[0]) && len(args) > 1 {
			if args[0] == "-C" {
				e.dir = absolute(args[1], e.dir, r.home)
			}
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	verb, args := args[0], args[1:]
	has := func(flags ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(flags, a) })
	}
	undo := func(names ...string) {
		for _, name := range names {
			name = strings.TrimPrefix(strings.TrimPrefix(name, ":/"), ":(top)")
			name = strings.NewReplacer("*", string(all), string(anyRun), string(all)).Replace(name)
			r.add(Write{Path: absolute(name, e.dir, r.home), Tree: true, Undo: true, By: "git " + verb})
		}
	}
	whole := r.root
	if !below(e.dir, r.root) && !below(r.root, e.dir) {
		whole = e.dir
	}
	switch verb {
	case "checkout":
		if !has("-b", "-B", "--orphan", "-t", "--track") {
			undo(operands(args, "")...)
			undo(afterDashes(args)...)
		}
	case "restore":
		if !has("--staged", "-S") || has("--worktree", "-W", "-SW", "-WS") {
			undo(operands(args, "s")...)
		}
	case "reset":
		if has("--hard", "--merge", "--keep") {
			undo(whole)
		}
	case "stash":
		words := operands(args, "m")
		if len(words) > 0 && words[0] != "push" && words[0] != "save" {
			return
		}
		if paths := afterDashes(args); len(paths) > 0 {
			undo(paths...)
		} else if len(words) > 1 && words[0] == "push" {
			undo(words[1:]...)
		} else {
			undo(whole)
		}
	case "rm", "mv":
		if !has("--cached") {
			for _, a := range operands(args, "") {
				r.write(a, e, "git "+verb, true)
			}
		}
	case "clean":
		for _, a := range operands(args, "e") {
			r.write(a, e, "git clean", true)
		}
	case "apply", "am":
		r.add(Write{Code: c.stdin, Dir: e.dir, By: "git " + verb})
	case "checkout-index", "update-index":
		undo(operands(args, "")...)
	}
}

func afterDashes(args []string) []string {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[i+1:]
	}
	return nil
}

// longhaul has verbs that are a person's.
func longhaul(r *reader, c command) {
	words := operands(c.args, "")
	for i, a := range c.args {
		if (a == "--project" || a == "-project") && i+1 < len(c.args) {
			words = slices.DeleteFunc(words, func(w string) bool { return w == c.args[i+1] })
		}
	}
	if len(words) == 0 {
		return
	}
	switch words[0] {
	case "accept", "waive", "restore", "config":
		r.add(Write{Verb: words[0]})
	case "install":
		if slices.Contains(c.args, "--uninstall") || slices.Contains(c.args, "-uninstall") {
			r.add(Write{Verb: "install --uninstall"})
		}
	}
}

// goRun is go run …/longhaul VERB, and gofmt's like.
func goRun(r *reader, c command) {
	words := operands(c.args, "")
	if len(words) > 2 && words[0] == "run" {
		name, _, _ := strings.Cut(path.Base(words[1]), "@")
		if name == "longhaul" {
			longhaul(r, command{name: name, args: words[2:], stdin: c.stdin, env: c.env})
		}
	}
}
