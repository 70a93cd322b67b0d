package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// outputNoise is the state of AddNoise and AddNoiseBackward.
type outputNoise[T Float] struct {
	math          *kernels[T]
	out, variance []T // [S,B,C]; in the backward pass out is dout
	dvariance     []T
	rows          []int32
	key           device.Key
	s, b, c       int
}

// AddNoise adds √variance ε to out.
func (d *Device[T]) AddNoise(out, variance, rows *device.Tensor, key device.Key) {
	d.beginNoiseOf("AddNoise", out, variance, rows, key)
	d.do((*addNoise[T])(&d.outputNoise), d.outputNoise.blocks(), out.Len()*8)
}

// AddNoiseBackward computes dvariance = dout ε/(2√variance).
func (d *Device[T]) AddNoiseBackward(dvariance, dout, variance, rows *device.Tensor, key device.Key) {
	const op = "AddNoiseBackward"
	device.CheckAddNoise(op, dvariance, variance, rows)
	d.beginNoiseOf(op, dout, variance, rows, key)
	d.outputNoise.dvariance = d.real(dvariance)
	d.do((*addNoiseBackward[T])(&d.outputNoise), d.outputNoise.blocks(), dout.Len()*8)
}

func (d *Device[T]) beginNoiseOf(op string, out, variance, rows *device.Tensor, key device.Key) {
	t := &d.outputNoise
	*t = outputNoise[T]{math: d.math, out: d.real(out), variance: d.real(variance), rows: ints(rows), key: key}
	t.s, t.b, t.c = device.CheckAddNoise(op, out, variance, rows)
	d.math.reserve(d.pool, 0, sampleRows*t.c)
}

// blocks returns the number of blocks. A block has rows of one sample, since each sample has a different key of noise.
func (t *outputNoise[T]) blocks() int { return t.s * blocksOf(t.b, sampleRows) }

// noise draws a block's normals; first is the index in the output of the first of them.
func (t *outputNoise[T]) noise(w *worker, block int) (noise []T, first int) {
	s, lo, hi := spanOf(block, sampleRows, t.b)
	noise = t.math.scratch(w, 0, (hi-lo)*t.c)
	draw(t.math, noise, t.c, keyOf(t.key, s, 0), t.rows[lo:hi], 0)
	return noise, (s*t.b + lo) * t.c
}

type addNoise[T Float] outputNoise[T]

func (t *addNoise[T]) run(w *worker, block int) {
	noise, first := (*outputNoise[T])(t).noise(w, block)
	variance, out := t.variance[first:][:len(noise)], t.out[first:][:len(noise)]
	for i, e := range noise {
		out[i] += T(math.Sqrt(float64(variance[i]))) * e
	}
}

type addNoiseBackward[T Float] outputNoise[T]

func (t *addNoiseBackward[T]) run(w *worker, block int) {
	noise, first := (*outputNoise[T])(t).noise(w, block)
	variance, dout, dvariance := t.variance[first:][:len(noise)], t.out[first:][:len(noise)],
		t.dvariance[first:][:len(noise)]
	for i, e := range noise {
		dvariance[i] = dout[i] * e / (2 * T(math.Sqrt(float64(variance[i]))))
	}
}
