package guard

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// A command is a simple command with its words known: what it is called, its arguments, what it reads.
type command struct {
	name  string
	args  []string
	stdin string
	env   *env
}

// command notes what one simple command writes.
func (r *reader) command(v []string, stdin string, e *env) {
	if r.steps++; r.deep() || len(v) == 0 {
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	c := command{name: strings.TrimSuffix(path.Base(slashes(v[0])), ".exe"), args: v[1:], stdin: stdin, env: e}
	if body, ok := r.functions[v[0]]; ok {
		inner := e.copy()
		inner.args = c.args
		for i, a := range c.args {
			inner.vars[strconv.Itoa(i+1)] = []string{a}
		}
		r.stmt(body, inner)
		return
	}
	if inner, ok := unwrapped(c); ok {
		r.command(inner, stdin, e)
		return
	}
	if follow, ok := r.commands[c.name]; ok {
		follow(r, c)
	} else if inPlace().MatchString(strings.Join(c.args, "\n")) {
		r.operands(c, false)
	}
}

// commands are the programs that are known to write, change the folder, or run something else.
func commands() map[string]func(*reader, command) {
	t := map[string]func(*reader, command){
		"cd": cd, "pushd": cd, "eval": eval, "find": find, "fd": find, "xargs": xargs, "parallel": xargs, "git": git, "longhaul": longhaul, "go": goRun,
		"dd": dd, "sed": sed, "gsed": sed, "tar": tar, "bsdtar": tar, "curl": output, "wget": output, "sort": output, "script": script, "su": script,
		"patch": patch, "apply_patch": patch, "trap": trap, "watch": watch, "flock": flock, "export": assigns, "read": func(*reader, command) {},
	}
	for _, name := range strings.Fields("tee truncate shred unlink sponge ed ex vi vim nvim nano emacs dos2unix unix2dos gzip bzip2 xz split chattr install ln") {
		t[name] = func(r *reader, c command) { r.operands(c, false) }
	}
	for _, name := range strings.Fields("rm rmdir trash del") {
		t[name] = func(r *reader, c command) { r.operands(c, true) }
	}
	for _, name := range strings.Fields("cp mv rsync scp ln install gcp gmv ditto") {
		t[name] = transfer
	}
	for _, name := range strings.Fields("sh bash zsh dash ksh fish") {
		t[name] = shell
	}
	for _, name := range strings.Fields("python python2 python3 perl ruby node nodejs deno bun php lua awk gawk mawk nawk tclsh expect osascript pwsh powershell Rscript julia " +
		"ipython pypy pypy3 tsx ts-node elixir groovy jshell raku guile sqlite3 jq") {
		t[name] = interpreter
	}
	return t
}

// inPlace are the flags with which many programs rewrite the files they are given.
var inPlace = pattern.Lazy(`(?m)^(-i|-w|--in-?place.*|--write|--fix|--overwrite)$`)

func (r *reader) operands(c command, tree bool) {
	for _, a := range operands(c.args, "") {
		r.write(a, c.env, c.name, tree)
	}
}

// operands leaves the flags out. Those in with take a value, which is left out too.
func operands(args []string, with string) (out []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return append(out, args[i+1:]...)
		case len(a) > 1 && a[0] == '-':
			if len(a) == 2 && strings.IndexByte(with, a[1]) >= 0 {
				i++
			}
		case a != "-":
			out = append(out, a)
		}
	}
	return out
}

// wrappers run the command that follows. The text names the flags that take a value, then how many words come before it.
var wrappers = map[string]struct {
	with string
	skip int
}{
	"command": {}, "builtin": {}, "exec": {"a", 0}, "env": {"uCS", 0}, "nice": {"n", 0}, "nohup": {}, "time": {"fo", 0}, "timeout": {"ks", 1}, "gtimeout": {"ks", 1},
	"stdbuf": {"ioe", 0}, "sudo": {"ugChpTD", 0}, "doas": {"uC", 0}, "setsid": {}, "ionice": {"cnp", 0}, "unbuffer": {}, "busybox": {}, "toybox": {}, "npx": {"p", 0},
	"caffeinate": {"tw", 0}, "noglob": {}, "chronic": {}, "strace": {"eop", 0}, "rtk": {},
}

