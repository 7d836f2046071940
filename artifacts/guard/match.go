package guard

import (
	"path"
	"strings"

	"github.com/longhaul-mcp/longhaul/artifacts/pattern"
)

// Marks stand in a path for what a text leaves open.
const (
	anyRun  = '\uE000' // *: within a folder, and no hidden name
	one     = '\uE001' // ? or […]
	all     = '\uE002' // any text, also across folders: what a search or git's own patterns find
	unknown = '\uE003' // any text, because the value is not known
)

func isMark(r rune) bool { return r >= anyRun && r <= unknown }

func slashes(p string) string {
	if len(p) > 1 && p[1] == ':' || strings.HasPrefix(p, `\\`) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

// absolute joins a path to the folder it is relative to and takes out "." and "..".
func absolute(p, dir, home string) string {
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		p = home + p[1:]
	case strings.HasPrefix(p, "/") || len(p) > 1 && p[1] == ':' || strings.HasPrefix(p, string(unknown)+"/"):
	default:
		p = dir + "/" + p
	}
	if strings.HasPrefix(p, string(unknown)) {
		return strings.TrimPrefix(path.Clean("/"+p), "/")
	}
	return path.Clean(p)
}

// tells says whether a pattern says enough: one of an unknown place must at least end in a name.
func tells(pattern string) bool {
	return !strings.ContainsRune(pattern, unknown) || pattern != "" && !strings.ContainsFunc(path.Base(pattern), isMark)
}

// below says whether a pattern matches a path or a folder above it.
func below(pattern, file string) bool {
	for p := file; ; p = path.Dir(p) {
		if match(pattern, p) {
			return true
		}
		if p == path.Dir(p) {
			return false
		}
	}
}

// match holds a path against a pattern.
func match(pattern, file string) bool {
	if !strings.ContainsFunc(pattern, isMark) {
		return pattern == file
	}
	text := []rune(file)
	reach := make([]bool, len(text)+1) // which ends of text the pattern so far can lead to
	reach[0] = true
	for _, r := range pattern {
		next := make([]bool, len(text)+1)
		for i, ok := range reach {
			if !ok {
				continue
			}
			switch r {
			case anyRun, all, unknown:
				for j := i; ; j++ {
					next[j] = true
					hidden := j < len(text) && text[j] == '.' && j == i && j > 0 && text[j-1] == '/'
					if j == len(text) || r == anyRun && (text[j] == '/' || hidden) {
						break
					}
				}
			case one:
				if i < len(text) && text[i] != '/' {
					next[i+1] = true
				}
			default:
				if i < len(text) && text[i] == r {
					next[i+1] = true
				}
			}
		}
		reach = next
	}
	return reach[len(text)]
}

// mentions says whether a program text names a file: by its path, or by its name where its folder is named too or is where the
// program runs.
func mentions(code, root, dir, file string) bool {
	rel, inside := strings.CutPrefix(file, root+"/")
	if strings.Contains(code, file) || inside && strings.Contains(code, rel) && strings.Contains(rel, "/") {
		return true
	}
	name := path.Base(file)
	at := strings.Index(code, name)
	if at < 0 || at > 0 && wordByte(code[at-1]) {
		return false
	}
	folder := path.Dir(file)
	return dir == folder || folder == root && !strings.HasSuffix(code[:at], "/") || strings.Contains(code, path.Base(folder)) && folder != root
}

func wordByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// changing finds what programs of the usual languages write with.
var changing = pattern.Lazy(`(?i)` + strings.Join([]string{
	`open\s*\([^)]*["'](\+?[<>]|[rbt]*[wax+])`, `mode\s*=\s*["'][rbt]*[wax+]`, `\.open\(\s*["'][rbt]*[wax+]`, `["']>>?\s*["']?`,
	`write_?(text|bytes|lines|string|file|all|sync|stream|json)`, `\.write\b`, `\bwrite\(`, `\bdump\(`, `append_?file`, `create_?write_?stream`, `put_contents`,
	`copy_?file`, `rename`, `unlink`, `\brm(sync|tree|dir)?\b`, `os\.(remove|replace|link|symlink)`, `shutil`, `truncate`, `fs\.cp`, `\binplace\b`, `sed -i`, `\btee\b`,
	`\bsystem\b`, `subprocess`, `popen`, `exec(file)?(sync)?\(`, `spawn`, `>\s*\S*\.(json|jsonl|md)`, `\bw\s+\S+\.(json|jsonl|md)`, `set-content`, `out-file`,
	`(?m)^\+\+\+ `, `\*\*\* (update|delete|add) file`,
}, "|"))

func writing(code string) bool {
	code = strings.NewReplacer("stdout.write", "", "stderr.write", "").Replace(code)
	return changing().MatchString(code)
}
