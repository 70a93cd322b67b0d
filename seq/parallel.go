package seq

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// rowBlock is the number of sequences that a goroutine takes at a time; fixed, so that results do
// not depend on the goroutines.
const rowBlock = 32

// inBlocks runs over 0 … n−1 in blocks, each goroutine with a function and a state of its own,
// and returns the states. Once ctx is done it begins no more blocks.
func inBlocks[T any](ctx context.Context, n int, start func() (T, func(lo, hi int))) []T {
	blocks := (n + rowBlock - 1) / rowBlock
	workers := max(1, min(runtime.GOMAXPROCS(0), blocks))
	states := make([]T, workers)
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			state, f := start()
			states[w] = state
			for ctx.Err() == nil {
				b := int(next.Add(1)) - 1
				if b >= blocks {
					return
				}
				f(b*rowBlock, min((b+1)*rowBlock, n))
				tell(ctx, float64(done.Add(1))/float64(blocks))
			}
		})
	}
	wg.Wait()
	return states
}
