package guard

import (
	"encoding/json"
	"strings"
	"testing"
)

var project = Project{Root: "/home/ann/src/greet", Files: []File{
	{Path: "/home/ann/src/greet/.claude/features.json", Kind: List},
	{Path: "/home/ann/src/greet/.harness/ledger.jsonl", Kind: Ledger},
	{Path: "/home/ann/src/greet/.harness/config.json", Kind: Policy},
	{Path: "/home/ann/src/greet/plan.md", Kind: Plan},
	{Path: "/home/ann/src/greet/.git/longhaul", Kind: State, Tree: true},
}}

func call(tool, key, value, dir string) Call {
	input, _ := json.Marshal(map[string]string{key: value})
	return Call{Tool: tool, Input: input, Dir: dir, Home: "/home/ann", Root: project.Root}
}

func judge(c Call) string { return project.Judge(Writes(c)) }

// TestShellAllowed holds what an agent does all day against the guard: none of it may be refused.
func TestShellAllowed(t *testing.T) {
	for line := range strings.Lines(allowed) {
		line = strings.ReplaceAll(strings.TrimSpace(line), "⏎", "\n")
		if line == "" {
			continue
		}
		if why := judge(call("Bash", "command", line, project.Root)); why != "" {
			t.Errorf("%s\nrefused: %s", line, why)
		}
	}
}

