package progress

import (
	"bytes"
	"strings"
	"testing"
)

const chineseBoard = `# progress.md 标准模板
## 已完成
- [x] 重构 auth 模块为 async
- [x] 添加单元测试

## 进行中
- [ ] 迁移 DB schema(改了 3/8 张表)

## 阻塞
- payment 模块的 stripe webhook 测试需要 mock

## 下一步
1. 完成剩余 5 张表的 schema 迁移
2. 跑全量测试
`

var board = Board{
	Completed:  []string{"F001: 添加单元测试", "F002: login"},
	InProgress: []string{"F003: schema"},
	Blocked:    []string{"F004: payment (needs a mock)"},
	Next:       []string{"run all tests"},
}

// without is the file with every line that UpdateBoard wrote taken out.
func without(file []byte) string {
	var kept strings.Builder
	for line := range bytes.Lines(file) {
		if !owned(bytes.TrimRight(line, " \t\r\n")) {
			kept.Write(line)
		}
	}
	return kept.String()
}

// shown is the text of the lines that UpdateBoard wrote.
func shown(file []byte) string {
	var lines []string
	for line := range strings.SplitSeq(string(file), "\n") {
		if text, _, ok := strings.Cut(line, " <!-- lh:"); ok {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

func TestBoardOfAnAdoptedFile(t *testing.T) {
	got := UpdateBoard([]byte(chineseBoard), board)
	if rest := without(got); rest != chineseBoard {
		t.Errorf("the file's own lines are %s\nwant %s", rest, chineseBoard)
	}
	want := "- [x] F002: login\n- [ ] F003: schema\n- F004: payment (needs a mock)\n3. run all tests"
	if lines := shown(got); lines != want {
		t.Errorf("written lines:\n%s\nwant\n%s", lines, want)
	}
	if again := UpdateBoard(got, board); !bytes.Equal(again, got) {
		t.Errorf("a second time gives %s\nwant %s", again, got)
	}
	if empty := UpdateBoard(got, Board{}); string(empty) != chineseBoard {
		t.Errorf("an empty board leaves %s", empty)
	}
}

func TestBoardMoves(t *testing.T) {
	file := UpdateBoard(NewLog("plan", head5), board)
	file = UpdateBoard(file, Board{Completed: []string{"F003: schema"}, Next: []string{"deploy", "rest"}})
	want := "- [x] F003: schema\n1. deploy\n2. rest"
	if lines := shown(file); lines != want {
		t.Errorf("written lines:\n%s\nwant\n%s", lines, want)
	}
}

func TestBoardKeepsWhatPeopleWrite(t *testing.T) {
	file := string(UpdateBoard(NewLog("plan", head5), board))
	file = strings.Replace(file, "F003: schema", "F003: schema (改了 3/8 张表)", 1)
	file = strings.Replace(file, "## Blocked\n", "## Blocked\nAsk Ann first.\n", 1)
	file = strings.Replace(file, "F002: login <!--", "F002: login (slow!) <!--", 1)
	got := string(UpdateBoard([]byte(file), Board{}))
	for _, mine := range []string{"F003: schema (改了 3/8 张表)", "Ask Ann first.", "F002: login (slow!)"} {
		if !strings.Contains(got, mine) {
			t.Errorf("%q is lost in %s", mine, got)
		}
	}
	if strings.Contains(got, "F004") {
		t.Errorf("an unchanged line of an earlier board is still in %s", got)
	}
}

func TestBoardSections(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"none: below the title", "# Mine\nintro\n\nold note\n",
			"# Mine\nintro\n\n## Completed\n- [x] a\n\n## In progress\n\n## Blocked\n\n## Next steps\n\n---\n\nold note\n"},
		{"front matter", "---\na: b\n---\n# T\n\n## Session 1\n", "---\na: b\n---\n# T\n\n## Completed\n- [x] a\n\n## In progress\n\n## Blocked\n\n## Next steps\n\n## Session 1\n"},
		{"none: no title", "old note\n", "## Completed\n- [x] a\n\n## In progress\n\n## Blocked\n\n## Next steps\n\n---\n\nold note\n"},
		{"empty file", "", "## Completed\n- [x] a\n\n## In progress\n\n## Blocked\n\n## Next steps\n"},
		{"russian words, one missing", "# Ход\n\n## В работе\n- своё\n", "# Ход\n\n## В работе\n- своё\n\n## Готово\n- [x] a\n"},
		{"emoji, count and level", "# P\n\n### ✅ Done (3):\n- mine\n", "# P\n\n### ✅ Done (3):\n- mine\n- [x] a\n"},
		{"no final newline", "## Completed", "## Completed\n- [x] a"},
		{"entries below keep theirs", "## Completed\n\n## Session 1 | x\n### Completed Features\n- ✅ b\n",
			"## Completed\n- [x] a\n\n## Session 1 | x\n### Completed Features\n- ✅ b\n"},
		{"a fenced example is no section", "```\n## Completed\n```\n\n## Done\n\n", "```\n## Completed\n```\n\n## Done\n- [x] a\n\n"},
		{"said already", "## Completed\n- [X] a\n", "## Completed\n- [X] a\n"},
		{"windows", "## Done\r\n\r\n## Next\r\n", "## Done\r\n- [x] a\r\n\r\n## Next\r\n"},
	}
	for _, test := range tests {
		got := string(UpdateBoard([]byte(test.file), Board{Completed: []string{"a"}}))
		plain := strings.ReplaceAll(got, " <!-- lh:"+signature("a")+" -->", "")
		if plain != test.want {
			t.Errorf("%s: UpdateBoard() = %q\nwant %q", test.name, plain, test.want)
		}
	}
}

func TestBoardBesideSessions(t *testing.T) {
	file := UpdateBoard(NewLog("plan", head5), board)
	file = Append("plan", file, session(1, "2026-01-01 10:00 +00:00"))
	file = UpdateBoard(file, Board{Completed: []string{"F003: schema"}})
	file = Append("plan", file, session(2, "2026-01-02 10:00 +00:00"))
	if got := strings.Join(Sessions(file), " "); got != "session-002 session-001" {
		t.Errorf("Sessions() = %s", got)
	}
	if at, top := bytes.Index(file, []byte("F003: schema")), bytes.Index(file, []byte("## Session 1")); at < 0 || at > top {
		t.Errorf("the board is not above the sessions: %s", file)
	}
}

func TestBoardTextsAreData(t *testing.T) {
	for _, text := range hostile {
		file := UpdateBoard(NewLog("plan", head5), Board{Completed: []string{text}, Next: []string{text}})
		if cleared := UpdateBoard(file, Board{}); string(cleared) != string(NewLog("plan", head5)) {
			t.Errorf("%q leaves %s", text, cleared)
		}
		if Highest(file) != 0 {
			t.Errorf("%q is read as a heading: %s", text, file)
		}
	}
}

func FuzzBoard(f *testing.F) {
	f.Add(chineseBoard, "F001: x", "go on")
	f.Add("# Mine\r\n\r\n## Done\r\n* [x] y <!-- lh:00000000 -->\r\n---\r\n## Next", "a\nb", "1. c")
	f.Add("\ufeff## В работе\n```\n## Done\n", "<!-- lh:12345678 -->", "")
	f.Fuzz(func(t *testing.T, file, done, next string) {
		b := Board{Completed: []string{done}, InProgress: []string{next}, Blocked: []string{done}, Next: []string{next, done}}
		out := UpdateBoard([]byte(file), b)
		if !subsequence(without([]byte(file)), string(out)) {
			t.Fatalf("UpdateBoard(%q) = %q: something of the file is lost", file, out)
		}
		again := UpdateBoard(out, b)
		if !bytes.Equal(again, out) {
			t.Fatalf("UpdateBoard(%q) = %q, a second time %q", file, out, again)
		}
		if rest, want := without(UpdateBoard(out, Board{})), without(out); rest != want {
			t.Fatalf("an empty board leaves %q of %q", rest, want)
		}
	})
}

// subsequence tells whether all lines of a stand in b, in their order.
func subsequence(a, b string) bool {
	lines := strings.Split(b, "\n")
	for line := range strings.SplitSeq(a, "\n") {
		line = strings.TrimRight(line, "\r")
		for len(lines) > 0 && strings.TrimRight(lines[0], "\r") != line {
			lines = lines[1:]
		}
		if len(lines) == 0 {
			return line == "" // the end of the last line
		}
		lines = lines[1:]
	}
	return true
}
