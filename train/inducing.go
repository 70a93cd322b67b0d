package train

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

const (
	inducingRows = 10000 // rows that k-means and greedy look at
	kmeansRounds = 10
	// rows a worker takes at a time; fixed, so results do not depend on the workers
	rowBlock       = 256
	greedyNearZero = 1e-10
)

// inducingPoints chooses M rows or centres X̄ [M,D] from N scaled rows, of which x gives those from
// lo to hi−1. lengthscale is the RBF's for greedy selection. Where ctx ends before, its error is
// returned. progress is called with the share that is done.
func inducingPoints(ctx context.Context, method string, x func(lo, hi int) []float64, n, d, m int,
	lengthscale float64, seed uint64, progress ...func(share float64)) ([]float64, error) {
	advance := func(i, of int) {
		for _, report := range progress {
			report(float64(i) / float64(of))
		}
	}
	rows := subset(n, max(m, min(n, inducingRows)), seed)
	pool := make([]float64, len(rows)*d)
	for i, r := range rows {
		copy(pool[i*d:], x(r, r+1))
	}
	switch method {
	case options.InducingRandom:
		return slices.Clone(pool[:m*d]), nil
	case options.InducingAuto, options.InducingKMeans:
		return kmeans(ctx, pool, len(rows), d, m, advance), ctx.Err()
	case options.InducingGreedy:
		return greedy(ctx, pool, len(rows), d, m, lengthscale, advance), ctx.Err()
	}
	return nil, fmt.Errorf("train: no way %q to choose inducing points", method)
}

// subset is k different row numbers of n in random order: the first k of a Fisher–Yates shuffle.
func subset(n, k int, seed uint64) []int {
	key, c1, c2, c3 := device.Key{Seed: seed, Site: device.SiteSplit}.Words(0, 0)
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	for i := range k {
		j := i + int(uint64(philox.Uint32(key, c1, c2, c3, i))*uint64(n-i)>>32)
		rows[i], rows[j] = rows[j], rows[i]
	}
	return rows[:k]
}

// kmeans is Lloyd's algorithm from the first m rows of the pool, which are in random order. A
// cluster that loses all its rows keeps its centre.
func kmeans(ctx context.Context, x []float64, n, d, m int, advance func(i, of int)) []float64 {
	centre := slices.Clone(x[:m*d])
	nearest := make([]int, n)
	sum, count := make([]float64, m*d), make([]float64, m)
	for round := range kmeansRounds {
		advance(round, kmeansRounds)
		assign(ctx, nearest, x, centre, n, d, m)
		if ctx.Err() != nil {
			break
		}
		clear(sum)
		clear(count)
		for i, c := range nearest {
			count[c]++
			simd.Axpy64(1, x[i*d:(i+1)*d], sum[c*d:(c+1)*d])
		}
		for c, k := range count {
			if k == 0 {
				continue
			}
			for j := c * d; j < (c+1)*d; j++ {
				centre[j] = sum[j] / k
			}
		}
	}
	return centre
}

// assign finds each row's nearest centre: the largest x·c − ½‖c‖².
func assign(ctx context.Context, nearest []int, x, centre []float64, n, d, m int) {
	half := make([]float64, m)
	for c := range half {
		half[c] = simd.Dot64(centre[c*d:(c+1)*d], centre[c*d:(c+1)*d]) / 2
	}
	inBlocks(ctx, n, func() func(lo, hi int) {
		pack, dots := simd.NewPack64(), make([]float64, rowBlock*m)
		return func(lo, hi int) {
			simd.Gemm64(pack, false, true, hi-lo, m, d, 1, x[lo*d:], d, centre, d, 0, dots, m)
			for i := lo; i < hi; i++ {
				row, best := dots[(i-lo)*m:(i-lo+1)*m], 0
				for c, v := range row {
					if v-half[c] > row[best]-half[best] {
						best = c
					}
				}
				nearest[i] = best
			}
		}
	})
}

// greedy is the pivoted Cholesky factorisation of the RBF correlation matrix of the pool: each
// step takes the row whose variance given those already taken is largest.
func greedy(ctx context.Context, x []float64, n, d, m int, lengthscale float64, advance func(i, of int)) []float64 {
	out := make([]float64, 0, m*d)
	factor := make([]float64, n*m) // row i holds its first columns of the factor
	variance := make([]float64, n)
	for i := range variance {
		variance[i] = 1
	}
	for t := range m {
		advance(t, m)
		p := 0
		if ctx.Err() != nil {
			break
		}
		for i, v := range variance {
			if v > variance[p] {
				p = i
			}
		}
		// the pool is explained: the rest adds nothing, so take rows in order
		if variance[p] < greedyNearZero {
			for i := t; i < m; i++ {
				out = append(out, x[i*d:(i+1)*d]...)
			}
			return out
		}
		out = append(out, x[p*d:(p+1)*d]...)
		root := math.Sqrt(variance[p])
		inBlocks(ctx, n, func() func(lo, hi int) {
			return func(lo, hi int) {
				for i := lo; i < hi; i++ {
					k := rbf(x[i*d:(i+1)*d], x[p*d:(p+1)*d], lengthscale)
					v := (k - simd.Dot64(factor[i*m:i*m+t], factor[p*m:p*m+t])) / root
					if i != p {
						factor[i*m+t] = v
						variance[i] -= v * v
					}
				}
			}
		})
		factor[p*m+t] = root
		variance[p] = 0
	}
	return out
}

func rbf(a, b []float64, lengthscale float64) float64 {
	d2 := 0.0
	for i, v := range a {
		d2 += (v - b[i]) * (v - b[i])
	}
	return math.Exp(-d2 / (2 * lengthscale * lengthscale))
}

// inBlocks runs work over blocks of rows on all processors, until ctx ends; each worker makes its
// own scratch.
func inBlocks(ctx context.Context, n int, worker func() func(lo, hi int)) {
	blocks := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			work := worker()
			for lo := range blocks {
				work(lo, min(lo+rowBlock, n))
			}
		})
	}
	for lo := 0; lo < n && ctx.Err() == nil; lo += rowBlock {
		blocks <- lo
	}
	close(blocks)
	wg.Wait()
}
