package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// sampleRows is how many rows of the data set are one block of SampleF.
const sampleRows = 32

// sampleF is the state of SampleF and SampleFBackward.
type sampleF[T Float] struct {
	math           kernels[T]
	f              []T // [S,B,J]
	mean, variance []float64
	dmean, dvar    []float64
	rows           []int32
	key            device.Key
	s, b, j        int
}

// SampleF is reparam_F: f = mean + √var ε, with ε drawn at the working precision.
func (d *Device[T]) SampleF(f, mean, variance, rows *device.Tensor, key device.Key) {
	t := &d.sampleF
	*t = sampleF[T]{math: d.math, f: d.real(f), mean: double(mean), variance: double(variance), rows: ints(rows), key: key}
	t.s, t.b, t.j = device.CheckSampleF("SampleF", f, mean, variance, rows)
	d.math.reserve(d.pool, 0, t.j)
	d.do(t, blocksOf(t.b, sampleRows), len(t.f)*8)
}

func (t *sampleF[T]) run(w *worker, block int) {
	lo, hi := span(block, sampleRows, t.b)
	noise := t.math.scratch(w, 0, t.j)
	for b := lo; b < hi; b++ {
		mean, variance := t.mean[b*t.j:][:t.j], t.variance[b*t.j:][:t.j]
		for s := range t.s {
			draw(t.math, noise, t.key, s, int(t.rows[b]))
			for j, v := range noise {
				t.f[(s*t.b+b)*t.j+j] = T(mean[j] + math.Sqrt(variance[j])*float64(v))
			}
		}
	}
}

// SampleFBackward writes dmean = Σ_s df and dvariance = Σ_s df ε/(2√var); ε is drawn again.
func (d *Device[T]) SampleFBackward(dmean, dvariance, df, variance, rows *device.Tensor, key device.Key) {
	t := &d.sampleF
	*t = sampleF[T]{math: d.math, f: d.real(df), variance: double(variance), dmean: double(dmean), dvar: double(dvariance), rows: ints(rows), key: key}
	t.s, t.b, t.j = device.CheckSampleF("SampleFBackward", df, dmean, dvariance, rows)
	device.CheckSampleF("SampleFBackward", df, dmean, variance, rows)
	d.math.reserve(d.pool, 0, t.j)
	d.do((*sampleFBackward[T])(t), blocksOf(t.b, sampleRows), len(t.f)*8)
}

type sampleFBackward[T Float] sampleF[T]

func (t *sampleFBackward[T]) run(w *worker, block int) {
	lo, hi := span(block, sampleRows, t.b)
	noise := t.math.scratch(w, 0, t.j)
	for b := lo; b < hi; b++ {
		dmean, dvar := t.dmean[b*t.j:][:t.j], t.dvar[b*t.j:][:t.j]
		clear(dmean)
		clear(dvar)
		for s := range t.s {
			draw(t.math, noise, t.key, s, int(t.rows[b]))
			for j, v := range noise {
				df := float64(t.f[(s*t.b+b)*t.j+j])
				dmean[j] += df
				dvar[j] += df * float64(v)
			}
		}
		for j, v := range t.variance[b*t.j:][:t.j] {
			dvar[j] /= 2 * math.Sqrt(v)
		}
	}
}

// draw fills noise with the row of a key's normals for sample s.
func draw[T Float](m kernels[T], noise []T, key device.Key, s, row int) {
	words, c1, c2, c3 := key.Words(s, row)
	m.normals(noise, words, c1, c2, c3)
}
