// Package allocs counts a function's allocations in tests, without the allocations of Go's runtime.
package allocs

import "testing"

// PerRun returns the average number of allocations that f makes in a call, after a first call.
//
// [testing.AllocsPerRun] counts the allocations of the whole program. The runtime allocates now and then, for instance
// when a goroutine first waits after a garbage collection. An allocation of f is there every time, so that PerRun
// returns the least of up to five counts.
func PerRun(runs int, f func()) float64 {
	n := testing.AllocsPerRun(runs, f)
	for try := 1; try < 5 && n > 0; try++ {
		n = min(n, testing.AllocsPerRun(runs, f))
	}
	return n
}
