package clients

import (
	"encoding/json"
	"maps"
	"slices"
)

// A Server is an MCP server as a configuration names it. Command is empty for one that the client does not start.
type Server struct {
	Name    string
	Command string
	Args    []string
}

// ServersJSON lists the servers in the object below keys, by name; none where there is no such object.
func ServersJSON(src []byte, keys []string) ([]Server, error) {
	whole, err := valuesJSON(src)
	if err != nil {
		return nil, err
	}
	return serversIn(dig(whole, keys)), nil
}

// ServersTOML is ServersJSON for the table named by keys.
func ServersTOML(src []byte, keys []string) ([]Server, error) {
	whole, err := parseTOML(src)
	if err != nil {
		return nil, err
	}
	return serversIn(dig(whole, keys)), nil
}

// SwitchesJSON lists the keys that are true in the object below keys.
func SwitchesJSON(src []byte, keys []string) ([]string, error) {
	whole, err := valuesJSON(src)
	if err != nil {
		return nil, err
	}
	switches, _ := dig(whole, keys).(map[string]any)
	var on []string
	for _, name := range slices.Sorted(maps.Keys(switches)) {
		if switches[name] == true {
			on = append(on, name)
		}
	}
	return on, nil
}

func valuesJSON(src []byte) (map[string]any, error) {
	d, err := read(src)
	if err != nil {
		return nil, err
	}
	d.root.Standardize()
	var whole map[string]any
	return whole, json.Unmarshal(d.root.Pack(), &whole)
}

func serversIn(value any) []Server {
	entries, _ := value.(map[string]any)
	var found []Server
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		entry, _ := entries[name].(map[string]any)
		s := Server{Name: name}
		s.Command, _ = entry["command"].(string)
		args, _ := entry["args"].([]any)
		for _, arg := range args {
			if text, ok := arg.(string); ok {
				s.Args = append(s.Args, text)
			}
		}
		found = append(found, s)
	}
	return found
}
