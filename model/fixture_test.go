package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// fixture is a model with random parameters on random rows.
type fixture struct {
	m     *Model
	x     func(lo, hi int) []float64
	data  *Rows
	pass  *Workspace
	rows  []int32
	step  GradientArgs
	flat  []float64
	naive *naive
}

func newFixture(t testing.TB, dev device.Device, c Config) *fixture {
	t.Helper()
	return newFixtureOf(t, dev, c, false)
}

// newFixtureOf acts as newFixture does, with weights of the rows or none.
func newFixtureOf(t testing.TB, dev device.Device, c Config, weighted bool) *fixture {
	t.Helper()
	m := must.Get(New(dev, c))(t)
	rng := rand.New(rand.NewPCG(7, uint64(c.Inputs)))
	const n, b = 9, 4
	x, y, labels := make([]float64, n*c.Width()), make([]float64, n*c.Outputs), make([]int32, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	own := distances(rng, c, x)
	for i := range y {
		if y[i] = rng.NormFloat64(); IsCountLikelihood(c.Likelihood) {
			y[i] = math.Floor(math.Exp(1 + y[i]))
		}
	}
	weight, offset := make([]float64, n), make([]float64, n)
	for i := range labels {
		labels[i] = int32(i % max(2, c.Outputs, c.Levels))
		weight[i], offset[i] = 0.5+float64(i%3), 0.1*float64(i)
	}
	if !IsCountLikelihood(c.Likelihood) {
		offset = nil
	}
	if !weighted {
		weight = nil
	}
	y = y[:n*c.targets()]
	if c.classifies() {
		y = nil
	} else {
		labels = nil
	}
	f := &fixture{m: m, rows: []int32{7, 2, 8, 2},
		step: GradientArgs{Seed: 3<<40 + 5, Step: device.StepNumber{N: 4}, KLWeight: device.Scalar{Value: 0.7}}}
	if own != nil {
		m.SetInducing(own)
	}
	width := c.Width()
	rows := HostRows{N: n, X: func(lo, hi int) []float64 { return x[lo*width : hi*width] }, Weight: weight,
		Offset: offset}
	f.x = rows.X
	f.data, f.pass = m.UploadRows(rows, y, labels), m.NewWorkspace(c.Samples, b)
	dev.UploadInts(f.pass.Rows(), f.rows)
	f.flat = make([]float64, m.params.total)
	for i := range f.flat {
		f.flat[i] = 0.3 * rng.NormFloat64()
	}
	if c.hasGP() { // inducing points apart from each other, S with a diagonal away from zero
		for i := range m.params.blocks {
			if blk := m.params.blocks[i]; blk.Name == "gp.pseudo_inputs" {
				for k := range blk.size() {
					f.flat[blk.offset+k] = 1.5 * rng.NormFloat64()
				}
			}
		}
		blk := findBlock(m, "gp.q_sqrt")
		for i := range blk.size() {
			if c.QCov == Diagonal || i/c.Inducing%c.Inducing == i%c.Inducing {
				f.flat[blk.offset+i] += 0.8
			}
		}
	}
	if c.WCov == Full {
		blk := findBlock(m, fmt.Sprintf("drf.%d.lower_w", c.Layers-1))
		for i := range blk.size() {
			if columns := 2 * c.Features; i%columns >= i/columns%columns {
				f.flat[blk.offset+i] = 0
			}
		}
	}
	dev.Upload(m.params.Value, f.flat)
	v := &naive{cfg: c, params: map[string][]float64{}, n: n, y: y, labels: labels, rows: f.rows,
		step: f.step, own: own, weight: weight, offset: offset}
	for i := range n {
		v.x = append(v.x, x[i*c.Width():(i+1)*c.Width()])
	}
	for i := range m.params.blocks {
		blk := m.params.blocks[i]
		v.params[blk.Name] = f.flat[blk.offset : blk.offset+blk.size()]
	}
	f.naive = v
	return f
}

func (f *fixture) value(t testing.TB) float64 {
	t.Helper()
	f.m.Gradient(f.pass, f.data, f.step)
	e := must.Get(f.m.ReadELBO(f.step.KLWeight.Value))(t)
	return e.Value
}

// distances replaces the distances in rows x [N,Width] by squared distances between random unit vectors and the vectors
// of X̄. It returns the distances among X̄ [M,I·M]. The first row is the first vector of X̄.
func distances(rng *rand.Rand, c Config, x []float64) (own []float64) {
	m, width := c.Inducing, c.Width()
	own = make([]float64, m*c.distances())
	for i := range c.Maps {
		unit := func() (v [4]float64) {
			norm := 0.0
			for d := range v {
				v[d] = rng.NormFloat64()
				norm += v[d] * v[d]
			}
			for d := range v {
				v[d] /= math.Sqrt(norm)
			}
			return v
		}
		apart := func(a, b [4]float64) (d2 float64) {
			for d := range a {
				d2 += (a[d] - b[d]) * (a[d] - b[d])
			}
			return d2
		}
		xbar := make([][4]float64, m)
		for b := range xbar {
			xbar[b] = unit()
		}
		for a := range xbar {
			for b := range xbar {
				own[a*c.distances()+i*m+b] = apart(xbar[a], xbar[b])
			}
		}
		for n := range len(x) / width {
			row := unit()
			if n == 0 {
				row = xbar[0]
			}
			for b := range xbar {
				x[n*width+c.Inputs+i*m+b] = apart(row, xbar[b])
			}
		}
	}
	if c.Maps == nil {
		return nil
	}
	return own
}