const allowed = `
cat .claude/features.json
jq '.features[] | select(.passes == false)' .claude/features.json
jq . .claude/features.json > /tmp/list.json
cp .claude/features.json /tmp/
cp .claude/features.json backup.json
python3 -c "import json; print(len(json.load(open('.claude/features.json'))['features']))"
python3 -c 'import json,sys; d=json.load(open(".claude/features.json")); sys.stdout.write(str(d))'
python3 - <<'EOF'⏎import json⏎for f in json.load(open(".claude/features.json"))["features"]:⏎    print(f["id"].replace("F", ""))⏎EOF
node -e "console.log(require('./.claude/features.json').features.length)"
node -e "const f = require('fs').readFileSync('.claude/features.json','utf8'); console.log(f.length)"
perl -ne 'print if /passes/' .claude/features.json
awk '/passes/ {n++} END {print n}' .claude/features.json
sed -n '1,20p' .claude/features.json
grep -c true .claude/features.json && wc -l .harness/ledger.jsonl
tail -n 5 .harness/ledger.jsonl | jq .kind
git diff .claude/features.json
git status && git log --oneline -5
git add -A && git commit -m "feat: a greeting (F001)"
git add .claude/features.json .harness/ledger.jsonl
git checkout main
git checkout -b feature/features.json
git checkout -- src/app.js
git restore --staged .
git reset HEAD~1
git reset --soft HEAD~1
git stash pop
git stash push -- src
git show HEAD:.claude/features.json | head
git rm --cached .claude/features.json
git clean -fd build
git pull --rebase && git merge origin/main
rm -rf node_modules dist
rm -rf "$TMPDIR"/*
rm -rf "$(mktemp -d)"
rm -f *.log .claude/scratch.txt
cd /tmp && rm -rf greet .claude
cd "$SOMEWHERE" && rm -rf src
echo '{}' > "$CONFIG_DIR/config.json"
cd "$(mktemp -d)" && echo '{}' > config.json && touch plan.md && rm plan.md
(cd web && npm test) > test.log 2>&1
echo done >> claude.log
echo "features.json is the list" > notes.txt
mv src/features.json src/flags.json
sed -i s/a/b/ src/features.json
echo '{}' > src/config.json
jq '.a = 1' package.json > tmp.json && mv tmp.json package.json
find . -name '*.pyc' -delete
find . -type d -name __pycache__ -exec rm -rf {} +
find src -name '*.ts' -exec sed -i 's/a/b/' {} +
find . -type f -not -path './.claude/*' -not -path './.harness/*' -not -path './.git/*' -not -name plan.md -exec sed -i 's/a/b/' {} +
find . -name '*.js' | xargs sed -i s/a/b/
grep -rl foo src | xargs sed -i s/foo/bar/
for f in src/*.js; do sed -i s/a/b/ "$f"; done
cat > src/app.py <<'EOF'⏎open("features.json", "w")⏎EOF
python3 tools/report.py .claude/features.json
tee build.log < /dev/null
dd if=.claude/features.json of=/tmp/x
tar czf backup.tgz .claude .harness
ln -s ../shared lib
longhaul status && longhaul audit --json
longhaul call mark_feature_passed '{"id":"F001"}'
longhaul --version
longhaul install --client claude-code
docker compose up -d && curl -s localhost:3000 -o /tmp/page.html
npx prettier --write src
bash scripts/init.sh
if [ -f .claude/features.json ]; then echo yes; fi
while read -r id; do echo "$id"; done < <(jq -r '.features[].id' .claude/features.json)
vim --version
echo "rm .claude/features.json"
git commit -m 'docs: say that "longhaul accept" is a person'"'"'s'
git stash list
git stash show -p
git checkout -
git checkout v1.2 -- src/x
git checkout --theirs src/x
git restore src
git worktree add ../wt
git submodule update --init
git switch main
npm run build > build.log 2>&1 & 
pkill -f "node server.js"; sleep 1; (npm start &) 
sed -i '' 's/a/b/' src/x.js
cp -r template/. .
cp -r ../backup/src .
rsync -a src/ dist/
mv dist/* public/
rm -rf ./dist/.cache .next
find . -name "*.test.js" -not -path "*/node_modules/*" -exec rm {} \;
find . -type f -name "*.md" | head
find . -empty -type d -delete
cat .claude/features.json | python3 -c "import sys,json; d=json.load(sys.stdin); print([f['id'] for f in d['features'] if not f['passes']])"
python3 -c "⏎import json⏎with open('.claude/features.json') as f:⏎    data = json.load(f)⏎for x in data['features']:⏎    if not x['passes']: print(x['id'], x['description'])⏎"
python3 -c "import json; d=json.load(open('.claude/features.json','r')); print(json.dumps(d['features'][:3], indent=2))"
node -p "require('./.claude/features.json').features.filter(f => !f.passes).length"
jq -r '.features[] | select(.passes==false) | .id' .claude/features.json > failing.txt
diff <(git show HEAD:.claude/features.json) .claude/features.json
git diff HEAD -- .claude/features.json > changes.diff
git log -p --follow -- .harness/ledger.jsonl | tee log.txt
ls -la .claude .harness && cat .harness/config.json
cd .claude && ls && cd .. && npm test
grep -n passes .claude/features.json | awk -F: '{print $1}' > /tmp/lines
awk '{print > "out.txt"}' .claude/features.json
curl -s -X POST localhost:3000/api -d @.claude/features.json -o response.json
docker run -v $PWD:/app app sh -c "cd /app && npm test"
zip -r backup.zip .claude .harness
tar xzf vendor.tgz
unzip -o assets.zip -d public
sudo rm -rf /var/tmp/x
chmod +x scripts/init.sh
ln -sf ../a b
touch .claude/architecture.md && echo note >> .claude/progress.md
echo "export X=1" >> ~/.bashrc
sort -o names.txt names.txt
vim -c wq README.md
git commit -m "feat: write features.json parser (F003)" -- src
gh pr create --body "rm .claude/features.json"
sqlite3 app.db "delete from features"
kubectl delete -f k8s/
this is (not a shell command
`

