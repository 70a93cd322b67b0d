package cpu

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// task is work that falls into independent blocks. What a block is never depends
// on the number of workers, and no two blocks write the same number, so the
// result has the same bits however the blocks are dealt out.
type task interface {
	run(w *worker, block int)
}

// worker is the scratch of one goroutine: numbered buffers, with any contents. Blocks are
// dealt out as workers come, so an operation reserves what its blocks use before it
// starts; up to smallScratch elements are always there.
type worker struct {
	pack32 *simd.Pack32
	pack64 *simd.Pack64
	f32    [buffers][]float32
	f64    [buffers][]float64
}

const (
	buffers      = 2
	smallScratch = 4096
)

func newWorker() *worker {
	w := &worker{pack32: simd.NewPack32(), pack64: simd.NewPack64()}
	for i := range buffers {
		w.f32[i], w.f64[i] = make([]float32, smallScratch), make([]float64, smallScratch)
	}
	return w
}

// double is buffer i in double.
func (w *worker) double(i, n int) []float64 { return w.f64[i][:n] }

// reserve makes room for n elements in every worker's buffer i in double.
func (p *pool) reserve(i, n int) {
	for _, w := range p.workers {
		if len(w.f64[i]) < n {
			w.f64[i] = make([]float64, n)
		}
	}
}

// grow returns n elements of buf, with any contents, and makes room at the first call.
func grow[E any](buf *[]E, n int) []E {
	if cap(*buf) < n {
		*buf = make([]E, n)
	}
	return (*buf)[:n]
}

// pool runs the blocks of one task at a time on a fixed set of workers, of which
// the caller's goroutine is the first.
type pool struct {
	workers []*worker
	wake    []chan struct{} // one for each worker but the first; closed by close
	task    task
	blocks  int64
	next    atomic.Int64
	busy    sync.WaitGroup
	failed  atomic.Pointer[failure]

	inlineWork int // work below this is done by the caller alone
}

// failure is a panic on a worker's goroutine, kept for the caller.
type failure struct {
	value any
	stack []byte
}

func newPool(workers int) *pool {
	p := &pool{inlineWork: inlineWork}
	for i := range workers {
		w := newWorker()
		p.workers = append(p.workers, w)
		if i == 0 {
			continue
		}
		wake := make(chan struct{}, 1)
		p.wake = append(p.wake, wake)
		go func() {
			for range wake {
				p.drain(w)
				p.busy.Done()
			}
		}()
	}
	return p
}

func (p *pool) close() {
	for _, wake := range p.wake {
		close(wake)
	}
	p.wake = nil
}

// inlineWork is the number of multiplications, or their like, below which waking the
// workers costs more than it gains.
const inlineWork = 1 << 15

// do runs all blocks of t; work is their cost in multiplications, roughly.
func (p *pool) do(t task, blocks, work int) {
	helpers := min(len(p.wake), blocks-1)
	if helpers <= 0 || work < p.inlineWork {
		for i := range blocks {
			t.run(p.workers[0], i)
		}
		return
	}
	p.task, p.blocks = t, int64(blocks)
	p.next.Store(0)
	p.busy.Add(helpers)
	for _, wake := range p.wake[:helpers] {
		wake <- struct{}{}
	}
	p.drain(p.workers[0])
	p.busy.Wait()
	p.task = nil
	if f := p.failed.Swap(nil); f != nil {
		panic(fmt.Sprintf("device: %v\n%s", f.value, f.stack))
	}
}

// drain runs blocks until none are left. A panic ends this worker's part, and is kept.
func (p *pool) drain(w *worker) {
	defer func() {
		if v := recover(); v != nil {
			p.failed.CompareAndSwap(nil, &failure{v, debug.Stack()})
		}
	}()
	for {
		i := p.next.Add(1) - 1
		if i >= p.blocks {
			return
		}
		p.task.run(w, int(i))
	}
}

// blocksOf is how many blocks of a size cover n.
func blocksOf(n, size int) int { return (n + size - 1) / size }

// span is block i of a size in 0 … n.
func span(i, size, n int) (lo, hi int) { return i * size, min(n, (i+1)*size) }
