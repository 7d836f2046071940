//go:build unix

package history

import (
	"os"
	"syscall"
)

// ownedByUs says whether a folder belongs to this account, by git's own rule for safe.directory.
func ownedByUs(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}
