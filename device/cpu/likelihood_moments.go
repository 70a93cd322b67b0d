package cpu

import (
	"cmp"
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// GaussianExpected computes the closed form E_q log N(y; F, σ²_c) = Σ log N(y; mean, σ²_c) − var/2σ²_c.
func (d *Device[T]) GaussianExpected(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	d.evaluateMoments("GaussianExpected", expected, ell, g, a, scale)
}

// GaussianPredictive computes Σ (1−δ) log N(y; mean, σ²_c + var) + δ E_q log N(y; F, σ²_c).
func (d *Device[T]) GaussianPredictive(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	d.evaluateMoments("GaussianPredictive", predictive, ell, g, a, scale)
}

// likelihoodMoments is the state of a likelihood of means and variances of type E, or of draws.
type likelihoodMoments[T, E Float] struct {
	*likelihoods[T]
	of             momentKind
	dmean, dvar    []E
	mean, variance []E
}

// momentKind is a likelihood of means and variances.
type momentKind uint8

const (
	expected momentKind = iota
	predictive
	poisson
)

// evaluateMoments evaluates a likelihood of means and variances, in Double or in Real.
func (d *Device[T]) evaluateMoments(op string, of momentKind, ell *device.Tensor, g, a device.LikelihoodArgs,
	scale float64) {
	t, work, cost := d.begin(op, ell, g, a, scale), task(&d.momentsReal), 4 // cost of an element, in multiplications
	if of == poisson {
		cost = 32
	}
	if a.H.DType() == device.Double {
		d.momentsDouble = likelihoodMoments[T, float64]{t, of, double(g.H), double(g.Variance), double(a.H),
			double(a.Variance)}
		work = &d.momentsDouble
	} else {
		d.momentsReal = likelihoodMoments[T, T]{t, of, d.real(g.H), d.real(g.Variance), d.real(a.H), d.real(a.Variance)}
	}
	d.evaluate(work, t.rows*t.c*cost, ell, cmp.Or(g.LogVar, g.LogRate))
}

func (t *likelihoodMoments[T, E]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	switch t.of {
	case expected:
		t.expected(block, lo, hi)
	case predictive:
		t.predictive(block, lo, hi)
	case poisson:
		t.poisson(block, lo, hi)
	}
}

// expected computes rows lo … hi−1 of GaussianExpected, or of GaussianLogLik, which has no variances.
func (t *likelihoodMoments[T, E]) expected(block, lo, hi int) {
	squares := t.dlogvar[block*t.c:][:t.c]
	clear(squares)
	for row := lo; row < hi; row++ {
		w, y := t.w(row), t.y[row%t.b*t.c:][:t.c]
		for c, precision := range t.precision {
			i := row*t.c + c
			miss := float64(y[c]) - float64(t.mean[i])
			grad := t.scale * w * precision
			t.dmean[i] = E(grad * miss)
			if t.variance == nil {
				squares[c] += w * miss * miss
				continue
			}
			squares[c] += w * (miss*miss + float64(t.variance[i]))
			t.dvar[i] = E(-grad / 2)
		}
	}
	t.ell[block] = t.normals(squares, t.count(lo, hi))
}

// predictive computes rows lo … hi−1 of GaussianPredictive. With v = σ² + var, log N(y; mean, v) has the slopes miss/v
// in the mean, ½(miss²/v² − 1/v) in var, and σ² times that in log σ².
func (t *likelihoodMoments[T, E]) predictive(block, lo, hi int) {
	const bound, own = device.BoundShare, 1 - device.BoundShare
	slopes := t.dlogvar[block*t.c:][:t.c]
	value := 0.0
	clear(slopes)
	for row := lo; row < hi; row++ {
		w, y := t.w(row), t.y[row%t.b*t.c:][:t.c]
		for c, precision := range t.precision {
			i, noise := row*t.c+c, 1/precision
			miss, variance := float64(y[c])-float64(t.mean[i]), float64(t.variance[i])
			v := noise + variance
			slope, misfit := 0.5*(miss*miss/v-1)/v, precision*(miss*miss+variance)
			value -= 0.5 * w * (own*(math.Log(2*math.Pi*v)+miss*miss/v) + bound*(math.Log(2*math.Pi*noise)+misfit))
			slopes[c] += w * (own*noise*slope + bound*0.5*(misfit-1))
			t.dmean[i] = E(t.scale * w * miss * (own/v + bound*precision))
			t.dvar[i] = E(t.scale * w * (own*slope - bound*0.5*precision))
		}
	}
	t.ell[block] = value
}
