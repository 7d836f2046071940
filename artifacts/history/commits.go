package history

import (
	"bytes"
	"container/heap"
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// node is a commit as the walks need it.
type node struct {
	Commit
	tree string
}

// commit reads one commit. The parents of one where history was cut off are left out.
func (o *objects) commit(sha string) (node, error) {
	data, err := o.kind(sha, "commit")
	if err != nil {
		return node{}, err
	}
	n := parseCommit(sha, data)
	if o.shallow[sha] {
		n.Parents = nil
	}
	return n, nil
}

// parseCommit reads the format of git-commit-tree(1): headers, an empty line, the message.
func parseCommit(sha string, data []byte) node {
	n := node{Commit: Commit{SHA: sha}}
	head, message, _ := bytes.Cut(data, []byte("\n\n"))
	for _, line := range strings.Split(string(head), "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			n.tree = value
		case "parent":
			n.Parents = append(n.Parents, value)
		case "author":
			n.Author, _ = parseSignature(value)
		case "committer":
			_, n.At = parseSignature(value)
		}
	}
	text := strings.ToValidUTF8(string(message), "\uFFFD")
	n.Subject = subject(text)
	n.Features, n.Session = trailers(text)
	return n
}

// parseSignature reads "Name <mail> 1700000000 +0100".
func parseSignature(s string) (name string, at time.Time) {
	name, rest, _ := strings.Cut(strings.ToValidUTF8(s, "\uFFFD"), " <")
	if i := strings.LastIndexByte(rest, '>'); i >= 0 {
		rest = rest[i+1:]
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return name, time.Time{}
	}
	seconds, _ := strconv.ParseInt(fields[0], 10, 64)
	zone := time.UTC
	if len(fields) > 1 {
		if t, err := time.Parse("-0700", fields[1]); err == nil {
			_, offset := t.Zone()
			zone = time.FixedZone("", offset)
		}
	}
	return name, time.Unix(seconds, 0).In(zone)
}

// subject is the first paragraph of a message on one line.
func subject(message string) string {
	paragraph, _, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n\n")
	return strings.Join(strings.Fields(paragraph), " ")
}

var trailerLine = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9-]*): ?(.*)$`)

// trailers reads the harness trailers of a message: in its last paragraph, and in the ones right before it that
// hold trailers alone, for hooks put theirs in a paragraph of their own.
func trailers(message string) (features []string, session string) {
	paragraphs := strings.Split(strings.TrimSpace(strings.ReplaceAll(message, "\r\n", "\n")), "\n\n")
	for i := len(paragraphs) - 1; i > 0; i-- {
		var found []string
		for _, line := range strings.Split(paragraphs[i], "\n") {
			if strings.HasPrefix(line, " ") || strings.TrimSpace(line) == "" {
				continue
			}
			m := trailerLine.FindStringSubmatch(line)
			if m == nil {
				return features, session
			}
			switch strings.ToLower(m[1]) {
			case "harness-feature":
				found = append(found, strings.TrimSpace(m[2]))
			case "harness-session":
				session = strings.TrimSpace(m[2])
			}
		}
		features = append(found, features...)
	}
	return features, session
}

// byDate is a heap of commits, newest first; of one second the one met first comes first.
type byDate []dated
type dated struct {
	node
	met int
}

func (q byDate) Len() int { return len(q) }
func (q byDate) Less(i, j int) bool {
	if q[i].At.Equal(q[j].At) {
		return q[i].met < q[j].met
	}
	return q[i].At.After(q[j].At)
}
func (q byDate) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *byDate) Push(x any)   { *q = append(*q, x.(dated)) }
func (q *byDate) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// walk visits the commits that can be reached from one, newest first, without those in skip, until visit says stop.
func (o *objects) walk(ctx context.Context, from string, skip map[string]bool, visit func(node) (more bool)) error {
	var queue byDate
	seen := map[string]bool{}
	push := func(sha string) error {
		if seen[sha] || skip[sha] {
			return nil
		}
		n, err := o.commit(sha)
		if err != nil {
			return err
		}
		heap.Push(&queue, dated{n, len(seen)})
		seen[sha] = true
		return nil
	}
	if err := push(from); err != nil {
		return err
	}
	for len(queue) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := heap.Pop(&queue).(dated)
		if !visit(n.node) {
			return nil
		}
		for _, parent := range n.Parents {
			if err := push(parent); err != nil {
				return err
			}
		}
	}
	return nil
}

// Log gives the newest n commits, as git log does; none before the first commit.
func (r *Repo) Log(n int) ([]Commit, error) {
	h, err := r.readHead()
	if err != nil || h.Unborn || n <= 0 {
		return nil, err
	}
	o := r.objects()
	defer o.close()
	var commits []Commit
	err = o.walk(context.Background(), h.SHA, nil, func(c node) bool {
		commits = append(commits, c.Commit)
		return len(commits) < n
	})
	return commits, err
}

// Undone gives the commits that are in HEAD and not in rev, newest first.
func (r *Repo) Undone(ctx context.Context, rev string) ([]Commit, error) {
	sha, err := r.Resolve(rev)
	if err != nil {
		return nil, err
	}
	h, err := r.readHead()
	if err != nil || h.Unborn {
		return nil, err
	}
	o := r.objects()
	defer o.close()
	skip, err := o.ancestors(ctx, sha)
	if err != nil {
		return nil, err
	}
	var commits []Commit
	if skip[h.SHA] {
		return nil, nil
	}
	err = o.walk(ctx, h.SHA, skip, func(c node) bool {
		commits = append(commits, c.Commit)
		return true
	})
	return commits, err
}

// ancestors are a commit and all that it is built on.
func (o *objects) ancestors(ctx context.Context, sha string) (map[string]bool, error) {
	all := map[string]bool{}
	err := o.walk(ctx, sha, nil, func(c node) bool {
		all[c.SHA] = true
		return true
	})
	return all, err
}

// Changed gives the project's paths that differ between two commits, sorted.
func (r *Repo) Changed(ctx context.Context, from, to string) ([]string, error) {
	o := r.objects()
	defer o.close()
	var sides [2]string
	for i, rev := range []string{from, to} {
		sha, err := r.Resolve(rev)
		if err != nil {
			return nil, err
		}
		n, err := o.commit(sha)
		if err != nil {
			return nil, err
		}
		if sides[i], err = o.subtree(n.tree); err != nil {
			return nil, err
		}
	}
	var paths []string
	err := o.diff(sides[0], sides[1], "", func(path string, _, _ entry) { paths = append(paths, path) })
	return sorted(paths), errors.Join(err, ctx.Err())
}
