package metrics

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// EachRow calls f for each of n rows, on all threads. Calls for different rows must not write to
// the same place; their results are summed afterwards, in order, so that the bits do not depend on
// the threads.
func EachRow(n int, f func(i int)) {
	EachPart(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// PartRows is how many rows a part of EachPart has; the last one may have fewer.
const PartRows = 64

// EachPart is EachRow of the rows lo … hi−1 at a time.
func EachPart(n int, f func(lo, hi int)) {
	threads := min(runtime.GOMAXPROCS(0), (n+PartRows-1)/PartRows)
	if threads <= 1 {
		for lo := 0; lo < n; lo += PartRows {
			f(lo, min(lo+PartRows, n))
		}
		return
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for range threads {
		done.Go(func() {
			for {
				hi := int(next.Add(PartRows))
				if hi-PartRows >= n {
					return
				}
				f(hi-PartRows, min(hi, n))
			}
		})
	}
	done.Wait()
}
