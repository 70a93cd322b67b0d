package data

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// Projection makes few inputs of the many columns of a wide table: some of these columns as they
// are, or principal components of some. It is fitted on training rows and kept in the model. A nil
// Projection changes nothing.
type Projection struct {
	Of      int   `json:"of"`      // how many columns a row has
	Columns []int `json:"columns"` // those that are read, ascending

	Scaler     *Scaler   `json:"scaler,omitempty"`     // of Columns; nil where they are the inputs themselves
	Components int       `json:"components,omitempty"` // P; 0 where there are none
	Offsets    []float64 `json:"offsets,omitempty"`    // of components [P]
	Weights    []float64 `json:"-"`                    // [len(Columns),P], in single precision
}

// fewestWide is how many columns a table has at most that is never wide: a model reads them all
// without effort.
const fewestWide = 64

// IsWide says whether the columns of training rows outnumber the rows so that a Projection pays.
func (d *Dataset) IsWide() bool {
	return d.Sequences == nil && d.Kernel == nil && d.D() > max(fewestWide, d.N())
}

// Width is how many inputs the model has of rows with d columns.
func (p *Projection) Width(d int) int {
	switch {
	case p == nil:
		return d
	case p.Components > 0:
		return p.Components
	}
	return len(p.Columns)
}

// String says what the inputs are.
func (p *Projection) String() string {
	if p.Components == 0 {
		return fmt.Sprintf("%d of %d columns", len(p.Columns), p.Of)
	}
	text := fmt.Sprintf("%d principal components of %d columns", p.Components, len(p.Columns))
	if p.Of > len(p.Columns) {
		text = fmt.Sprintf("%d principal components of %d of %d columns", p.Components, len(p.Columns), p.Of)
	}
	return text
}

// Apply is a data set with the inputs of the model in place of its columns. A set that has them
// already stays as it is.
func (p *Projection) Apply(d *Dataset) *Dataset {
	if p == nil || d == nil || d.projected {
		return d
	}
	n, w := d.N(), p.Width(d.D())
	to := *d
	to.projected, to.wide, to.Columns = true, d.Columns, make([]string, w)
	for j := range to.Columns {
		if to.Columns[j] = fmt.Sprintf("component %d", j+1); p.Components == 0 {
			to.Columns[j] = d.Columns[p.Columns[j]]
		}
	}
	x := make([]float64, n*w)
	row, read := make([]float64, d.D()), make([]float64, len(p.Columns))
	for i := range n {
		from := rowOf(row, d.X, i)
		for k, j := range p.Columns {
			read[k] = from[j]
		}
		p.row(x[i*w:(i+1)*w], read)
	}
	to.X = matrix(n, w, x)
	return &to
}

// row makes the inputs of one row of what is read of it, which it overwrites.
func (p *Projection) row(to, read []float64) {
	if p.Components == 0 {
		copy(to, read)
		return
	}
	p.Scaler.Apply(read, read)
	for j, o := range p.Offsets {
		to[j] = -o
	}
	for k, v := range read {
		simd.Axpy64(v, p.Weights[k*len(to):(k+1)*len(to)], to)
	}
}

// Reads says whether one of some columns is read. A nil Projection reads all.
func (p *Projection) Reads(columns []int) bool {
	return p == nil || slices.ContainsFunc(columns, func(j int) bool {
		_, found := slices.BinarySearch(p.Columns, j)
		return found
	})
}

// Lengths are length-scales of the columns, from those of the inputs; nil where there are none. In
// an input of weight w, a column's is 1/w of the input's. That of a column that is not read is
// infinite.
func (p *Projection) Lengths(inputs []float64) []float64 {
	if p == nil || inputs == nil {
		return inputs
	}
	all := make([]float64, p.Of)
	for j := range all {
		all[j] = math.Inf(1)
	}
	for k, j := range p.Columns {
		if p.Components == 0 {
			all[j] = inputs[k]
			continue
		}
		sum := 0.0
		for i, w := range p.Weights[k*p.Components : (k+1)*p.Components] {
			sum += w * w / inputs[i] / inputs[i]
		}
		all[j] = 1 / math.Sqrt(sum)
	}
	return all
}

// Check says what is wrong with a Projection of a file.
func (p *Projection) Check() error {
	k := len(p.Columns)
	switch {
	case k < 1 || !slices.IsSorted(p.Columns) || p.Columns[0] < 0 || p.Columns[k-1] >= p.Of ||
		len(slices.Compact(slices.Clone(p.Columns))) < k:
		return fmt.Errorf("%d projected columns of %d", k, p.Of)
	case p.Components < 0 || (p.Components > 0) != (p.Scaler != nil) || len(p.Offsets) != p.Components:
		return fmt.Errorf("%d components with %d offsets", p.Components, len(p.Offsets))
	case p.Scaler != nil && (len(p.Scaler.Center) != k || len(p.Scaler.Scale) != k || p.Scaler.Log != nil &&
		(len(p.Scaler.Log.Least) != k || len(p.Scaler.Log.Unit) != k)):
		return fmt.Errorf("%d projected columns and a scaler of others", k)
	}
	return nil
}
