package metrics

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// EachRow calls f for each of n rows, on all threads. Calls for different rows must not write to
// the same place; what they sum is summed afterwards, in order, so that the bits do not depend on
// the threads.
func EachRow(n int, f func(i int)) {
	const block = 64
	threads := min(runtime.GOMAXPROCS(0), (n+block-1)/block)
	if threads <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for range threads {
		done.Go(func() {
			for {
				first := int(next.Add(block)) - block
				if first >= n {
					return
				}
				for i := first; i < min(first+block, n); i++ {
					f(i)
				}
			}
		})
	}
	done.Wait()
}
