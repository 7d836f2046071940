package artifacts

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

func keepOwner(*os.File, fs.FileInfo) {}

func diskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func readOnly(err error) bool {
	return errors.Is(err, windows.ERROR_WRITE_PROTECT) || errors.Is(err, fs.ErrPermission)
}

// links counts the names of a file, which FileInfo does not hold here.
func links(fs.FileInfo) uint64 { return 1 }