func unwrapped(c command) (inner []string, ok bool) {
	w, ok := wrappers[c.name]
	if !ok {
		return nil, false
	}
	rest, skip := c.args, w.skip
	for len(rest) > 0 {
		switch a := rest[0]; {
		case len(a) > 1 && a[0] == '-':
			if len(a) == 2 && strings.IndexByte(w.with, a[1]) >= 0 && len(rest) > 1 {
				rest = rest[1:]
			}
		case (c.name == "env" || c.name == "sudo" || c.name == "doas") && strings.Contains(a, "="):
		case skip > 0:
			skip--
		default:
			return rest, true
		}
		rest = rest[1:]
	}
	return nil, true
}

func cd(r *reader, c command) {
	to := operands(c.args, "")
	was := c.env.dir
	switch {
	case slices.Contains(c.args, "-"):
		c.env.dir = c.env.before
	case len(to) == 0:
		c.env.dir = r.home
	default:
		c.env.dir = absolute(to[0], c.env.dir, r.home)
	}
	c.env.before = was
}

func assigns(_ *reader, c command) {
	for _, a := range c.args {
		if name, value, ok := strings.Cut(a, "="); ok {
			c.env.set(name, []string{value})
		}
	}
}

func eval(r *reader, c command) { r.script(strings.Join(c.args, " "), c.env) }

func trap(r *reader, c command) {
	if words := operands(c.args, ""); len(words) > 0 {
		r.script(words[0], c.env.copy())
	}
}

func watch(r *reader, c command) {
	r.script(strings.Join(operands(c.args, "n"), " "), c.env.copy())
}

// flock runs a command, or a text after -c, under a lock.
func flock(r *reader, c command) {
	if words := operands(c.args, "wE"); len(words) > 1 {
		r.command(words[1:], c.stdin, c.env.copy())
	}
	r.texts(c)
}

// script and su run the text after -c.
func script(r *reader, c command) { r.texts(c) }

// texts follows what stands behind -c as a shell text.
func (r *reader) texts(c command) bool {
	found := false
	for i, a := range c.args {
		if short := len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.HasSuffix(a, "c"); (short || a == "--command") && i+1 < len(c.args) {
			found = true
			inner := c.env.copy()
			inner.args = c.args[min(i+3, len(c.args)):]
			for n, arg := range c.args[i+2:] {
				inner.vars[strconv.Itoa(n)] = []string{arg}
			}
			r.script(c.args[i+1], inner)
		}
	}
	return found
}

func shell(r *reader, c command) {
	if !r.texts(c) && len(operands(c.args, "oO")) == 0 {
		r.script(c.stdin, c.env.copy())
	}
}

// transfer is cp, mv and their like: the last operand is written, or what lands in it; mv takes its sources away.
func transfer(r *reader, c command) {
	words := operands(c.args, "mogSZ")
	to := ""
	for i, a := range c.args {
		if value, ok := strings.CutPrefix(a, "--target-directory="); ok {
			to = value
		} else if a == "-t" && i+1 < len(c.args) && c.name != "rsync" {
			to = c.args[i+1]
			words = slices.DeleteFunc(words, func(w string) bool { return w == to })
		}
	}
	if to == "" && len(words) > 0 {
		to, words = words[len(words)-1], words[:len(words)-1]
	}
	if len(words) == 0 { // ln TARGET
		return
	}
	r.write(to, c.env, c.name, c.name == "mv" && len(words) == 1)
	for _, from := range words {
		base := path.Base(from)
		if strings.HasSuffix(from, "/.") || strings.HasSuffix(from, "/") && c.name == "rsync" {
			if strings.HasPrefix(absolute(to, c.env.dir, r.home), r.root+"/") { // what a copy brings to the project's own folder is not known
				r.write(to, c.env, c.name, true)
			}
		} else {
			r.write(to+"/"+base, c.env, c.name, true)
		}
		if c.name == "mv" || c.name == "gmv" || c.name == "ln" || slices.Contains(c.args, "--remove-source-files") {
			r.write(from, c.env, c.name, true)
		}
	}
}

var sedFlags = pattern.Lazy(`^-[nErszu]*i|^--in-place`)

func sed(r *reader, c command) {
	if slices.ContainsFunc(c.args, sedFlags().MatchString) {
		for _, a := range operands(c.args, "") {
			r.write(a, c.env, c.name+" -i", false)
		}
		return
	}
	r.code(c, c.args...)
}

