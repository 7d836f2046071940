// Package tools turns calls into acts on the Project: arguments in, one method called, a result out.
// It holds no rule of the harness and touches no file, process or git.
package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/longhaul-mcp/longhaul/artifacts"
)

// all is what is served, in the order a session meets it.
var all = []Tool{
	sessionStart,
	nextFeature,
	markFeaturePassed,
	appendProgress,
	commit,
	harnessInit,
	addFeatures,
	listFeatures,
	verifyFeatures,
	reportRegression,
	rollback,
	sessionEnd,
	status,
}

// All returns every tool, in the order a session meets them.
func All() []Tool {
	return append([]Tool(nil), all...)
}

// Find returns the tool of that name.
func Find(name string) (Tool, bool) {
	for _, t := range all {
		if t.spec.name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// spec is what a client is told of a tool beside its schemas.
type spec struct {
	name, title, description          string
	always                            bool // loaded by the client without a search
	readOnly, destructive, idempotent bool
}

// A Tool is data plus one function.
type Tool struct {
	spec          spec
	input, output json.RawMessage
	run           func(context.Context, *artifacts.Project, json.RawMessage) (json.RawMessage, error)
}

// define makes a tool of a function over typed arguments: In gives the input schema and the binding,
// Out the output schema. Both are structs.
func define[In, Out any](s spec, run func(context.Context, *artifacts.Project, In) (*Out, error)) Tool {
	return Tool{
		spec:   s,
		input:  inputSchema(reflect.TypeFor[In]()),
		output: outputSchema(reflect.TypeFor[Out]()),
		run: func(ctx context.Context, p *artifacts.Project, args json.RawMessage) (json.RawMessage, error) {
			var in In
			if err := bind(s.name, args, &in); err != nil {
				return nil, err
			}
			out, err := run(ctx, p, in)
			if err != nil {
				return nil, err
			}
			if out == nil {
				return nil, errors.New("no answer")
			}
			return compact(out)
		},
	}
}

// Name is the name that clients call.
func (t Tool) Name() string { return t.spec.name }

// ReadOnly reports whether a call leaves the project as it is.
func (t Tool) ReadOnly() bool { return t.spec.readOnly }

// Description says what the tool does and when to call it.
func (t Tool) Description() string { return t.spec.description }

// Definition is the tool as tools/list shows it.
func (t Tool) Definition() mcp.Tool {
	d := mcp.NewToolWithRawSchema(t.spec.name, t.spec.description, t.input)
	d.RawOutputSchema = t.output
	d.Annotations = mcp.ToolAnnotation{
		Title:           t.spec.title,
		ReadOnlyHint:    mcp.ToBoolPtr(t.spec.readOnly),
		DestructiveHint: mcp.ToBoolPtr(t.spec.destructive),
		IdempotentHint:  mcp.ToBoolPtr(t.spec.idempotent),
		OpenWorldHint:   mcp.ToBoolPtr(false),
	}
	if t.spec.always {
		d.Meta = mcp.NewMetaFromMap(map[string]any{"anthropic/alwaysLoad": true})
	}
	return d
}

// Call runs the tool with raw JSON arguments; empty or null are no arguments. Whatever goes wrong, a
// panic too, is a result that says so.
func (t Tool) Call(ctx context.Context, p *artifacts.Project, args json.RawMessage) (result *mcp.CallToolResult) {
	defer func() {
		if r := recover(); r != nil {
			result = refused(fmt.Errorf("%s broke off, nothing is known to be half done: %v\n%s", t.spec.name, r, firstFrames(debug.Stack())))
		}
	}()
	if err := ctx.Err(); err != nil {
		return refused(err)
	}
	answer, err := t.run(ctx, p, args)
	var open unanswered
	if errors.As(err, &open) {
		return open.question.asking()
	}
	if err != nil {
		return refused(err)
	}
	return answered(answer)
}

// Handler serves the tool for project.
func (t Tool) Handler(p *artifacts.Project) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, end := reporting(ctx, r)
		defer end()
		args, err := rawArguments(r)
		if err != nil {
			return refused(err), nil
		}
		return t.Call(withPerson(ctx, r), p, args), nil
	}
}

func rawArguments(r mcp.CallToolRequest) (json.RawMessage, error) {
	if raw := r.Params.RawArguments; raw != nil {
		return raw, nil
	}
	return json.Marshal(r.Params.Arguments)
}

// refused is err as a result that the model reads. An error without a code of its own is "busy": nothing says that
// the call is wrong.
func refused(err error) *mcp.CallToolResult {
	var r *artifacts.Refusal
	if errors.As(err, &r) {
		return refusal(r.Error())
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return mcp.NewToolResultError("busy: the call was cancelled\nNext: call it again")
	}
	return refusal("busy: " + err.Error() + "\nNext: status; if it happens again, tell the user")
}

// compact is v in one line of JSON, with < > & as they are and empty lists for the ones that must be there.
func compact(v any) (json.RawMessage, error) {
	fillLists(reflect.ValueOf(v).Elem())
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// fillLists makes nil lists that JSON would show as null empty ones.
func fillLists(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Slice && f.IsNil() && f.CanSet() {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
}

// firstFrames is the top of a stack trace, where the panic came from.
func firstFrames(stack []byte) []byte {
	const most = 2000
	return stack[:min(len(stack), most)]
}
