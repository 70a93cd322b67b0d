package seq

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
)

// rowBlock is the number of sequences that a goroutine takes at a time; fixed, so that results do
// not depend on the goroutines.
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

// progress reports the done share of a work, and the part of it that a context is for.
type progress struct {
	sink     *progressSink
	from, to float64
}

// progressSink calls report one at a time, with growing shares.
type progressSink struct {
	sync.Mutex
	report func(share float64)
	last   float64
}

type progressKey struct{}

// WithProgress lets functions of this package that get the context report the share of their work
// that is done, from 0 to 1. The shares grow, and one goroutine at a time calls report.
func WithProgress(ctx context.Context, report func(share float64)) context.Context {
	return context.WithValue(ctx, progressKey{}, progress{&progressSink{report: report}, 0, 1})
}

// phase returns a context that reports the progress of phase i of n equally long ones.
func phase(ctx context.Context, i, n int) context.Context {
	return subrange(ctx, float64(i)/float64(n), float64(i+1)/float64(n))
}

// subrange returns a context whose progress 0 … 1 is reported as from … to.
func subrange(ctx context.Context, from, to float64) context.Context {
	p, ok := ctx.Value(progressKey{}).(progress)
	if !ok {
		return ctx
	}
	all := p.to - p.from
	return context.WithValue(ctx, progressKey{}, progress{p.sink, p.from + from*all, p.from + to*all})
}

// report reports that a share of the work of this context is done.
func report(ctx context.Context, share float64) {
	p, ok := ctx.Value(progressKey{}).(progress)
	if !ok {
		return
	}
	p.sink.Lock()
	defer p.sink.Unlock()
	if done := p.from + share*(p.to-p.from); done > p.sink.last {
		p.sink.last = done
		p.sink.report(done)
	}
}
