package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An attempt is a way to change a protected file past the tools.
type attempt struct {
	what, command string
	caught        bool
	needs         string // a program without which the command can't be tried
}

// attempts are tried in a project of the layout claude. Those that are not caught are run.
var attempts = []attempt{
	{"`sed -i`", `sed -i 's/false/true/' .claude/features.json`, true, ""},
	{"`sed -i`, other spellings", `sed -E --in-place=.bak s/a/b/ ./.claude/../.claude/features.json`, true, ""},
	{"redirect", `echo '{}' > .claude/features.json`, true, ""},
	{"appending redirect", `echo '{"kind":"pass"}' >> .harness/ledger.jsonl`, true, ""},
	{"redirect alone", `: >| .claude/features.json`, true, ""},
	{"heredoc", "cat > .claude/features.json <<'EOF'\n{\"features\":[]}\nEOF", true, ""},
	{"`tee`", `jq . .claude/features.json | tee .claude/features.json`, true, ""},
	{"`jq`, then `mv`", `jq '.features[0].passes=true' .claude/features.json > tmp && mv tmp .claude/features.json`, true, ""},
	{"`jq` and `sponge`", `jq . .claude/features.json | sponge .claude/features.json`, true, ""},
	{"`cp`", `cp /tmp/list.json .claude/features.json`, true, ""},
	{"`cp` into the folder", `cp /tmp/features.json .claude/`, true, ""},
	{"`mv` of the folder", `mv .harness old`, true, ""},
	{"`rm`", `rm -f .harness/ledger.jsonl`, true, ""},
	{"`rm` of a folder", `rm -rf .claude`, true, ""},
	{"`rm` by pattern", `rm .claude/*.json`, true, ""},
	{"`rm` of the record of claims", `rm -rf .git/longhaul`, true, ""},
	{"patterns in names of folders", `cd .git && cd ../.cl*e && sed -i s/a/b/ f*.json`, true, ""},
	{"`ln`, to write through the link later", `ln .claude/features.json list.json`, true, ""},
	{"braces", `rm .claude/{features,x}.json`, true, ""},
	{"`git checkout`", `git checkout HEAD~1 -- .claude/features.json`, true, ""},
	{"`git checkout .`", `git checkout -- .`, true, ""},
	{"`git restore`", `git restore --source=HEAD~1 .claude`, true, ""},
	{"`git reset --hard`", `git reset --hard HEAD~1`, true, ""},
	{"`git stash`", `git stash`, true, ""},
	{"`git rm`, `git mv`", `git mv .claude/features.json features.json`, true, ""},
	{"`git apply` of a heredoc", "git apply <<'EOF'\n--- a/.claude/features.json\n+++ b/.claude/features.json\nEOF", true, ""},
	{"`python -c`", `python3 -c "import json; d=json.load(open('.claude/features.json')); json.dump(d, open('.claude/features.json','w'))"`, true, ""},
	{"`python` from a heredoc", "python3 - <<'EOF'\nfrom pathlib import Path\nPath('.claude/features.json').write_text('{}')\nEOF", true, ""},
	{"`node -e`", `node -e "require('fs').writeFileSync('.claude/features.json', '{}')"`, true, ""},
	{"`perl -i`", `perl -pi -e 's/false/true/' .claude/features.json`, true, ""},
	{"`perl -e`", `perl -e 'open(F, ">", ".claude/features.json"); print F "{}"'`, true, ""},
	{"`ruby -e`", `ruby -e "File.write('.claude/features.json', '{}')"`, true, ""},
	{"`awk`", `awk '{print > ".claude/features.json"}' other`, true, ""},
	{"`dd`", `dd if=/dev/null of=.claude/features.json`, true, ""},
	{"`truncate`", `truncate -s 0 .harness/ledger.jsonl`, true, ""},
	{"`ln -sf`", `ln -sf /tmp/list.json .claude/features.json`, true, ""},
	{"`ed`, `vim`", `printf '1d\nw\nq\n' | ed .claude/features.json`, true, ""},
	{"`patch`", `patch .claude/features.json < change.diff`, true, ""},
	{"`curl -o`", `curl -so .claude/features.json http://127.0.0.1/list`, true, ""},
	{"a flag that rewrites", `prettier --write .claude/features.json`, true, ""},
	{"`cd`, then a relative name", `cd .claude && sed -i s/a/b/ features.json`, true, ""},
	{"variable", `F=.claude/features.json; sed -i s/a/b/ "$F"`, true, ""},
	{"folder in a variable that is not known", `echo > "$DIR/features.json"`, true, ""},
	{"the policy in such a folder", `rm -rf "$ROOT/.harness"`, true, ""},
	{"substitution", `rm "$(git rev-parse --show-toplevel)/.claude/features.json"`, true, ""},
	{"`eval`", `eval "rm .claude/features.json"`, true, ""},
	{"`bash -c`", `bash -c 'cd .claude; rm features.json'`, true, ""},
	{"text piped into `bash`", `echo "rm .claude/features.json" | bash`, true, ""},
	{"function", `f() { rm "$1"; }; f .claude/features.json`, true, ""},
	{"loop", `for f in .claude/*.json; do sed -i s/a/b/ "$f"; done`, true, ""},
	{"`find -exec`", `find . -name features.json -exec sed -i s/a/b/ {} \;`, true, ""},
	{"`find -delete`", `find .claude -type f -delete`, true, ""},
	{"`find` and `xargs`", `find . -name '*.json' | xargs sed -i s/a/b/`, true, ""},
	{"`xargs`", `echo .claude/features.json | xargs rm`, true, ""},
	{"wrappers", `sudo env A=1 nohup timeout 5 rm .claude/features.json`, true, ""},
	{"in the background, in a condition", `if true; then (sleep 1; rm .claude/features.json) & fi`, true, ""},
	{"`longhaul accept`", `yes | script -qc "longhaul accept" /dev/null`, true, ""},
	{"`longhaul config set`", `longhaul config set policy.require_check false`, true, ""},
	{"`longhaul waive`", `python3 -c "import pty; pty.spawn(['longhaul', 'waive', 'F001', '--reason', 'x'])"`, true, ""},

	{"a script written first", "printf 'sed -i s/greeting/meeting/ .claude/features.json' > /tmp/LONGHAUL.sh; sh /tmp/LONGHAUL.sh", false, ""},
	{"a program with the name as its argument", "printf 'sed -i s/greeting/meeting/ \"$1\"' > edit.sh; chmod +x edit.sh; ./edit.sh .claude/features.json", false, ""},
	{"a name put together by a program", `sed -i s/greeting/meeting/ "$(printf '.claude/fea%s.json' tures)"`, false, ""},
	{"a name put together in python", `python3 -c "p='.claude/feat'+'ures.json'; s=open(p).read(); open(p,'w').write(s.replace('greeting','meeting'))"`, false, "python3"},
	{"names that another program finds", `grep -rl greeting . --include='*.json' | xargs sed -i s/greeting/meeting/`, false, ""},
	{"names read from a file", "echo .claude/features.json > names; while read -r f; do sed -i s/greeting/meeting/ \"$f\"; done < names", false, ""},
	{"a variable set in a command before", `sed -i s/greeting/meeting/ "$LIST"`, false, ""},
	{"a folder copied over", `mkdir -p x/.claude && sed s/greeting/meeting/ .claude/features.json > x/.claude/features.json && tar cf x.tar -C x .claude && tar xf x.tar`, false, ""},
	{"`git` with an alias", `git -c alias.back='checkout HEAD~1 --' back .claude`, false, ""},
}

