package dist

import (
	"fmt"
	"sync"
)

// Group returns a job for tests, whose ranks are goroutines of this process.
func Group(size int) []Comm {
	g := &group{size: size, parts: make([]any, size)}
	g.changed = sync.NewCond(&g.mutex)
	ranks := make([]Comm, size)
	for r := range ranks {
		ranks[r] = &member{g, r}
	}
	return ranks
}

// group is the memory that the ranks share.
type group struct {
	size  int
	parts []any // the part of each rank

	mutex   sync.Mutex
	changed *sync.Cond
	arrived int // number of ranks that wait at the barrier
	round   int // number of barriers that all ranks have passed
	aborted bool
}

type member struct {
	*group
	rank int
}

func (m *member) Rank() int { return m.rank }
func (m *member) Size() int { return m.size }

// exchange calls see with the parts of all ranks. No rank changes its part until all ranks have returned from see.
func (m *member) exchange(part any, see func(parts []any)) error {
	m.parts[m.rank] = part
	if err := m.Barrier(); err != nil {
		return err
	}
	see(m.parts)
	return m.Barrier()
}

// AllReduce adds up in the order of the ranks.
func (m *member) AllReduce(x []float64) error {
	sum := make([]float64, len(x))
	err := m.exchange(x, func(parts []any) {
		for _, part := range parts {
			for i, v := range part.([]float64) {
				sum[i] += v
			}
		}
	})
	if err != nil {
		return err
	}
	copy(x, sum)
	return nil
}

func (m *member) Broadcast(b []byte, root int) error {
	return m.exchange(b, func(parts []any) {
		if m.rank != root {
			copy(b, parts[root].([]byte))
		}
	})
}

func (m *member) Barrier() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	round := m.round
	if m.arrived++; m.arrived == m.size {
		m.arrived, m.round = 0, round+1
		m.changed.Broadcast()
	}
	for m.round == round && !m.aborted {
		m.changed.Wait()
	}
	if m.aborted {
		return ErrAborted
	}
	return nil
}

func (m *member) Abort(int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.aborted = true
	m.changed.Broadcast()
}

func (m *member) Close() error   { return m.Barrier() }
func (m *member) String() string { return fmt.Sprintf("%d goroutines", m.size) }
