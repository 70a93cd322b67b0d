package cpu

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// task is work that falls into independent blocks. Blocks do not depend on the number of workers, and no two blocks
// write the same number. So the result does not depend on which worker computes which block.
type task interface {
	run(w *worker, block int)
}

// worker is the scratch of one goroutine: numbered buffers, with any contents. Any worker may take a block, so an
// operation reserves the buffers of its blocks before it starts. Up to smallScratch elements are always available.
type worker struct {
	single  buffers[float32]
	doubles buffers[float64]
}

type buffers[T Float] struct {
	pack *simd.Pack[T]
	data [2][]T
}

const smallScratch = 4096

func newBuffers[T Float]() buffers[T] {
	return buffers[T]{simd.NewPack[T](), [2][]T{make([]T, smallScratch), make([]T, smallScratch)}}
}

// double returns buffer i in double.
func (w *worker) double(i, n int) []float64 { return w.doubles.data[i][:n] }

// reserve makes room for n elements in every worker's buffer i in double.
func (p *pool) reserve(i, n int) { doubles.reserve(p, i, n) }

// pool runs the blocks of one task at a time on a fixed set of workers, of which the first is the goroutine of the
// caller.
type pool struct {
	workers []*worker
	helpers []*helper // goroutines of all workers but the first
	task    task
	blocks  int64
	queued  atomic.Int64 // number of blocks that no worker has begun
	running atomic.Int64 // number of blocks that are not finished
	waiting atomic.Bool  // the caller sleeps until the last block is finished
	done    chan struct{}
	failed  atomic.Pointer[failure]
	budget

	InlineWork int // the caller alone does work below this
	spins      int // number of checks for work, or for its end, before a worker sleeps
}

// helper is a goroutine that takes blocks. While it sleeps, the caller has to wake it.
type helper struct {
	asleep atomic.Bool
	wake   chan struct{} // closed by close
}

// failure is a panic in a block, kept for the caller.
type failure struct {
	value any
	stack []byte
}

const (
	// inlineWork is the number of multiplications, or similar operations, below which helpers cost more than they gain.
	inlineWork = 1 << 14
	// spins takes about fifty microseconds. Putting a goroutine to sleep and waking it takes about ten, and the system
	// may wake it on the caller's core. A step of a small model has dozens of operations of that length.
	spins = 1 << 17
)

func newPool(workers, spins int) *pool {
	p := &pool{InlineWork: inlineWork, done: make(chan struct{}, 1), spins: spins}
	if workers > runtime.GOMAXPROCS(0) { // a spinning worker would keep another from running
		p.spins = 0
	}
	for i := range workers {
		w := &worker{newBuffers[float32](), newBuffers[float64]()}
		p.workers = append(p.workers, w)
		if i > 0 {
			h := &helper{wake: make(chan struct{}, 1)}
			p.helpers = append(p.helpers, h)
			go p.help(h, w)
		}
	}
	return p
}

func (p *pool) close() {
	for _, h := range p.helpers {
		close(h.wake)
	}
	p.helpers = nil
}

// do runs all blocks of t; work is their cost in multiplications, roughly.
func (p *pool) do(t task, blocks, work int) {
	if p.dry() {
		return
	}
	if len(p.helpers) == 0 || blocks < 2 || work < p.InlineWork {
		for i := range blocks {
			t.run(p.workers[0], i)
		}
		return
	}
	p.task = t
	p.blocks = int64(blocks)
	p.running.Store(int64(blocks))
	p.queued.Store(int64(blocks)) // helpers that are awake see this
	for _, h := range p.helpers[:min(len(p.helpers), blocks-1)] {
		if h.asleep.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
		}
	}
	p.drain(p.workers[0])
	p.await()
	p.task = nil
	if f := p.failed.Swap(nil); f != nil {
		panic(fmt.Sprintf("device: %v\n%s", f.value, f.stack))
	}
}

// await waits until all blocks are finished. A helper that was late for the end of the previous task may wake it early.
func (p *pool) await() {
	for range p.spins {
		if p.running.Load() == 0 {
			return
		}
	}
	for p.running.Load() > 0 {
		p.waiting.Store(true)
		if p.running.Load() == 0 && p.waiting.CompareAndSwap(true, false) {
			return
		}
		<-p.done
	}
}

// help runs the loop of a helper's goroutine.
func (p *pool) help(h *helper, w *worker) {
	for {
		for range p.spins {
			if p.queued.Load() > 0 {
				break
			}
		}
		h.asleep.Store(true)
		if p.queued.Load() == 0 || !h.asleep.CompareAndSwap(true, false) {
			if _, open := <-h.wake; !open {
				return
			}
		}
		p.drain(w)
	}
}

// drain runs blocks until none is queued. The task does not change until a block that a worker has taken is finished.
func (p *pool) drain(w *worker) {
	for n := p.queued.Load(); n > 0; n = p.queued.Load() {
		if !p.queued.CompareAndSwap(n, n-1) {
			continue
		}
		p.run(w, int(p.blocks-n))
		if p.running.Add(-1) == 0 && p.waiting.CompareAndSwap(true, false) {
			p.done <- struct{}{}
		}
	}
}

// run runs one block, and keeps its panic.
func (p *pool) run(w *worker, block int) {
	defer func() {
		if v := recover(); v != nil {
			p.failed.CompareAndSwap(nil, &failure{v, debug.Stack()})
		}
	}()
	p.task.run(w, block)
}

// blocksOf returns the number of blocks of a size that cover n.
func blocksOf(n, size int) int { return (n + size - 1) / size }

// spanOf returns a block's array and its numbers lo … hi−1, for arrays of n numbers, each in blocks of a size.
func spanOf(block, size, n int) (array, lo, hi int) {
	blocks := blocksOf(n, size)
	lo, hi = span(block%blocks, size, n)
	return block / blocks, lo, hi
}

// span returns the numbers lo … hi−1 of block i, for 0 … n−1 in blocks of a size.
func span(i, size, n int) (lo, hi int) { return i * size, min(n, (i+1)*size) }