// hook answers an event with the real binary.
func (y *yard) hook(event string, input any) (answer hookOutput, raw string) {
	y.Helper()
	data, err := json.Marshal(input)
	if err != nil {
		y.Fatal(err)
	}
	cmd := exec.Command(y.program, "hook", event)
	cmd.Dir, cmd.Env, cmd.Stdin = y.dir, y.env, bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		y.Fatalf("hook %s: %v", event, err)
	}
	if len(out) > 0 {
		if err := json.Unmarshal(out, &answer); err != nil {
			y.Fatalf("hook %s printed %q: %v", event, out, err)
		}
	}
	return answer, string(out)
}

func (y *yard) refused(command string) bool {
	y.Helper()
	input := map[string]any{"session_id": "a", "cwd": y.dir, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]string{"command": command}}
	answer, _ := y.hook("pre-tool-use", input)
	return answer.Specific != nil && answer.Specific.Decision == "deny"
}

// TestShellEdits measures which edits by a shell the hook stops. Those that it does not are run, and the seals must show them.
func TestShellEdits(t *testing.T) {
	y := newYard(t, true)
	y.must("harness_init", `{"project":"yard","type":"cli","commit":true,"features":[{"description":"A greeting is printed on call","steps":["print it"]}]}`)
	y.must("next_feature", `{"id":"F001"}`)
	y.must("mark_feature_passed", `{"id":"F001","evidence":["Printed the greeting, the line came out"]}`)
	y.write("greet.txt", "hello\n")
	y.must("commit", `{"message":"a greeting is printed"}`)
	y.env = append(y.env, "LIST=.claude/features.json")
	y.keep()
	rows := ""
	for _, a := range attempts {
		got := y.refused(a.command)
		if got != a.caught {
			t.Errorf("%s: refused %v, want %v: %s", a.what, got, a.caught, a.command)
		}
		verdict := "stopped"
		if !a.caught {
			verdict = "**not stopped**; shown at the next call"
		}
		rows += fmt.Sprintf("| %s | `%s` | %s |\n", a.what, strings.NewReplacer("\n", "⏎", "|", `\|`).Replace(a.command), verdict)
		if _, err := exec.LookPath(a.needs); a.caught || a.needs != "" && err != nil {
			continue
		}
		y.shown(a)
	}
	generated(t, "docs/hooks.md", "| attempt | for example | with the hook |\n|---|---|---|\n"+rows)
}

