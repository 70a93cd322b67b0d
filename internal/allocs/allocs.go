// Package allocs counts a function's allocations in tests, apart from those of Go's runtime.
package allocs

import "testing"

// PerRun returns the average number of allocations that f makes in a call, after a first call.
//
// [testing.AllocsPerRun] counts those of the whole program. The runtime allocates now and then, for
// instance when a goroutine first waits after a garbage collection. An allocation of f's is there
// every time, so PerRun returns the least of up to five counts.
func PerRun(runs int, f func()) float64 {
	n := testing.AllocsPerRun(runs, f)
	for try := 1; try < 5 && n > 0; try++ {
		n = min(n, testing.AllocsPerRun(runs, f))
	}
	return n
}