// TestHostileShell holds texts made to cost against the limits of what is followed.
func TestHostileShell(t *testing.T) {
	for name, text := range map[string]string{
		"brackets":      strings.Repeat("(", maxText-1),
		"substitutions": strings.Repeat("$(", maxText/2-1),
		"few":           strings.Repeat("$(", maxOpen-1) + "rm x" + strings.Repeat(")", maxOpen-1),
		"ifs":           strings.Repeat("if ", maxOpen-1),
		"nots":          strings.Repeat("! ", maxOpen-1) + "true",
		"pipes":         strings.Repeat("a|", maxOpen-1) + "a",
		"defaults":      strings.Repeat("${a:-", maxOpen-1),
		"quotes":        strings.Repeat("\"`", maxOpen-1),
		"braces":        "rm " + strings.Repeat("{a,b}", 300),
		"stars":         "rm src/" + strings.Repeat("*", 5000),
		"eval":          strings.Repeat("eval ", 5000) + "rm x",
		"recursion":     "f() { f; f; }; f",
		"doubling":      "a=x; " + strings.Repeat("a=$a$a; ", 5000) + "rm $a",
		"loops":         strings.Repeat("for i in 1 2 3; do ", 300) + "rm $i" + strings.Repeat("; done", 300),
		"long":          strings.Repeat("echo x; ", maxText),
		"backquotes":    strings.Repeat("`", maxOpen-1),
	} {
		t.Run(name, func(t *testing.T) {
			if why := judge(call("Bash", "command", text, project.Root)); why != "" {
				t.Errorf("refused: %s", why)
			}
		})
	}
}

// TestFileTools holds the tools that write one file against the protected places, however they are spelled.
func TestFileTools(t *testing.T) {
	tests := map[string]struct {
		tool, key, path, dir string
		refused              string // what the reason must hold, "" where the call is allowed
	}{
		"the list":                 {"Edit", "file_path", "/home/ann/src/greet/.claude/features.json", "/", "mark_feature_passed"},
		"written":                  {"Write", "file_path", "/home/ann/src/greet/.claude/features.json", "/", "add_features"},
		"several edits":            {"MultiEdit", "file_path", "/home/ann/src/greet/.harness/ledger.jsonl", "/", "proof"},
		"a notebook":               {"NotebookEdit", "notebook_path", "/home/ann/src/greet/.harness/config.json", "/", "longhaul config set"},
		"relative":                 {"Edit", "file_path", ".claude/features.json", project.Root, "feature list"},
		"with dots":                {"Edit", "file_path", "../greet/.claude/./x/../features.json", project.Root, "feature list"},
		"at home":                  {"Edit", "file_path", "~/src/greet/plan.md", "/", "append_progress"},
		"the sealed copy":          {"Write", "file_path", "/home/ann/src/greet/.git/longhaul/sealed/x/ledger", "/", "session_start"},
		"another file":             {"Edit", "file_path", "/home/ann/src/greet/main.go", "/", ""},
		"another project's list":   {"Edit", "file_path", "/home/ann/src/other/.claude/features.json", "/", ""},
		"a list of the code":       {"Write", "file_path", "/home/ann/src/greet/features.json", "/", ""},
		"reading":                  {"Read", "file_path", "/home/ann/src/greet/.claude/features.json", "/", ""},
		"a tool that is not known": {"Frob", "file_path", "/home/ann/src/greet/.claude/features.json", "/", ""},
		"no path":                  {"Edit", "file", "/home/ann/src/greet/.claude/features.json", "/", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			why := judge(call(test.tool, test.key, test.path, test.dir))
			if (why != "") != (test.refused != "") || !strings.Contains(why, test.refused) {
				t.Errorf("reason %q, want it to hold %q", why, test.refused)
			}
		})
	}
}

// TestFold wants a disk that does not tell cases apart to be taken as such.
func TestFold(t *testing.T) {
	folded := project
	folded.Fold = true
	writes := Writes(call("Edit", "file_path", "/home/Ann/src/greet/.Claude/Features.JSON", "/"))
	if folded.Judge(writes) == "" || project.Judge(writes) != "" {
		t.Errorf("folded %q, exact %q", folded.Judge(writes), project.Judge(writes))
	}
}

// FuzzWrites wants an answer for any input, and that of two readings of one input they agree.
func FuzzWrites(f *testing.F) {
	f.Add("Bash", `{"command":"rm -rf .claude/{a,b}* && $(echo x) <<E\nE"}`)
	f.Add("Edit", `{"file_path":"\u0000"}`)
	f.Add("Bash", `{"command":`)
	f.Fuzz(func(t *testing.T, tool, input string) {
		c := Call{Tool: tool, Input: json.RawMessage(input), Dir: project.Root, Home: "/home/ann", Root: project.Root}
		if first, second := judge(c), judge(c); first != second {
			t.Errorf("%q, then %q", first, second)
		}
	})
}
