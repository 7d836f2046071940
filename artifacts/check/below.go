package check

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// A Call is a file that a check leaves the proof to: a script of the project, a script of package.json, a rule of a makefile.
type Call struct {
	// Files are the names under which the file may be found, the first that is there counts. They are relative to where the
	// check runs and hold slashes.
	Files []string
	// Dir is the folder where what the file says runs, from where the check runs.
	Dir string
	// Name is the script of package.json or the target of the makefile, "" its first.
	Name string

	kind     below
	errexit  bool
	direct   bool // started by its first line
	optional bool // a missing script is no failure
}

type below int8

const (
	file below = iota
	packageScript
	makeRule
)

// Below are the files that decide how a check ends: those its tests call, or where no test is known by name, what else it
// calls. Files outside the folder of the check's project are the caller's to leave out.
func Below(line string) (calls []Call) {
	cmds := commands(line)
	level := idle
	for _, c := range cmds {
		level = max(level, nameKind(c.words))
	}
	for _, c := range cmds {
		if k := nameKind(c.words); k < level && !slices.Contains(shells, path.Base(c.words[0])) {
			continue
		}
		if call, ok := c.below(); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

func (c command) below() (call Call, ok bool) {
	name, args := path.Base(c.words[0]), c.words[1:]
	if slices.Contains(c.words, unknown) && name != "make" {
		return call, false
	}
	switch name {
	case "npm", "pnpm", "yarn", "bun":
		return c.packageCall(name, args)
	case "make", "gmake":
		return c.makeCall(args)
	case ".", "source":
		if len(args) > 0 {
			return Call{Files: []string{path.Join(c.dir, args[0])}, Dir: c.dir}, true
		}
		return call, false
	}
	if slices.Contains(shells, name) {
		for i, w := range args {
			if strings.HasPrefix(w, "-") && len(w) > 1 {
				if strings.Contains(w, "c") {
					return call, false
				}
				call.errexit = call.errexit || w[1] != '-' && strings.Contains(w, "e")
				continue
			}
			if i > 0 && strings.HasSuffix(args[i-1], "o") { // -o NAME
				call.errexit = call.errexit || w == "errexit"
				continue
			}
			call.Files, call.Dir = []string{path.Join(c.dir, w)}, c.dir
			return call, true
		}
		return call, false
	}
	if strings.Contains(c.words[0], "/") && !path.IsAbs(c.words[0]) {
		return Call{Files: []string{path.Join(c.dir, c.words[0])}, Dir: c.dir, direct: true}, true
	}
	return call, false
}

func (c command) packageCall(name string, args []string) (call Call, ok bool) {
	dir, verb := c.dir, ""
	call.kind = packageScript
	for i := 0; i < len(args); i++ {
		w := args[i]
		flag, value, given := strings.Cut(w, "=")
		switch {
		case w == "--":
			i = len(args)
		case slices.Contains([]string{"--prefix", "-C", "--dir", "--cwd"}, flag):
			if !given && i+1 < len(args) {
				i++
				value = args[i]
			}
			dir = path.Join(dir, value)
		case slices.Contains([]string{"-w", "--workspace", "--workspaces", "-ws", "-r", "--recursive", "--filter", "-F", "workspace", "workspaces", "-A", "--all"}, flag):
			return call, false
		case w == "--if-present":
			call.optional = true
		case strings.HasPrefix(w, "-"):
		case verb == "":
			verb = w
			if slices.Contains([]string{"run", "run-script", "rum"}, w) {
				continue
			}
			if name == "npm" || name == "pnpm" {
				if !slices.Contains([]string{"test", "t", "tst"}, w) {
					return call, false
				}
				w = "test"
			}
			if name == "bun" || slices.Contains(installer, w) {
				return call, false
			}
			call.Name = w
		case call.Name == "":
			call.Name = w
		}
	}
	call.Files, call.Dir = []string{path.Join(dir, "package.json")}, dir
	return call, call.Name != ""
}

func (c command) makeCall(args []string) (call Call, ok bool) {
	dir := c.dir
	call.kind = makeRule
	for i := 0; i < len(args); i++ {
		w := args[i]
		value := func(short, long string) (string, bool) {
			switch {
			case (w == short || w == long) && i+1 < len(args):
				i++
				return args[i], true
			case strings.HasPrefix(w, long+"="):
				return w[len(long)+1:], true
			case strings.HasPrefix(w, short) && len(w) > len(short) && !strings.HasPrefix(w, "--"):
				return w[len(short):], true
			}
			return "", false
		}
		if v, is := value("-C", "--directory"); is {
			dir = path.Join(dir, v)
		} else if v, is := value("-f", "--file"); is {
			call.Files = []string{v}
		} else if _, is := value("-j", "--jobs"); is || strings.HasPrefix(w, "-") || strings.Contains(w, "=") || w == unknown {
			continue
		} else if call.Name == "" || testName().MatchString(split(w)) && !testName().MatchString(split(call.Name)) {
			call.Name = w
		}
	}
	if len(call.Files) == 0 {
		call.Files = []string{"GNUmakefile", "makefile", "Makefile"}
	}
	call.Dir = dir
	for i, f := range call.Files {
		call.Files[i] = path.Join(dir, f)
	}
	return call, true
}

// String names the file's part, for a message.
func (c Call) String() string {
	name := path.Base(c.Files[len(c.Files)-1])
	switch c.kind {
	case packageScript:
		return "the script " + c.Name + " of " + name
	case makeRule:
		return "the rule " + c.Name + " of " + name
	}
	return name
}

// Judge says what in a file hides a failure or runs no test, "" when nothing does or the file is none that can be judged. The
// text is what the file leaves the proof to in turn.
func (c Call) Judge(data []byte) (why, text string) {
	switch c.kind {
	case packageScript:
		var p struct{ Scripts map[string]string }
		if json.Unmarshal(data, &p) != nil {
			return "", ""
		}
		text, found := p.Scripts[c.Name]
		if !found {
			if c.optional {
				return "it is not there, and --if-present makes that no failure", ""
			}
			return "", ""
		}
		return judge(text, true), text
	case makeRule:
		return judgeRule(string(data), c.Name)
	}
	text = string(data)
	if strings.ContainsRune(text, 0) {
		return "", ""
	}
	first, _, _ := strings.Cut(text, "\n")
	if interpreter, ok := strings.CutPrefix(first, "#!"); ok {
		words := strings.Fields(interpreter)
		if len(words) > 1 && path.Base(words[0]) == "env" {
			words = dropFlags(words[1:], "")
		}
		if len(words) == 0 || !slices.Contains(shells, path.Base(words[0])) {
			if c.direct {
				return "", ""
			}
			words = nil
		}
		for _, w := range words {
			c.errexit = c.errexit || c.direct && strings.HasPrefix(w, "-") && strings.Contains(w, "e")
		}
	}
	if c.errexit {
		text = "set -e\n" + text
	}
	if why = MaskedScript(text); why == "" {
		why = Unrun(text)
	}
	return why, text
}

// judge is for what is a check in all but its place.
func judge(text string, whole bool) (why string) {
	if why = masked(text, whole, false); why == "" {
		why = Unrun(text)
	}
	return why
}
