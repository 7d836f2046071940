package main

import (
	"fmt"
	"os"
)

// measureStart times a start up to the first reply and weighs the server that is idle then.
func measureStart(y yard, r *report) error {
	empty, err := os.MkdirTemp(y.dir, "empty")
	if err != nil {
		return err
	}
	largest := y.size.features[len(y.size.features)-1]
	long, err := y.project("started", plan{features: largest})
	if err != nil {
		return err
	}
	places := []struct {
		name, program, dir string
		took               series
		memory             int64
	}{
		{name: "trivial mcp-go server", program: y.trivial, dir: empty},
		{name: "longhaul, no project", program: y.longhaul, dir: empty},
		{name: fmt.Sprintf("longhaul, %d features", largest), program: y.longhaul, dir: long},
	}
	for range y.size.starts {
		for i := range places {
			p := &places[i]
			s, took, err := start(p.dir, p.program)
			if err != nil {
				return err
			}
			p.took = append(p.took, took)
			if _, err := s.ask("tools/list", map[string]any{}); err != nil {
				return err
			}
			p.memory = memory(s.cmd.Process.Pid)
			if err := s.stop(); err != nil {
				return err
			}
		}
	}
	t := r.table("Start", "From the start of the process to the reply to `initialize`, and the memory held when the tools have been listed.",
		"server", "first reply", "best", "memory")
	for _, p := range places {
		t.row(p.name, ms(p.took.median()), ms(p.took.best()), mib(p.memory))
	}
	r.within("start to first reply", "trivial mcp-go server", places[0].took, places[1].took, 1.5)
	r.target("memory when idle", "trivial mcp-go server "+mib(places[0].memory), mib(places[1].memory), float64(places[1].memory)/(1<<20), 20, "MiB")
	return nil
}
