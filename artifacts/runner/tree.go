package runner

import (
	"os"
	"sync"
)

// A Tree is what a kept command left running. It ends with the server, also when
// the server is killed.
type Tree struct {
	family *family
	output *os.File // the read end of its output
	once   sync.Once
}

// release stops watching a tree that has ended.
func (t *Tree) release() {
	t.once.Do(t.drop)
}

func (t *Tree) drop() {
	t.family.close()
	t.output.Close()
}

// End ends every process of the tree and waits until they are gone. Further calls
// do nothing; so does one on nil.
func (t *Tree) End() {
	if t == nil {
		return
	}
	t.once.Do(func() {
		t.family.end()
		t.drop()
	})
}
