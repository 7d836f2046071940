package history

import "testing"

func TestReserved(t *testing.T) {
	for name, want := range map[string]bool{
		".git": true, ".git/config": true, "sub/.git/config": true, ".GIT/config": true, ".Git": true,
		".git.": true, ".git /config": true, ".git . ./HEAD": true, ".g\u200cit/config": true, "\ufeff.git/x": true, ".gi\u206at": true,
		"git~1/config": true, "GIT~1": true, "sub/git~12/x": true, ".git::$INDEX_ALLOCATION/config": true, `sub\.git\config`: true,
		".gitignore": false, ".github/workflows": false, "git": false, "git~": false, "git~1.txt": false, "x.git/config": false, "a/..git": false, "digit~1": false,
	} {
		if got := Reserved(name); got != want {
			t.Errorf("Reserved(%q) = %v, want %v", name, got, want)
		}
	}
}
