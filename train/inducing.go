package train

import (
	"context"
	"fmt"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

const (
	inducingRows = 10000   // largest number of rows for k-means
	poolNumbers  = 1 << 26 // largest number of values in these rows, unless X̄ has more
	kmeansRounds = 10
	// rows that a worker takes at a time; it is fixed, so that results do not depend on the workers
	rowBlock = 256
)

// inducingSelector chooses X̄ among the training rows [N,D].
type inducingSelector struct {
	method   string
	m        int // rows or centres that are chosen
	seed     uint64
	progress func(share float64) // gets the finished share
}

// choose chooses X̄ [M,D] from n scaled rows of d columns; x gives the rows lo … hi−1. If ctx ends, its error is
// returned.
func (s inducingSelector) choose(ctx context.Context, x func(lo, hi int) []float64, n, d int) ([]float64, error) {
	rows := subset(n, s.poolSize(n, d), s.seed)
	p := pool{x: make([]float64, len(rows)*d), n: len(rows), d: d}
	for i, r := range rows {
		copy(p.row(i), x(r, r+1))
	}
	switch s.method {
	case options.InducingRandom:
		return slices.Clone(p.x[:s.m*d]), nil
	case options.Auto, options.InducingKMeans:
		return s.kmeans(ctx, p), ctx.Err()
	}
	return nil, fmt.Errorf("train: no way %q to choose inducing points", s.method)
}

// poolSize returns the number of rows, of n with d columns, that the method chooses from.
func (s inducingSelector) poolSize(n, d int) int {
	if s.method == options.InducingRandom {
		return s.m
	}
	return max(s.m, min(n, inducingRows, poolNumbers/max(1, d)))
}

// pool is the rows [n,d] that k-means chooses from, in random order.
type pool struct {
	x    []float64
	n, d int
}

func (p pool) row(i int) []float64 { return p.x[i*p.d : (i+1)*p.d] }

// subset draws k different row numbers of n in random order: the first k of a Fisher–Yates shuffle.
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

// kmeans runs Lloyd's algorithm from the first m rows of the pool. A cluster that loses all its rows keeps its centre.
func (s inducingSelector) kmeans(ctx context.Context, p pool) []float64 {
	d := p.d
	centre := slices.Clone(p.x[:s.m*p.d])
	nearest := make([]int, p.n)
	sum, count := make([]float64, s.m*d), make([]float64, s.m)
	for round := range kmeansRounds {
		s.progress(float64(round) / kmeansRounds)
		p.assign(ctx, nearest, centre)
		if ctx.Err() != nil {
			break
		}
		clear(sum)
		clear(count)
		for i, k := range nearest {
			count[k]++
			simd.Axpy64(1, p.row(i), sum[k*d:(k+1)*d])
		}
		for k, rows := range count {
			if rows == 0 {
				continue
			}
			for j := k * d; j < (k+1)*d; j++ {
				centre[j] = sum[j] / rows
			}
		}
	}
	return centre
}

// assign finds each row's nearest centre: the largest x·c − ½‖c‖².
func (p pool) assign(ctx context.Context, nearest []int, centre []float64) {
	d, m := p.d, len(centre)/p.d
	half := make([]float64, m)
	for c := range half {
		half[c] = simd.Dot64(centre[c*d:(c+1)*d], centre[c*d:(c+1)*d]) / 2
	}
	parallel.Blocks(ctx, p.n, rowBlock, func() func(lo, hi int) {
		pack := simd.NewPack[float64]()
		dots := make([]float64, rowBlock*m)
		return func(lo, hi int) {
			simd.Gemm64(pack, false, true, hi-lo, m, d, 1, p.x[lo*d:], d, centre, d, 0, dots, m)
			for i := lo; i < hi; i++ {
				row := dots[(i-lo)*m : (i-lo+1)*m]
				best := 0
				for c, v := range row {
					if v-half[c] > row[best]-half[best] {
						best = c
					}
				}
				nearest[i] = best
			}
		}
	}, func(do func(lo, hi int), lo, hi int) { do(lo, hi) })
}
