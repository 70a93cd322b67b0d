// Package parallel shares work among goroutines, in blocks that do not depend on how many there are.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Blocks runs over 0 … n−1 in blocks of a size, on all threads. Each goroutine has a separate state; the states are
// returned. Once ctx is done it begins no more blocks.
func Blocks[T any](ctx context.Context, n, size int, start func() T, run func(state T, lo, hi int)) []T {
	states := make([]T, max(1, min(runtime.GOMAXPROCS(0), (n+size-1)/size)))
	var next atomic.Int64
	work := func(w int) {
		states[w] = start()
		for ctx.Err() == nil {
			hi := int(next.Add(int64(size)))
			if hi-size >= n {
				return
			}
			run(states[w], hi-size, min(hi, n))
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < len(states); w++ {
		wg.Go(func() { work(w) })
	}
	work(0)
	wg.Wait()
	return states
}

// Each runs Blocks without states.
func Each(ctx context.Context, n, size int, run func(lo, hi int)) {
	Blocks(ctx, n, size, func() struct{} { return struct{}{} }, func(_ struct{}, lo, hi int) { run(lo, hi) })
}
