package dist

import (
	"fmt"
	"sync"
)

// Group is a job whose ranks are goroutines of this process, for tests.
func Group(size int) []Comm {
	g := &group{size: size, parts: make([]any, size)}
	g.changed = sync.NewCond(&g.mutex)
	ranks := make([]Comm, size)
	for r := range ranks {
		ranks[r] = &member{g, r}
	}
	return ranks
}

// group is a place where all ranks lay something down, and leave when all have taken what they
// need.
type group struct {
	size    int
	mutex   sync.Mutex
	changed *sync.Cond
	parts   []any
	arrived int
	inside  int // ranks that have yet to take what they need
	aborted bool
}

type member struct {
	*group
	rank int
}

// meet lays down part and calls take when those of all ranks are there. No rank changes a part
// until all have taken theirs.
func (m *member) meet(part any, take func(parts []any)) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for m.inside > 0 && !m.aborted { // ranks have yet to leave the meeting before
		m.changed.Wait()
	}
	m.parts[m.rank] = part
	if m.arrived++; m.arrived == m.size {
		m.inside = m.size
		m.changed.Broadcast()
	}
	for m.inside == 0 && !m.aborted {
		m.changed.Wait()
	}
	if m.aborted {
		return ErrAborted
	}
	take(m.parts)
	if m.inside--; m.inside == 0 {
		m.arrived = 0
		m.changed.Broadcast()
	}
	return nil
}

func (m *member) Rank() int { return m.rank }
func (m *member) Size() int { return m.size }

// AllReduce adds up in the order of the ranks.
func (m *member) AllReduce(x []float64) error {
	sum := make([]float64, len(x))
	err := m.meet(x, func(parts []any) {
		for _, part := range parts {
			for i, v := range part.([]float64) {
				sum[i] += v
			}
		}
	})
	if err != nil {
		return err
	}
	// x is read by others until they have left
	if err := m.Barrier(); err != nil {
		return err
	}
	copy(x, sum)
	return nil
}

func (m *member) Broadcast(b []byte, root int) error {
	var from []byte
	if m.rank == root {
		from = b
	}
	err := m.meet(from, func(parts []any) {
		if m.rank != root {
			copy(b, parts[root].([]byte))
		}
	})
	if err != nil {
		return err
	}
	return m.Barrier()
}

func (m *member) Barrier() error { return m.meet(nil, func([]any) {}) }

func (m *member) Abort(int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.aborted = true
	m.changed.Broadcast()
}

func (m *member) Close() error   { return m.Barrier() }
func (m *member) String() string { return fmt.Sprintf("%d goroutines", m.size) }
