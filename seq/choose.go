package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// Ways to choose the inducing points X̄ among training sequences.
const (
	ChooseRandom   = "random"
	ChooseKMedoids = "kmedoids" // the sequences in the middle of clusters
)

const (
	poolRows     = 2000 // number of sequences that k-medoids looks at
	medoidRounds = 10
	chooseSite   = 0x73657100 // "seq": keeps this use of a seed apart from every other
)

// InducingOptions are a way to choose inducing points.
type InducingOptions struct {
	Method string
	M      int // number of inducing points, at most the number of sequences
	Seed   uint64
}

// ChooseInducing picks inducing points among the sequences of a set, as row numbers in the order they were chosen.
// Distances are the mean of ‖φ_i − φ_i'‖² over the maps of the spec.
//
// KMedoids looks at 2000 sequences at most, drawn by the seed; tf-idf counts no others here. An error may be the error
// of ctx.
func ChooseInducing(ctx context.Context, spec Spec, set *Set, c InducingOptions) ([]int, error) {
	n, m := set.N(), c.M
	if m < 1 || m > n {
		return nil, fmt.Errorf("seq: %d inducing points of %d sequences", m, n)
	}
	order := make([]int, n)
	philox.Permutation(order, [2]uint32{uint32(c.Seed), uint32(c.Seed >> 32)}, 0, 0, chooseSite)
	pool := order[:max(m, min(n, poolRows))]
	if c.Method == ChooseRandom {
		return pool[:m], nil
	}
	if c.Method != ChooseKMedoids {
		return nil, fmt.Errorf("seq: no way %q to choose inducing points", c.Method)
	}
	d2, err := meanDistances(ctx, spec, set.Subset(pool))
	if err != nil {
		return nil, err
	}
	chosen := medoids(ctx, d2, len(pool), m)
	for i, at := range chosen {
		chosen[i] = pool[at]
	}
	return chosen, ctx.Err()
}

// meanDistances returns the mean distances between sequences of the pool [P,P].
func meanDistances(ctx context.Context, spec Spec, pool *Set) (sum []float64, err error) {
	for i, t := range spec {
		d2, _, err := distancesAmong(subProgress(ctx, i, len(spec)), t, pool)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = d2
			continue
		}
		for i, d := range d2 {
			sum[i] += d
		}
	}
	for i := range sum {
		sum[i] /= float64(len(spec))
	}
	return sum, nil
}

// medoids starts from the first m rows, which are in random order. It alternates between two steps: each row goes to
// its nearest medoid, and each medoid moves to the row with the smallest sum of distances in its cluster.
func medoids(ctx context.Context, d2 []float64, n, m int) []int {
	medoid := make([]int, m)
	for c := range medoid {
		medoid[c] = c
	}
	cluster := make([][]int, m)
	for range medoidRounds {
		for c := range cluster {
			cluster[c] = cluster[c][:0]
		}
		for i := range n {
			best := 0
			for c, at := range medoid {
				if at == i { // a medoid is in its own cluster, even if it has a twin
					best = c
					break
				}
				if d2[i*n+at] < d2[i*n+medoid[best]] {
					best = c
				}
			}
			cluster[best] = append(cluster[best], i)
		}
		if ctx.Err() != nil {
			break
		}
		moved := false
		for c, rows := range cluster {
			least := math.Inf(1)
			at := medoid[c]
			for _, i := range rows {
				sum := 0.0
				for _, j := range rows {
					sum += d2[i*n+j]
				}
				if sum < least {
					least, at = sum, i
				}
			}
			moved = moved || at != medoid[c]
			medoid[c] = at
		}
		if !moved {
			break
		}
	}
	return medoid
}
