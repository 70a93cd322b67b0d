package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// sampleRows is the number of rows of the data set in one block of SampleF.
const sampleRows = 32

// sampleF is the state of SampleF and SampleFBackward.
type sampleF[T Float] struct {
	math           *kernels[T]
	f              []T // [S,B,J]
	mean, variance []float64
	dmean, dvar    []float64
	rows           []int32
	key            device.Key
	s, b, j        int
}

// SampleF draws f (reparam_F): f = mean + √var ε, with ε drawn at the working precision.
func (d *Device[T]) SampleF(f, mean, variance, rows *device.Tensor, key device.Key) {
	t := &d.sampleF
	*t = sampleF[T]{math: d.math, f: d.real(f), mean: double(mean), variance: double(variance),
		rows: ints(rows), key: key}
	t.s, t.b, t.j = device.CheckSampleF("SampleF", f, mean, variance, rows)
	d.math.reserve(d.pool, 0, sampleRows*t.j)
	d.pool.reserve(1, sampleRows*t.j)
	d.do(t, blocksOf(t.b, sampleRows), len(t.f)*8)
}

func (t *sampleF[T]) run(w *worker, block int) {
	lo, hi := span(block, sampleRows, t.b)
	first, n := lo*t.j, (hi-lo)*t.j
	noise, root := t.math.scratch(w, 0, n), w.double(1, n)
	mean, variance := t.mean[first:][:n], t.variance[first:][:n]
	for i, v := range variance {
		root[i] = math.Sqrt(v)
	}
	for s := range t.s {
		draw(t.math, noise, t.j, keyOf(t.key, s, 0), t.rows[lo:hi], 0)
		f := t.f[s*t.b*t.j+first:][:n]
		for i, v := range noise {
			f[i] = T(mean[i] + root[i]*float64(v))
		}
	}
}

// SampleFBackward writes dmean = Σ_s df and dvariance = Σ_s df ε/(2√var); ε is drawn again.
func (d *Device[T]) SampleFBackward(dmean, dvariance, df, variance, rows *device.Tensor, key device.Key) {
	t := &d.sampleF
	*t = sampleF[T]{math: d.math, f: d.real(df), variance: double(variance), dmean: double(dmean),
		dvar: double(dvariance), rows: ints(rows), key: key}
	t.s, t.b, t.j = device.CheckSampleF("SampleFBackward", df, dmean, dvariance, rows)
	device.CheckSampleF("SampleFBackward", df, dmean, variance, rows)
	d.math.reserve(d.pool, 0, sampleRows*t.j)
	d.do((*sampleFBackward[T])(t), blocksOf(t.b, sampleRows), len(t.f)*8)
}

type sampleFBackward[T Float] sampleF[T]

func (t *sampleFBackward[T]) run(w *worker, block int) {
	lo, hi := span(block, sampleRows, t.b)
	first, n := lo*t.j, (hi-lo)*t.j
	noise := t.math.scratch(w, 0, n)
	dmean, dvar := t.dmean[first:][:n], t.dvar[first:][:n]
	clear(dmean)
	clear(dvar)
	for s := range t.s {
		draw(t.math, noise, t.j, keyOf(t.key, s, 0), t.rows[lo:hi], 0)
		f := t.f[s*t.b*t.j+first:][:n]
		for i, v := range noise {
			df := float64(f[i])
			dmean[i] += df
			dvar[i] += df * float64(v)
		}
	}
	for i, v := range t.variance[first:][:n] {
		dvar[i] /= 2 * math.Sqrt(v)
	}
}