func dd(r *reader, c command) {
	for _, a := range c.args {
		if to, ok := strings.CutPrefix(a, "of="); ok {
			r.write(to, c.env, "dd", false)
		}
	}
}

var outputFlag = pattern.Lazy(`^-[a-zA-Z]*[oO]$`)

// output is a program whose flag names the file it writes.
func output(r *reader, c command) {
	for i, a := range c.args {
		switch {
		case i+1 < len(c.args) && (a == "--output" || a == "--output-document" || outputFlag().MatchString(a)):
			r.write(c.args[i+1], c.env, c.name, false)
		case strings.HasPrefix(a, "--output="), strings.HasPrefix(a, "--output-document="):
			_, to, _ := strings.Cut(a, "=")
			r.write(to, c.env, c.name, false)
		case len(a) > 2 && a[0] == '-' && (a[1] == 'o' || a[1] == 'O'):
			r.write(a[2:], c.env, c.name, false)
		}
	}
}

func tar(r *reader, c command) {
	if len(c.args) > 0 && strings.ContainsRune(strings.TrimPrefix(c.args[0], "-"), 'x') || slices.Contains(c.args, "--extract") {
		r.operands(c, true)
	}
}

// patch notes the files it is given by name, and those that the patch names where its text is at hand.
func patch(r *reader, c command) {
	r.operands(c, false)
	r.add(Write{Code: strings.Join(append(c.args, c.stdin), "\n"), Dir: c.env.dir, By: c.name})
}

// code notes a program text.
func (r *reader) code(c command, texts ...string) {
	if text := strings.Join(texts, "\n"); strings.TrimSpace(text) != "" {
		r.add(Write{Code: text, Dir: c.env.dir, By: c.name})
	}
	if verb := personal().FindStringSubmatch(strings.Join(texts, "\n")); verb != nil {
		r.add(Write{Verb: verb[1]})
	}
}

// personal finds a verb of longhaul that is a person's, in a program text.
var personal = pattern.Lazy(`longhaul(?:\.exe)?["']?[\s,]+["']?(accept|waive|restore|config)\b`)

var rewriting = pattern.Lazy(`^-[a-zA-HJ-LN-Z0-9]*i`)

// interpreter is a program that runs a text: given with a flag, as its first operand (awk), or on standard input.
func interpreter(r *reader, c command) {
	inPlace := c.name == "perl" || c.name == "ruby" || c.name == "jq"
	if inPlace && slices.ContainsFunc(c.args, rewriting().MatchString) || slices.Contains(c.args, "inplace") || slices.Contains(c.args, "-iinplace") {
		for _, a := range operands(c.args, "") {
			r.write(a, c.env, c.name+" -i", false)
		}
		return
	}
	if c.name == "jq" {
		return
	}
	texts := slices.Clone(c.args)
	script := slices.IndexFunc(c.args, func(a string) bool { return len(a) > 0 && a[0] != '-' })
	flagged := slices.ContainsFunc(c.args, func(a string) bool { return len(a) > 1 && a[0] == '-' && strings.ContainsAny(a[1:], "ceEprC") })
	if flagged || script < 0 || strings.HasSuffix(c.name, "awk") || slices.Contains(c.args, "-") {
		r.code(c, append(texts, c.stdin)...)
	}
}

// xargs runs its command with the words that come in.
func xargs(r *reader, c command) {
	args, mark := c.args, ""
	words := c.env.words
	if i := slices.Index(args, ":::"); i >= 0 {
		args, words, mark = args[:i], args[i+1:], "{}"
	}
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		flag := args[0]
		args = args[1:]
		switch {
		case flag == "-I" && len(args) > 0:
			mark, args = args[0], args[1:]
		case strings.HasPrefix(flag, "-I"):
			mark = flag[2:]
		case slices.Contains([]string{"-n", "-P", "-d", "-L", "-s", "-E", "-a", "-j"}, flag) && len(args) > 0:
			args = args[1:]
		}
	}
	if len(words) == 0 {
		words = strings.Fields(c.stdin)
	}
	if len(words) == 0 {
		words = []string{string(unknown)}
	}
	for _, w := range words {
		if mark == "" || !slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, mark) }) {
			r.command(append(slices.Clone(args), w), "", c.env.copy())
			continue
		}
		v := slices.Clone(args)
		for i := range v {
			v[i] = strings.ReplaceAll(v[i], mark, w)
		}
		r.command(v, "", c.env.copy())
	}
}
