package scaling

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// Pixels, spectra and sensors are many columns that say much the same. Their first principal components hold most of
// what they say. A kernel of components has a length-scale for each direction, and fewer inputs take less time.
const (
	maxComponents     = 100        // number of components
	componentRows     = 4096       // training rows that are used
	componentCells    = 1 << 22    // values of these rows, except that there are twice as many rows as components
	componentRounds   = 8          // of the subspace iteration
	componentsBesides = 10         // directions that the iteration has besides, for it to find the last ones sooner
	componentSite     = 0x636f6d70 // "comp"
)

// FitComponents fits a Projection to the first principal components of the columns of training rows, which s scales.
// shares are the parts of the variance that they hold. The same rows give the same Projection. The error is that of
// ctx.
func FitComponents(ctx context.Context, d *data.Dataset, s Scaler) (p *Projection, shares []float64, err error) {
	w := d.D()
	sample, _ := d.Sample(min(componentRows, max(componentCells/w, 2*maxComponents)), 0)
	n := sample.N()
	x := s.Rows(sample.X, 0, n)
	centre := centreColumns(x, n, w)
	all := floats.Dot(x, x)
	axes, lengths, err := principalAxes(ctx, x, n, w)
	if err != nil {
		return nil, nil, err
	}
	p = &Projection{Of: w, Columns: matrix.Every(w), Scaler: s, Components: true}
	for k, l := range lengths {
		if k < maxComponents && l > 1e-12*lengths[0] {
			p.OutputNames = append(p.OutputNames, fmt.Sprint("component ", k+1))
			shares = append(shares, l/all)
		}
	}
	p.Weights, p.Offsets = make([]float64, w*len(p.OutputNames)), make([]float64, len(p.OutputNames))
	for k := range p.OutputNames {
		for j, v := range axes[k*w : (k+1)*w] {
			v = float64(float32(v))
			p.Weights[j*len(p.OutputNames)+k] = v
			p.Offsets[k] += v * centre[j]
		}
	}
	return p, shares, nil
}

// centreColumns subtracts the means from the columns of x [N,D], and returns them. What varies by rounding errors alone
// becomes 0.
func centreColumns(x []float64, n, d int) []float64 {
	centre := means(x, d, matrix.Every(n))
	variation := make([]float64, d)
	for i := range n {
		row := x[i*d : (i+1)*d]
		floats.Sub(row, centre)
		for j, v := range row {
			variation[j] += v * v
		}
	}
	for j, v := range variation {
		if v <= 1e-20*float64(n)*centre[j]*centre[j] {
			for i := range n {
				x[i*d+j] = 0
			}
		}
	}
	return centre
}

// principalAxes finds the first principal axes [P,D] of centred rows x [N,D], unit vectors, and the squared lengths of
// x along them, the largest first. It iterates a subspace, after Halko, Martinsson and Tropp (2011).
func principalAxes(ctx context.Context, x []float64, n, d int) (axes, lengths []float64, err error) {
	p := min(maxComponents+componentsBesides, n, d)
	pack := simd.NewPack[float64]()
	q, along := make([]float64, p*d), make([]float64, n*p)
	for i := range q {
		q[i] = philox.Normal([2]uint32{}, componentSite, 0, 0, i)
	}
	for range componentRounds {
		orthonormalise(q, p, d)
		simd.Gemm64(pack, false, true, n, p, d, 1, x, d, q, d, 0, along, p)
		simd.Gemm64(pack, true, false, p, d, n, 1, along, p, x, d, 0, q, d)
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
	}
	orthonormalise(q, p, d)
	simd.Gemm64(pack, false, true, n, p, d, 1, x, d, q, d, 0, along, p)
	gram := make([]float64, p*p)
	simd.Gemm64(pack, true, false, p, p, n, 1, along, p, along, p, 0, gram, p)
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(p, gram), true) {
		panic("scaling: the variances of columns are not finite")
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	lengths = e.Values(nil)
	axes = make([]float64, p*d)
	slices.Reverse(lengths)
	for k := range p {
		axis := axes[k*d : (k+1)*d]
		sign := 0.0
		for i := range p {
			simd.Axpy64(vectors.At(i, p-1-k), q[i*d:(i+1)*d], axis)
		}
		for _, v := range axis { // the largest weight is positive
			if math.Abs(v) > math.Abs(sign) {
				sign = v
			}
		}
		if sign < 0 {
			floats.Scale(-1, axis)
		}
	}
	return axes, lengths, nil
}

// orthonormalise makes the rows of q [P,D] orthonormal, twice, as rounding errors of the first time are large where
// rows are nearly parallel. A row that depends on those before it becomes 0.
func orthonormalise(q []float64, p, d int) {
	for i := range p {
		row := q[i*d : (i+1)*d]
		for range 2 {
			before := floats.Norm(row, 2)
			for k := range i {
				other := q[k*d : (k+1)*d]
				floats.AddScaled(row, -floats.Dot(other, row), other)
			}
			after := floats.Norm(row, 2)
			if !(after > 1e-12*before) {
				clear(row)
				break
			}
			floats.Scale(1/after, row)
		}
	}
}
