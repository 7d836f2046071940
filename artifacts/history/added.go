package history

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Bounds of AddedLines: what is over them is left out.
const (
	maxAddedLines = 200_000
	maxLineBytes  = 4096
	maxNewFile    = 8 << 20
)

// AddedLines gives the lines that are on disk and were not in a commit ("" = nothing was), of the given project paths
// or, without any, of the whole project folder. Untracked files count with all their lines; binary and ignored ones
// are left out, and so is what is over 200,000 lines, 4 KiB of a line, 8 MiB of an untracked file, or 256 MiB of a tracked one.
func (r *Repo) AddedLines(ctx context.Context, since string, paths []string) ([]AddedLine, error) {
	p := r.program()
	if p == nil {
		return r.addedNatively(ctx, since, paths)
	}
	where := make([]string, 0, len(paths)+1)
	for _, name := range paths {
		if full, ok := r.full(name); ok {
			where = append(where, full)
		}
	}
	if len(paths) > 0 && len(where) == 0 {
		return nil, nil
	}
	if len(paths) == 0 && r.prefix != "" {
		where = append(where, r.prefix)
	}
	tree, err := r.base(ctx, p, since)
	if err != nil {
		return nil, err
	}
	bounded, err := r.withoutLarge(ctx, p, tree, where)
	if err != nil {
		return nil, err
	}
	args := append([]string{"diff-index", "-p", "-U0", "--inter-hunk-context=0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
		"--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/", tree, "--"}, bounded...)
	var lines []AddedLine
	err = p.lines(ctx, call{dir: r.root, args: args, env: []string{"GIT_LITERAL_PATHSPECS=0"}}, func(out *bufio.Reader) error {
		lines, err = r.parseAdded(out)
		return err
	})
	if err != nil {
		return nil, failure(r, err)
	}
	out, err := p.run(ctx, call{dir: r.root, args: append([]string{"ls-files", "-z", "-o", "--exclude-standard", "--"}, where...)})
	if err != nil {
		return nil, failure(r, err)
	}
	for _, full := range records(out) {
		if name, ok := r.within(full); ok && len(lines) < maxAddedLines {
			lines = append(lines, r.newLines(name, maxAddedLines-len(lines))...)
		}
	}
	return byPlace(lines), nil
}

// withoutLarge are pathspecs for the same paths but those that git would have to hash for minutes before it knew that they
// are binary.
func (r *Repo) withoutLarge(ctx context.Context, p *program, tree string, where []string) ([]string, error) {
	out, err := p.run(ctx, call{dir: r.root, args: append([]string{"diff-index", "-z", "--name-only", "--no-renames", "--ignore-submodules=all", tree, "--"}, where...)})
	if err != nil {
		return nil, failure(r, err)
	}
	var specs []string
	for _, full := range where {
		specs = append(specs, ":(top,literal)"+full)
	}
	for _, full := range records(out) {
		if info, err := os.Lstat(r.disk(full)); err == nil && info.Size() > maxHashed {
			specs = append(specs, ":(top,literal,exclude)"+full)
		}
	}
	return specs, nil
}

func byPlace(lines []AddedLine) []AddedLine {
	slices.SortStableFunc(lines, func(a, b AddedLine) int { return strings.Compare(a.Path, b.Path) })
	return lines
}

// base is the tree-ish to compare with.
func (r *Repo) base(ctx context.Context, p *program, since string) (string, error) {
	if since != "" {
		return r.Resolve(since)
	}
	out, err := p.run(ctx, call{dir: r.root, args: []string{"hash-object", "-t", "tree", "--stdin"}, stdin: []byte{}})
	return strings.TrimSpace(string(out)), failure(r, err)
}

// lines runs a call and hands its output to read as it comes. read may stop early; that ends the call.
func (p *program) lines(ctx context.Context, c call, read func(*bufio.Reader) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := read(bufio.NewReaderSize(in, 1<<16))
		if errors.Is(err, errEnough) {
			cancel(errEnough)
		}
		_ = in.CloseWithError(errEnough)
		done <- err
	}()
	_, err := p.pipe(ctx, c, out)
	_ = out.Close()
	if readErr := <-done; readErr != nil {
		err = readErr
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

var errEnough = errors.New("enough was read")

// parseAdded reads a unified diff. Lines of a hunk are counted, so that no text can pass for a header.
func (r *Repo) parseAdded(in *bufio.Reader) ([]AddedLine, error) {
	var lines []AddedLine
	path := ""
	at, minus, plus := 0, 0, 0
	for {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		switch {
		case plus > 0 && strings.HasPrefix(line, "+"):
			if path != "" {
				lines = append(lines, AddedLine{path, at, plainText(line[1:])})
			}
			at, plus = at+1, plus-1
			if len(lines) >= maxAddedLines {
				return lines, errEnough
			}
		case minus > 0 && strings.HasPrefix(line, "-"):
			minus--
		case strings.HasPrefix(line, "diff --git "):
			path = ""
		case strings.HasPrefix(line, "+++ "):
			path, _ = r.within(unquote(strings.TrimSuffix(line[4:], "\t")))
		case strings.HasPrefix(line, "@@ "):
			if at, minus, plus, err = hunk(line); err != nil {
				return lines, err
			}
		}
	}
}

// readLine reads a line without its end; what is over the bound is dropped.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := maxLineBytes + 1 - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (len(part) == 0 && len(line) == 0 || !errors.Is(err, io.EOF)) {
			return "", err
		}
		return strings.TrimSuffix(string(line), "\n"), nil
	}
}

func plainText(line string) string {
	return strings.ToValidUTF8(strings.TrimSuffix(line, "\r"), "\uFFFD")
}

// unquote reads the name in a diff header: `b/name`, or quoted as C does it.
func unquote(name string) string {
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
	}
	return strings.TrimPrefix(name, "b/")
}

// hunk reads "@@ -3,0 +4,2 @@".
func hunk(line string) (at, minus, plus int, err error) {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return 0, 0, 0, fmt.Errorf("diff: hunk header %q", line)
	}
	_, minus, errMinus := span(strings.TrimPrefix(fields[1], "-"))
	at, plus, errPlus := span(strings.TrimPrefix(fields[2], "+"))
	return at, minus, plus, errors.Join(errMinus, errPlus)
}

func span(text string) (at, n int, err error) {
	first, count, has := strings.Cut(text, ",")
	if at, err = strconv.Atoi(first); err != nil || !has {
		return at, 1, err
	}
	n, err = strconv.Atoi(count)
	return at, n, err
}

// newLines are all lines of a file on disk; none of a binary, special or very big one.
func (r *Repo) newLines(name string, most int) []AddedLine {
	file := r.disk(r.prefix + name)
	info, err := r.lstat(r.prefix + name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxNewFile {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil || isBinary(data) {
		return nil
	}
	return numbered(name, data, most)
}

// isBinary is git's own rule: a NUL in the first 8,000 bytes.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0
}

func numbered(name string, data []byte, most int) []AddedLine {
	var lines []AddedLine
	for n := 1; len(data) > 0 && len(lines) < most; n++ {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		lines = append(lines, AddedLine{name, n, plainText(string(line[:min(len(line), maxLineBytes)]))})
		data = rest
	}
	return lines
}
