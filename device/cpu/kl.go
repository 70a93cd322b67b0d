package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/simd"
)

// klBlock is the number of elements in one block of KLDiag. klRows is the number of rows of one s_j in one block of
// KLInducing.
const (
	klBlock = 4096
	klRows  = 64
)

// divergences is the state of the KL operations. Sums are in double.
type divergences[T Float] struct {
	math                         *kernels[T]
	mean, logvar, dmean, dlogvar []T
	lengths                      []float64 // [d]: ℓ² = 1/p; one element, 1, without logl
	d, r                         int

	shape        device.QShape
	m, s, dm, ds []float64
	weight       float64
	kl, dlogl    []float64 // [blocks]
}

// KLDiag computes the KL of a fully factorised Gaussian from N(0, p); −weight·∂KL is accumulated. A block is a piece of
// one row, so that it has one length-scale.
func (d *Device[T]) KLDiag(kl *device.Tensor, g, a device.DiagArgs, weight device.Scalar) {
	t := &d.divergences
	t.d, t.r = device.CheckKLDiag(kl, g, a)
	t.math, t.weight = d.math, weight.Value
	t.mean, t.logvar, t.dmean, t.dlogvar = d.real(a.Mean), d.real(a.LogVar), d.real(g.Mean), d.real(g.LogVar)
	pieces := blocksOf(t.r, klBlock)
	t.kl, t.dlogl, t.lengths = grow(d.pool, &t.kl, t.d*pieces), grow(d.pool, &t.dlogl, t.d*pieces),
		grow(d.pool, &t.lengths, t.d)
	if d.dry() {
		return
	}
	t.lengths[0] = 1
	for i, v := range d.real(a.LogLength) {
		t.lengths[i] = math.Exp(2 * float64(v))
	}
	d.do((*klDiag[T])(t), t.d*pieces, t.d*t.r*16)
	double(kl)[0] = sum(t.kl)
	if a.LogLength != nil {
		to := d.real(g.LogLength)
		for i := range to {
			to[i] -= T(t.weight * sum(t.dlogl[i*pieces:(i+1)*pieces]))
		}
	}
}

type klDiag[T Float] divergences[T]

func (t *klDiag[T]) run(w *worker, block int) {
	row, lo, hi := spanOf(block, klBlock, t.r)
	lo, hi = row*t.r+lo, row*t.r+hi
	if t.logvar == nil {
		t.kl[block] = t.lower(lo, hi)
		return
	}
	s2 := t.math.scratch(w, 0, hi-lo)
	l2 := t.lengths[row]
	t.math.exp(s2, t.logvar[lo:hi])
	weight := T(-t.weight * l2)
	moments, logs := 0.0, 0.0
	mean, logvar, dmean, dlogvar := t.mean[lo:hi], t.logvar[lo:hi], t.dmean[lo:hi], t.dlogvar[lo:hi]
	for i, v := range s2 {
		m := mean[i]
		moments += float64(v) + float64(m)*float64(m)
		logs += float64(logvar[i])
		dmean[i] += weight * m
		dlogvar[i] += (weight*v + T(t.weight)) / 2
	}
	n := float64(hi - lo)
	t.dlogl[block] = moments*l2 - n
	t.kl[block] = 0.5 * (moments*l2 - n - logs - n*math.Log(l2))
}

// lower returns ½ Σ m² of a piece of the elements below the diagonals of factors.
func (t *klDiag[T]) lower(lo, hi int) float64 {
	mean := t.mean[lo:hi]
	t.math.axpy(T(-t.weight), mean, t.dmean[lo:hi])
	total := 0.0
	for _, m := range mean {
		total += float64(m) * float64(m)
	}
	return total / 2
}

// KLInducing computes the KL of the whitened q(F̄) from N(0, I); −weight·∂KL is accumulated.
func (d *Device[T]) KLInducing(kl, dm, ds, m, s *device.Tensor, weight device.Scalar) {
	t := &d.divergences
	t.shape = device.CheckKLInducing(kl, dm, ds, m, s)
	t.weight = weight.Value
	t.m, t.s, t.dm, t.ds = double(m), double(s), double(dm), double(ds)
	blocks := t.shape.J * blocksOf(t.shape.M, klRows)
	t.kl = grow(d.pool, &t.kl, blocks)
	if d.dry() {
		return
	}
	d.do((*klInducing[T])(t), blocks, len(t.s)+16*t.shape.J*t.shape.M)
	double(kl)[0] = sum(t.kl)
}

type klInducing[T Float] divergences[T]

func (t *klInducing[T]) run(_ *worker, block int) {
	n := t.shape.M
	j, lo, hi := spanOf(block, klRows, n)
	m := t.m[j*n+lo : j*n+hi]
	simd.Axpy64(-t.weight, m, t.dm[j*n+lo:j*n+hi])
	total := simd.Dot64(m, m) - float64(hi-lo)
	logs := 0.0
	diagonal := func(own, gradient *float64) {
		*gradient += t.weight / *own
		logs += math.Log(math.Abs(*own))
	}
	if t.shape.Diagonal {
		s, ds := t.s[j*n+lo:j*n+hi], t.ds[j*n+lo:j*n+hi]
		total += simd.Dot64(s, s)
		simd.Axpy64(-t.weight, s, ds)
		for i := range s {
			diagonal(&s[i], &ds[i])
		}
	} else {
		for i := lo; i < hi; i++ {
			at := (j*n + i) * n
			row, drow := t.s[at:at+i+1], t.ds[at:at+i+1]
			total += simd.Dot64(row, row)
			simd.Axpy64(-t.weight, row, drow)
			diagonal(&row[i], &drow[i])
		}
	}
	t.kl[block] = total/2 - logs
}
