package train

import (
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

const (
	principalRows   = 10000 // rows that are looked at
	principalRounds = 30
	// of the longest direction's length: the rows do not vary along one that is shorter
	principalLeast = 1e-8
)

// principal is the k principal directions [D,k] of N scaled rows, of which x gives those from lo to
// hi−1, by orthogonal iteration of their covariance: unit vectors by falling variance, the largest
// element of each positive, and zeros where the rows vary along fewer. Where ctx ends before, its
// error is returned.
func principal(ctx context.Context, x func(lo, hi int) []float64, n, d, k int, seed uint64) ([]float64, error) {
	numbers := subset(n, min(n, principalRows), seed)
	rows, mean := make([]float64, len(numbers)*d), make([]float64, d)
	for i, r := range numbers {
		copy(rows[i*d:], x(r, r+1))
		simd.Axpy64(1/float64(len(numbers)), rows[i*d:][:d], mean)
	}
	for i := range numbers {
		simd.Axpy64(-1, mean, rows[i*d:][:d])
	}
	// v [k,D] has a direction in each row. It starts from rows of the data, which lie in the space
	// that they span.
	v, scores, pack := make([]float64, k*d), make([]float64, len(numbers)*k), simd.NewPack64()
	for j := range min(k, len(numbers)) {
		copy(v[j*d:][:d], rows[j*d:])
	}
	for range principalRounds {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		orthonormalise(v, d)
		simd.Gemm64(pack, false, true, len(numbers), k, d, 1, rows, d, v, d, 0, scores, k)
		simd.Gemm64(pack, true, false, k, d, len(numbers), 1, scores, k, rows, d, 0, v, d)
	}
	orthonormalise(v, d)
	out := make([]float64, d*k)
	for j := range k {
		for i, u := range upright(v[j*d:][:d]) {
			out[i*k+j] = u
		}
	}
	return out, nil
}

// orthonormalise makes the rows of v, d numbers each, orthogonal unit vectors, in order; one that
// lies in the span of those before becomes 0.
func orthonormalise(v []float64, d int) {
	longest := 0.0
	for j := 0; j < len(v); j += d {
		longest = max(longest, math.Sqrt(simd.Dot64(v[j:][:d], v[j:][:d])))
	}
	for j := 0; j < len(v); j += d {
		row := v[j:][:d]
		for range 2 { // once more against rounding
			for o := 0; o < j; o += d {
				simd.Axpy64(-simd.Dot64(row, v[o:][:d]), v[o:][:d], row)
			}
		}
		length := math.Sqrt(simd.Dot64(row, row))
		for i := range row {
			if length <= principalLeast*longest {
				row[i] = 0
			} else {
				row[i] /= length
			}
		}
	}
}

// upright turns a vector so that its largest element is positive.
func upright(v []float64) []float64 {
	at := 0
	for i, u := range v {
		if math.Abs(u) > math.Abs(v[at]) {
			at = i
		}
	}
	if v[at] < 0 {
		for i := range v {
			v[i] = -v[i]
		}
	}
	return v
}