// shown runs an attempt and wants the harness to show it.
func (y *yard) shown(a attempt) {
	y.Helper()
	y.restore()
	script := filepath.Join(y.top, "script.sh")
	cmd := exec.Command("bash", "-c", strings.ReplaceAll(a.command, "/tmp/LONGHAUL.sh", script))
	cmd.Dir, cmd.Env = y.dir, y.env
	if out, err := cmd.CombinedOutput(); err != nil {
		y.Fatalf("%s: %v\n%s", a.what, err, out)
	}
	answer, raw := y.hook("post-tool-use", map[string]any{"session_id": "a", "cwd": y.dir, "tool_name": "Bash", "tool_input": map[string]string{"command": a.command}})
	if answer.Decision != "block" || !strings.Contains(answer.Reason, "tampered: ") {
		y.Errorf("%s: nothing shows it afterwards: %q", a.what, raw)
	}
}

// generated holds the part of a page between its marks against what it must be; -update rewrites it.
func generated(t *testing.T, page, want string) {
	t.Helper()
	const begins, ends = "<!-- generated, see TestShellEdits -->\n", "<!-- /generated -->"
	text := readRoot(t, page)
	before, rest, ok := strings.Cut(text, begins)
	got, after, ended := strings.Cut(rest, ends)
	if !ok || !ended {
		t.Fatalf("%s has no place for the generated part", page)
	}
	if *update {
		if err := os.WriteFile(filepath.Join("..", "..", page), []byte(before+begins+want+ends+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("%s is out of date: run go test ./cmd/longhaul -run TestShellEdits -update\ngot:\n%swant:\n%s", page, got, want)
	}
}

// TestHookOfAServersSession wants the session found that the client's own server holds, and no other client's.
func TestHookOfAServersSession(t *testing.T) {
	y := newYard(t, true)
	y.must("harness_init", `{"project":"yard","type":"cli","commit":true,"features":[{"description":"A greeting is printed on call","steps":["print it"]}]}`)
	y.must("session_end", `{"next_steps":["build it"]}`)
	input := map[string]any{"session_id": "a", "cwd": y.dir, "stop_hook_active": false}

	// A client of its own: a shell that starts a server and, beside it, hooks.
	request := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"session_start","arguments":{"run_init":false}}}`
	script := `
coproc SERVER { exec "$PROGRAM" serve; }
printf '%s\n' "$REQUEST" >&"${SERVER[1]}"
read -r reply <&"${SERVER[0]}"
echo hello > greet.txt
"$PROGRAM" hook stop < "$INPUT"
echo
read -r go
server=$SERVER_PID
kill "$server"
wait "$server"
"$PROGRAM" hook stop < "$INPUT"
"$PROGRAM" hook session-end < "$INPUT"
`
	data, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(y.top, "input.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	client := exec.Command("bash", "-c", script)
	client.Dir = y.dir
	client.Env = append(slices.Clone(y.env), "PROGRAM="+y.program, "REQUEST="+request, "INPUT="+file)
	door, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	output := bufio.NewReader(said)
	line, err := output.ReadString('\n')
	_, foreign := y.hook("stop", input)
	_ = door.Close()
	rest, restErr := io.ReadAll(output)
	if ended := client.Wait(); err != nil || restErr != nil || ended != nil {
		t.Fatalf("the client ended with %v, its output with %v, %v", ended, err, restErr)
	}
	var own hookOutput
	if err := json.Unmarshal([]byte(line), &own); err != nil || own.Decision != "block" {
		t.Errorf("the hook beside the server answered %q, %v", line, err)
	}
	if foreign != "" {
		t.Errorf("the hook of another client answered %q", foreign)
	}
	if strings.TrimSpace(string(rest)) != "" {
		t.Errorf("held without a server: %q", rest)
	}
	if log := y.read(".claude/progress.md"); !strings.Contains(log, "Not committed: greet.txt") {
		t.Errorf("no hand-over after the server's end:\n%s", log)
	}
}

// TestHookInputOfAnySize wants large inputs judged, and those beyond the limit let through.
func TestHookInputOfAnySize(t *testing.T) {
	y := newYard(t, true)
	y.must("harness_init", `{"project":"yard","type":"cli","features":[{"description":"A greeting is printed on call","steps":["print it"]}]}`)
	write := func(size int) map[string]any {
		return map[string]any{"cwd": y.dir, "tool_name": "Write", "tool_input": map[string]string{
			"content": strings.Repeat("x", size), "file_path": filepath.Join(y.dir, ".claude", "features.json")}}
	}
	if answer, _ := y.hook("pre-tool-use", write(4<<20)); answer.Specific == nil {
		t.Error("4 MB into the list were let through")
	}
	if _, raw := y.hook("pre-tool-use", write(maxHookInput)); raw != "" {
		t.Errorf("an input over the limit was answered with %.100q", raw)
	}
	command := "cat > .claude/features.json <<'EOF'\n" + strings.Repeat(`{"description":"if it is done in time"}`+"\n", 20000) + "EOF"
	if !y.refused(command) {
		t.Error("a long heredoc into the list was let through")
	}
}
