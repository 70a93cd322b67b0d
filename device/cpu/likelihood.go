package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// likRows is how many rows of h are one block of a likelihood.
const likRows = 256

// likelihoods is the state of the likelihood operations. Sums are in double.
type likelihoods[T Float] struct {
	math           kernels[T]
	dh, h, y       []T
	labels         []int32
	dmean, dvar    []float64
	mean, variance []float64
	scale          device.LikScale
	precision      float64 // 1/σ²
	rows, b, c     int
	ell, dlogvar   []float64 // [blocks]
	nu             float64   // ν of StudentLogLik
	noise          float64   // log σ² of HeteroscedasticLogLik
}

// begin starts an operation on s·b rows of c columns.
func (d *Device[T]) beginLik(s, b, c int, scale device.LikScale) *likelihoods[T] {
	t := &d.likelihoods
	*t = likelihoods[T]{math: d.math, scale: scale, rows: s * b, b: b, c: c, ell: t.ell, dlogvar: t.dlogvar}
	t.ell = grow(d.pool, &t.ell, blocksOf(t.rows, likRows))
	t.dlogvar = grow(d.pool, &t.dlogvar, blocksOf(t.rows, likRows))
	return t
}

// GaussianLogLik is Σ log N(y; h, σ²), its gradients in the same pass.
func (d *Device[T]) GaussianLogLik(ell, dh, dlogvar, h, y, logvar *device.Tensor, scale device.LikScale) {
	s, b, c := device.CheckGaussian(ell, dh, dlogvar, h, y, logvar)
	t := d.beginLik(s, b, c, scale)
	t.dh, t.h, t.y = d.real(dh), d.real(h), d.real(y)
	if d.dry() {
		return
	}
	t.precision = math.Exp(-float64(d.real(logvar)[0]))
	d.do((*gaussian[T])(t), len(t.ell), len(t.h)*4)
	t.finish(ell)
	d.real(dlogvar)[0] += T(scale.Grad * sum(t.dlogvar))
}

// finish writes the value. The term −½ log 2πσ² of every element is added by the blocks.
func (t *likelihoods[T]) finish(ell *device.Tensor) { double(ell)[0] = t.scale.Value * sum(t.ell) }

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}

type gaussian[T Float] likelihoods[T]

func (t *gaussian[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	squares := 0.0
	grad := t.scale.Grad * t.precision
	for row := lo; row < hi; row++ {
		y := t.y[row%t.b*t.c:][:t.c]
		dh := t.dh[row*t.c:][:t.c]
		for i, v := range t.h[row*t.c:][:t.c] {
			miss := float64(y[i]) - float64(v)
			squares += miss * miss
			dh[i] = T(grad * miss)
		}
	}
	n, misfit := float64((hi-lo)*t.c), t.precision*squares
	t.ell[block] = -0.5 * (n*math.Log(2*math.Pi/t.precision) + misfit)
	t.dlogvar[block] = 0.5 * (misfit - n)
}

// GaussianExpected is the closed form E_q log N(y; F, σ²) = Σ log N(y; mean, σ²) − var/2σ².
func (d *Device[T]) GaussianExpected(ell, dmean, dvariance, dlogvar, mean, variance, y, logvar *device.Tensor, scale device.LikScale) {
	n := device.CheckGaussianExpected(ell, dmean, dvariance, dlogvar, mean, variance, y, logvar)
	t := d.beginLik(1, n, 1, scale)
	t.dmean, t.dvar, t.mean, t.variance, t.y = double(dmean), double(dvariance), double(mean), double(variance), d.real(y)
	if d.dry() {
		return
	}
	t.precision = math.Exp(-float64(d.real(logvar)[0]))
	d.do((*gaussianExpected[T])(t), len(t.ell), n*4)
	t.finish(ell)
	d.real(dlogvar)[0] += T(scale.Grad * sum(t.dlogvar))
}

type gaussianExpected[T Float] likelihoods[T]

func (t *gaussianExpected[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	squares := 0.0
	grad := t.scale.Grad * t.precision
	for i := lo; i < hi; i++ {
		miss := float64(t.y[i]) - t.mean[i]
		squares += miss*miss + t.variance[i]
		t.dmean[i] = grad * miss
		t.dvar[i] = -grad / 2
	}
	n, misfit := float64(hi-lo), t.precision*squares
	t.ell[block] = -0.5 * (n*math.Log(2*math.Pi/t.precision) + misfit)
	t.dlogvar[block] = 0.5 * (misfit - n)
}

// SoftmaxLogLik is Σ log softmax(h[s,b,:])[y[b]], with its gradient in the same pass.
func (d *Device[T]) SoftmaxLogLik(ell, dh, h, y *device.Tensor, scale device.LikScale) {
	s, b, c := device.CheckSoftmax(ell, dh, h, y)
	t := d.beginLik(s, b, c, scale)
	t.dh, t.h, t.labels = d.real(dh), d.real(h), ints(y)
	if d.dry() {
		return
	}
	d.do((*softmax[T])(t), len(t.ell), len(t.h)*16)
	t.finish(ell)
}

type softmax[T Float] likelihoods[T]

func (t *softmax[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	total := 0.0
	dh := t.dh[lo*t.c : hi*t.c]
	for row := lo; row < hi; row++ {
		h, d := t.h[row*t.c:][:t.c], t.dh[row*t.c:][:t.c]
		top := h[0]
		for _, v := range h {
			top = max(top, v)
		}
		for i, v := range h {
			d[i] = v - top
		}
		total += float64(d[t.labels[row%t.b]])
	}
	t.math.exp(dh, dh)
	for row := lo; row < hi; row++ {
		d, sum := t.dh[row*t.c:][:t.c], 0.0
		for _, v := range d {
			sum += float64(v)
		}
		total -= math.Log(sum)
		scale := T(-t.scale.Grad / sum)
		for i := range d {
			d[i] *= scale
		}
		d[t.labels[row%t.b]] += T(t.scale.Grad)
	}
	t.ell[block] = total
}

// BernoulliLogLik is Σ log σ(±h), with its gradient in the same pass.
func (d *Device[T]) BernoulliLogLik(ell, dh, h, y *device.Tensor, scale device.LikScale) {
	s, b := device.CheckBernoulli(ell, dh, h, y)
	t := d.beginLik(s, b, 1, scale)
	t.dh, t.h, t.labels = d.real(dh), d.real(h), ints(y)
	if d.dry() {
		return
	}
	d.do((*bernoulli[T])(t), len(t.ell), len(t.h)*32)
	t.finish(ell)
}

type bernoulli[T Float] likelihoods[T]

func (t *bernoulli[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	total := 0.0
	for row := lo; row < hi; row++ {
		sign := float64(2*t.labels[row%t.b] - 1)
		with := sign * float64(t.h[row])
		// log σ(u) = min(u, 0) − log(1 + exp −|u|), and 1 − σ(u) from the same exponential.
		e := math.Exp(-math.Abs(with))
		total += min(with, 0) - math.Log1p(e)
		wrong := e / (1 + e)
		if with < 0 {
			wrong = 1 / (1 + e)
		}
		t.dh[row] = T(t.scale.Grad * sign * wrong)
	}
	t.ell[block] = total
}
