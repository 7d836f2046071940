package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// escapes has the console obey escape sequences, and reports whether it does.
// Source: https://learn.microsoft.com/windows/console/console-virtual-terminal-sequences
func escapes(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
