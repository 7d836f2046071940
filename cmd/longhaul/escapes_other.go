//go:build !windows

package main

import "os"

// escapes reports whether the terminal obeys escape sequences.
func escapes(*os.File) bool { return true }
