package scaling

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/parallel"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// Projection replaces many columns by fewer inputs, called scores, each a weighted sum of columns: a ridge regression
// for each target or class of a wide table, or principal components. It is fitted on training rows and kept in the
// model. A nil Projection changes nothing.
type Projection struct {
	Of          int       `json:"of"`      // number of columns of a row
	Columns     []int     `json:"columns"` // columns that the scores read, ascending
	Scaler      Scaler    `json:"scaler"`  // scaler of these columns
	OutputNames []string  `json:"scores"`  // names of the scores [P]
	Offsets     []float64 `json:"offsets"` // [P]
	// Components: the scores are principal components
	Components bool      `json:"components,omitempty"`
	Weights    []float64 `json:"-"` // [len(Columns),P], in single precision
}

// Width returns the number of inputs that the model has for rows with d columns.
func (p *Projection) Width(d int) int {
	if p == nil {
		return d
	}
	return len(p.OutputNames)
}

// String describes the inputs.
func (p *Projection) String() string {
	of, score := phrase.Plural(p.Of, "column"), "ridge score"
	if len(p.Columns) < p.Of {
		of = fmt.Sprintf("%d of %s", len(p.Columns), of)
	}
	if p.Components {
		score = "principal component"
	}
	return fmt.Sprintf("%s of %s", phrase.Plural(len(p.OutputNames), score), of)
}

// Apply returns a data set with the inputs of the model in place of its columns. It returns a set that has them already
// unchanged.
func (p *Projection) Apply(d *data.Dataset) *data.Dataset {
	if p == nil || d == nil || d.IsProjected() {
		return d
	}
	n, w := d.N(), len(p.OutputNames)
	x := make([]float64, n*w)
	parallel.Each(context.Background(), n, 64, func(lo, hi int) {
		row, read := make([]float64, d.D()), make([]float64, len(p.Columns))
		for i := lo; i < hi; i++ {
			p.score(matrix.Row(row, d.X, i), read, x[i*w:(i+1)*w])
		}
	})
	return d.WithFeatures(matrix.New(n, w, x), p.OutputNames, !p.Components)
}

// score computes the scores of the cells of a row. read has room for the cells that are read.
func (p *Projection) score(cells, read, to []float64) {
	for k, j := range p.Columns {
		read[k] = cells[j]
	}
	p.Scaler.Apply(read, read)
	for j, o := range p.Offsets {
		to[j] = -o
	}
	for k, v := range read {
		simd.Axpy64(v, p.Weights[k*len(to):(k+1)*len(to)], to)
	}
}

// subset returns the scaler of some columns, without their ranges.
func (s Scaler) subset(columns []int) Scaler {
	to := Scaler{Kind: s.Kind, Clip: s.Clip,
		Center: matrix.Pick(s.Center, columns), Scale: matrix.Pick(s.Scale, columns)}
	if s.Log != nil {
		to.Log = &LogScale{matrix.Pick(s.Log.Min, columns), matrix.Pick(s.Log.Unit, columns)}
	}
	if s.Tails != nil {
		to.Tails = &AsinhScale{matrix.Pick(s.Tails.Middle, columns), matrix.Pick(s.Tails.Unit, columns)}
	}
	return to
}

// Reads reports whether the scores read any of the columns. A nil Projection reads all.
func (p *Projection) Reads(columns []int) bool {
	return p == nil || slices.ContainsFunc(columns, func(j int) bool {
		_, found := slices.BinarySearch(p.Columns, j)
		return found
	})
}

// LengthScales returns length-scales of the columns, from those of the inputs; nil if there are none. For a column of
// weight w, it is 1/w of the input's length-scale. It is infinite for a column that is not read.
func (p *Projection) LengthScales(inputs []float64) []float64 {
	if p == nil || inputs == nil {
		return inputs
	}
	all := slices.Repeat([]float64{math.Inf(1)}, p.Of)
	for k, j := range p.Columns {
		sum := 0.0
		for i, w := range p.Weights[k*len(inputs) : (k+1)*len(inputs)] {
			sum += w * w / inputs[i] / inputs[i]
		}
		all[j] = 1 / math.Sqrt(sum)
	}
	return all
}

// Check reports the faults of a Projection of a file.
func (p *Projection) Check() error {
	k := len(p.Columns)
	s := p.Scaler
	switch {
	case k < 1 || !slices.IsSorted(p.Columns) || p.Columns[0] < 0 || p.Columns[k-1] >= p.Of ||
		len(slices.Compact(slices.Clone(p.Columns))) < k:
		return fmt.Errorf("%d projected columns of %d", k, p.Of)
	case len(p.OutputNames) < 1 || len(p.Offsets) != len(p.OutputNames):
		return fmt.Errorf("%d scores with %d offsets", len(p.OutputNames), len(p.Offsets))
	case len(s.Center) != k || len(s.Scale) != k || s.Log != nil && (len(s.Log.Min) != k || len(s.Log.Unit) != k),
		s.Tails != nil && (len(s.Tails.Middle) != k || len(s.Tails.Unit) != k):
		return fmt.Errorf("%d projected columns and a scaler of others", k)
	case slices.ContainsFunc(s.Scale, func(scale float64) bool { return !(scale > 0) }):
		return fmt.Errorf("the scales %g of projected columns", s.Scale)
	}
	return nil
}
