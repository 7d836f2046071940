package main

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version prints what the Go toolchain stamped into the binary.
func version(s streams, args []string) error {
	if err := wordless(flag.NewFlagSet("version", flag.ContinueOnError), args); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "longhaul %s", release())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision", "vcs.time":
				fmt.Fprintf(s.out, " %s", setting.Value)
			}
		}
	}
	fmt.Fprintf(s.out, " %s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// stamped is the version that .release/build writes into the binary.
var stamped string

// release is the version of a release, else the module's, "devel" for a build from a work tree.
func release() string {
	if stamped != "" {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
