package history

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/object"
)

// settings are the user's and the repository's, weakest first, without included files.
func (r *Repo) settings() []setting {
	var all []setting
	for _, file := range r.settingFiles() {
		if found, err := settingsOf(file); err == nil {
			all = append(all, found...)
		}
	}
	return all
}

func (r *Repo) settingFiles() []string {
	var files []string
	if system := os.Getenv("GIT_CONFIG_SYSTEM"); system != "" {
		files = append(files, system)
	} else if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		files = append(files, "/etc/gitconfig")
	}
	home, _ := os.UserHomeDir()
	switch global, xdg := os.Getenv("GIT_CONFIG_GLOBAL"), os.Getenv("XDG_CONFIG_HOME"); {
	case global != "":
		files = append(files, global)
	case xdg != "":
		files = append(files, filepath.Join(xdg, "git", "config"), filepath.Join(home, ".gitconfig"))
	default:
		files = append(files, filepath.Join(home, ".config", "git", "config"), filepath.Join(home, ".gitconfig"))
	}
	files = append(files, filepath.Join(r.commonDir, "config"))
	if slices.Contains(r.format.extensions, "worktreeconfig=true") {
		files = append(files, filepath.Join(r.gitDir, "config.worktree"))
	}
	return files
}

// setting is the value that holds, "" when there is none.
func (r *Repo) setting(name string) (value string) {
	for _, s := range r.settings() {
		if s.name == name {
			value = s.value
		}
	}
	return value
}

// readable refuses formats that go-git does not read.
func (r *Repo) readable() error {
	if !r.format.native() {
		return r.needsProgram("its storage format")
	}
	return nil
}

// harmless are the extensions of a repository's format that change nothing of what is written here.
var harmless = []string{"noop=", "worktreeconfig=", "partialclone=", "preciousobjects=", "relativeworktrees=", "objectformat=sha1", "refstorage=files"}

// writable refuses a commit without a git program where git would do more than write the bytes.
func (r *Repo) writable(ctx context.Context, files named) error {
	if err := r.readable(); err != nil {
		return err
	}
	for _, e := range r.format.extensions {
		if !slices.ContainsFunc(harmless, func(h string) bool { return strings.HasPrefix(e, h) }) {
			return r.needsProgram("its extension " + e)
		}
	}
	if !ownedByUs(r.gitDir) {
		return &Error{Code: "unsafe-project", Text: r.root + " belongs to somebody else"}
	}
	for _, s := range r.settings() {
		if why := special(s); why != "" {
			return r.needsProgram(why)
		}
	}
	if hook := r.hook(); hook != "" {
		return r.needsProgram("its hook " + hook)
	}
	ix, err := r.readIndex(ctx)
	if err != nil {
		return err
	}
	for full, e := range ix.names {
		switch {
		case e.conflict:
			return unmerged()
		case e.intent || e.assumed:
			return r.needsProgram("the mark that the index has on " + full)
		case e.gitlink && slices.Contains(files.all, full):
			return r.needsProgram("the submodule " + full)
		}
	}
	return r.plainContent(ix)
}

// special names what a setting would have git do, "" for nothing.
func special(s setting) string {
	if strings.HasPrefix(s.name, "include.") || strings.HasPrefix(s.name, "includeif.") {
		return "settings that include other files"
	}
	switch s.name {
	case "commit.gpgsign", "core.ignorecase", "core.splitindex", "index.sparse":
		if isTrue(s.value) {
			return "the setting " + s.name
		}
	case "core.autocrlf":
		if !strings.EqualFold(s.value, "false") {
			return "the setting " + s.name
		}
	case "core.filemode", "core.symlinks":
		if !isTrue(s.value) {
			return "the setting " + s.name
		}
	case "core.hookspath", "core.sharedrepository", "core.attributesfile", "i18n.commitencoding":
		return "the setting " + s.name
	}
	return ""
}

// hook is a hook that git would run for a commit.
func (r *Repo) hook() string {
	for _, name := range []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction", "post-index-change"} {
		info, err := os.Stat(filepath.Join(r.commonDir, "hooks", name))
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return name
		}
	}
	return ""
}

var converts = regexp.MustCompile(`(?m)^\s*[^#\s].*\s[-!]?(text|crlf|eol|filter|ident|working-tree-encoding)\b`)

// plainContent refuses attributes by which git would store other bytes than the disk has.
func (r *Repo) plainContent(ix *index) error {
	files := []string{filepath.Join(r.commonDir, "info", "attributes"), filepath.Join(r.root, ".gitattributes"), filepath.Join(r.project(), ".gitattributes")}
	for full := range ix.names {
		if strings.HasSuffix(full, "/.gitattributes") {
			files = append(files, r.disk(full))
		}
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if converts.Match(data) {
			return r.needsProgram("the attributes in " + file)
		}
	}
	return nil
}

// identity is who commits, from the environment or the settings.
func (r *Repo) identity(role string) (object.Signature, error) {
	who := object.Signature{Name: os.Getenv("GIT_" + role + "_NAME"), Email: os.Getenv("GIT_" + role + "_EMAIL")}
	section := strings.ToLower(role)
	for _, name := range []string{section + ".name", "user.name"} {
		if who.Name == "" {
			who.Name = strings.TrimSpace(r.setting(name))
		}
	}
	for _, name := range []string{section + ".email", "user.email"} {
		if who.Email == "" {
			who.Email = strings.TrimSpace(r.setting(name))
		}
	}
	if who.Name == "" || who.Email == "" {
		return who, failure(r, &exitError{args: []string{"commit"}, stderr: "Please tell me who you are"})
	}
	return who, nil
}
