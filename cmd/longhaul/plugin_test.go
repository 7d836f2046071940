package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/longhaul-mcp/longhaul/tools"
)

type pluginHooks struct {
	Hooks map[string][]struct {
		Matcher string
		Hooks   []struct {
			Type, Command string
			Timeout       int
		}
	}
}

// TestPluginHooks wants the plugin to run the hooks that install writes, and none where the program is not installed.
func TestPluginHooks(t *testing.T) {
	var plugin pluginHooks
	readJSON(t, "plugin/hooks/hooks.json", &plugin)
	want := clientHooks("longhaul")
	if len(plugin.Hooks) != len(want) {
		t.Errorf("%d events, want %d", len(plugin.Hooks), len(want))
	}
	for _, h := range want {
		groups := plugin.Hooks[h.Event]
		if len(groups) != 1 || len(groups[0].Hooks) != 1 {
			t.Fatalf("%s: %+v, want one hook", h.Event, groups)
		}
		got := groups[0].Hooks[0]
		command := "command -v longhaul >/dev/null 2>&1 || exit 0; exec " + h.Command
		if groups[0].Matcher != h.Matcher || got.Type != "command" || got.Command != command || got.Timeout != h.Seconds {
			t.Errorf("%s: %+v, want %+v", h.Event, groups[0], h)
		}
		if _, ok := hookEvents()[kebab(h.Event)]; !ok {
			t.Errorf("%s is not answered", h.Event)
		}
	}
}

// TestPluginVersions wants one version and one name in all manifests.
func TestPluginVersions(t *testing.T) {
	type manifest struct{ Name, Version, Description string }
	var plugin, desktop, registry manifest
	readJSON(t, "plugin/.claude-plugin/plugin.json", &plugin)
	readJSON(t, "plugin/desktop/manifest.json", &desktop)
	readJSON(t, "plugin/server.json", &registry)
	if plugin.Version == "" || desktop.Version != plugin.Version || registry.Version != plugin.Version {
		t.Errorf("versions %q, %q and %q", plugin.Version, desktop.Version, registry.Version)
	}
	if plugin.Name != "longhaul" || desktop.Name != plugin.Name || registry.Name != "io.github.longhaul-mcp/"+plugin.Name {
		t.Errorf("names %q, %q and %q", plugin.Name, desktop.Name, registry.Name)
	}
	if n := len(registry.Description); n == 0 || n > 100 {
		t.Errorf("the registry takes descriptions of up to 100 characters, this one has %d", n)
	}
	var market struct {
		Plugins []struct{ Name, Source string }
	}
	readJSON(t, ".claude-plugin/marketplace.json", &market)
	if len(market.Plugins) != 1 || market.Plugins[0].Name != plugin.Name || market.Plugins[0].Source != "./plugin" {
		t.Errorf("the marketplace offers %+v", market.Plugins)
	}
}

// TestPluginWords wants every tool that the skill and the commands name to be served.
func TestPluginWords(t *testing.T) {
	served := []string{"uncommitted", "last_good", "all_passed", "incomplete_reason"} // words of theirs
	for _, tool := range tools.All() {
		served = append(served, tool.Name())
	}
	named := 0
	for _, page := range append(filesOf(t, "plugin/commands/*.md"), filesOf(t, "plugin/skills/*/SKILL.md")...) {
		for _, m := range regexp.MustCompile("`([a-z]+_[a-z_]+)[` ]").FindAllStringSubmatch(readRoot(t, page), -1) {
			if named++; !slices.Contains(served, m[1]) {
				t.Errorf("%s names %s, which is no tool", page, m[1])
			}
		}
	}
	if named == 0 {
		t.Error("no page names a tool")
	}
	skill := readRoot(t, "plugin/skills/long-running-harness/SKILL.md")
	if _, rest, ok := strings.Cut(skill, "description: "); !ok || len(rest[:strings.IndexByte(rest, '\n')]) > 1024 {
		t.Error("the skill's description is missing or longer than 1,024 characters")
	}
}

// TestPluginServer wants the plugin to start the server as install does.
func TestPluginServer(t *testing.T) {
	type config struct {
		Servers map[string]struct {
			Type, Command string
			Args          []string
			Timeout       int
			AlwaysLoad    bool
		} `json:"mcpServers"`
	}
	var plugin, example config
	readJSON(t, "plugin/.mcp.json", &plugin)
	readJSON(t, "mcp.json.example", &example)
	got, want := plugin.Servers["longhaul"], example.Servers["longhaul"]
	if got.Type != want.Type || got.Command != want.Command || got.AlwaysLoad != want.AlwaysLoad || !slices.Equal(got.Args, []string{"serve", "--project", "${CLAUDE_PROJECT_DIR}"}) {
		t.Errorf("%+v, want it like %+v", got, want)
	}
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(readRoot(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
