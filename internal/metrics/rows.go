package metrics

import (
	"context"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
)

// EachRow calls f for each of n rows, on all threads. Calls for different rows must not write to the same place; their
// results are summed afterwards, in order, so that the bits do not depend on the threads.
func EachRow(n int, f func(i int)) {
	EachPart(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// PartRows is the number of rows of a part of EachPart; the last part may have fewer.
const PartRows = 64

// EachPart works like EachRow, with the rows lo … hi−1 at a time.
func EachPart(n int, f func(lo, hi int)) { parallel.Each(context.Background(), n, PartRows, f) }

// Order returns the numbers 0 … n−1, sorted; equal elements stay in order.
func Order(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}
