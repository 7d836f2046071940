package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/longhaul-mcp/longhaul/tools"
)

// call runs one tool in this process, by the same rules as over MCP. The reply goes to standard output as
// JSON; a refusal goes to standard error, and nothing to standard output.
func call(s streams, args []string) error {
	flags := flag.NewFlagSet("call", flag.ContinueOnError)
	project := projectFlag(flags)
	part := roleFlag(flags)
	words, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(words) == 0 || len(words) > 2 {
		return usageError{"takes a tool and its arguments as one JSON object\nTools: " + toolNames()}
	}
	role, err := tools.ParseRole(*part)
	if err != nil {
		return usageError{err.Error()}
	}
	tool, ok := role.Find(words[0])
	if !ok {
		return usageError{fmt.Sprintf("no tool %q\nTools: %s", words[0], toolNames())}
	}
	arguments, err := argumentsOf(s.in, words[1:])
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	p := open(*project, "call", quiet(s.err))
	defer p.Close()
	reply := tool.Call(ctx, p, arguments)
	if reply.IsError {
		fmt.Fprintln(s.err, plainLines(textOf(reply)))
		return errRefused
	}
	return printJSON(s.out, reply.StructuredContent)
}

// argumentsOf is the JSON given as a word, or on standard input for "-"; none is an empty object.
func argumentsOf(in io.Reader, words []string) (json.RawMessage, error) {
	text := []byte("{}")
	switch {
	case len(words) == 1 && words[0] == "-":
		var err error
		if text, err = io.ReadAll(in); err != nil {
			return nil, err
		}
	case len(words) == 1:
		text = []byte(words[0])
	}
	var any json.RawMessage
	if err := json.Unmarshal(text, &any); err != nil {
		return nil, usageError{"the arguments are no JSON: " + err.Error()}
	}
	return text, nil
}

func toolNames() string {
	var names []string
	for _, tool := range tools.All() {
		names = append(names, tool.Name())
	}
	return strings.Join(names, ", ")
}

// textOf joins the text blocks of a reply.
func textOf(reply *mcp.CallToolResult) string {
	var texts []string
	for _, block := range reply.Content {
		if text, ok := block.(mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}
