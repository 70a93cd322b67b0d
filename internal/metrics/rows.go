package metrics

import (
	"context"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
)

// EachRow calls f for each of n rows, on all threads. Calls for different rows must not write to the same place; their
// results are summed afterwards, in order, so that the bits do not depend on the threads.
func EachRow(n int, f func(i int)) {
	EachChunk(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// ChunkRows is the number of rows of a chunk of EachChunk; the last chunk may have fewer.
const ChunkRows = 64

// EachChunk works like EachRow, with the rows lo … hi−1 at a time.
func EachChunk(n int, f func(lo, hi int)) { parallel.Each(context.Background(), n, ChunkRows, f) }

// ArgSort returns the numbers 0 … n−1, sorted; equal elements stay in order.
func ArgSort(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}
