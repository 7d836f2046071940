package feature

import "strings"

// graph is who waits for whom among the failing features.
type graph struct {
	l     *List
	twins map[string][]int // features that share an id
	ring  []int32          // the cycle a feature is on, 0 for none
	rings [][]int          // members of cycle n+1, in the order of dependence
}

// graph finds the cycles; nil for a list without dependencies.
func (l *List) graph() *graph {
	g := &graph{l: l}
	depends := false
	for i := range l.Features {
		depends = depends || len(l.Features[i].DependsOn) > 0
		if first := int(l.index[l.Features[i].ID]); first != i {
			if g.twins == nil {
				g.twins = map[string][]int{}
			}
			if len(g.twins[l.Features[i].ID]) == 0 {
				g.twins[l.Features[i].ID] = []int{first}
			}
			g.twins[l.Features[i].ID] = append(g.twins[l.Features[i].ID], i)
		}
	}
	if !depends {
		return nil
	}
	g.ring = make([]int32, len(l.Features))
	g.findRings()
	return g
}

// named returns the features that have an id.
func (g *graph) named(id string) []int {
	if twins := g.twins[id]; twins != nil {
		return twins
	}
	i, ok := g.l.index[id]
	if !ok {
		return nil
	}
	return []int{int(i)}
}

// findRings walks the unmet dependencies depth first, on a stack of its own:
// a chain may be as long as the list. What is reached again while it is still
// on the path closes a ring.
func (g *graph) findRings() {
	const fresh, onPath, done = 0, 1, 2
	mark := make([]byte, len(g.l.Features))
	type step struct{ at, dependency int }
	var path []step
	for start := range g.l.Features {
		if mark[start] != fresh || g.l.Features[start].State != Failing {
			continue
		}
		path = append(path[:0], step{at: start})
		mark[start] = onPath
		for len(path) > 0 {
			top := &path[len(path)-1]
			deps := g.l.Features[top.at].DependsOn
			if top.dependency == len(deps) {
				mark[top.at] = done
				path = path[:len(path)-1]
				continue
			}
			id := deps[top.dependency]
			top.dependency++
			i, ok := g.l.index[id]
			next := int(i)
			if !ok || g.l.Features[next].State != Failing {
				continue
			}
			switch mark[next] {
			case fresh:
				mark[next] = onPath
				path = append(path, step{at: next})
			case onPath:
				if g.ring[next] != 0 && g.ring[path[len(path)-1].at] != 0 {
					continue // both are named already
				}
				var ring []int
				for at := len(path) - 1; ; at-- {
					ring = append(ring, path[at].at)
					if path[at].at == next {
						break
					}
				}
				g.close(ring)
			}
		}
	}
}

// close records a ring that was walked backwards.
func (g *graph) close(ring []int) {
	for i, j := 0, len(ring)-1; i < j; i, j = i+1, j-1 {
		ring[i], ring[j] = ring[j], ring[i]
	}
	g.rings = append(g.rings, ring)
	for _, i := range ring {
		if g.ring[i] == 0 {
			g.ring[i] = int32(len(g.rings))
		}
	}
}

// cycle describes the ring that a feature is on, "" for none.
func (g *graph) cycle(i int) string {
	if g.ring[i] == 0 {
		return ""
	}
	return g.describe(g.rings[g.ring[i]-1])
}

func (g *graph) cycles() (lines []string) {
	for _, ring := range g.rings {
		lines = append(lines, g.describe(ring))
	}
	return lines
}

// describe names the members of a ring, a long one in short.
func (g *graph) describe(ring []int) string {
	var b strings.Builder
	for n, i := range ring {
		if n == 8 {
			b.WriteString("… -> ")
			break
		}
		b.WriteString(g.l.Features[i].ID + " -> ")
	}
	b.WriteString(g.l.Features[ring[0]].ID)
	return b.String()
}
