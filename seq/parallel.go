package seq

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
)

// rowBlock is the number of sequences that a goroutine takes at a time; fixed, so that results do not depend on the
// goroutines.
const rowBlock = 32

// eachBlock runs over 0 … n−1 in blocks, by several goroutines. Once ctx is done it begins no more.
func eachBlock(ctx context.Context, n int, run func(lo, hi int)) {
	inBlocks(ctx, n, func() struct{} { return struct{}{} }, func(_ struct{}, lo, hi int) { run(lo, hi) })
}

// inBlocks does as eachBlock does, with a state for each goroutine. It returns the states.
func inBlocks[T any](ctx context.Context, n int, start func() T, run func(state T, lo, hi int)) []T {
	blocks := (n + rowBlock - 1) / rowBlock
	var done atomic.Int64
	return parallel.Blocks(ctx, n, rowBlock, start, func(state T, lo, hi int) {
		run(state, lo, hi)
		report(ctx, float64(done.Add(1))/float64(blocks))
	})
}

type progressKey struct{}

// WithProgress lets functions of this package that get the context report the share of their work that is done, from 0
// to 1. The shares grow, and one goroutine at a time calls report.
func WithProgress(ctx context.Context, report func(share float64)) context.Context {
	var lock sync.Mutex
	last := 0.0
	return context.WithValue(ctx, progressKey{}, func(share float64) {
		lock.Lock()
		defer lock.Unlock()
		if share > last {
			last = share
			report(share)
		}
	})
}

// subProgress returns a context that reports the progress of part i of n equally long ones.
func subProgress(ctx context.Context, i, n int) context.Context {
	return subrange(ctx, float64(i)/float64(n), float64(i+1)/float64(n))
}

// subrange returns a context whose progress 0 … 1 is reported as from … to.
func subrange(ctx context.Context, from, to float64) context.Context {
	all, ok := ctx.Value(progressKey{}).(func(share float64))
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, func(share float64) { all(from + share*(to-from)) })
}

// withoutProgress returns a context that reports nothing.
func withoutProgress(ctx context.Context) context.Context {
	return context.WithValue(ctx, progressKey{}, nil)
}

// report reports that a share of the work of this context is done.
func report(ctx context.Context, share float64) {
	if to, ok := ctx.Value(progressKey{}).(func(share float64)); ok {
		to(share)
	}
}
