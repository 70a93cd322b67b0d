package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// logRate returns f − h of a row and a column.
func (t *likelihoods[T]) logRate(row, c int) float64 {
	if t.offset == nil {
		return t.noise[c]
	}
	return t.noise[c] + float64(t.offset[row%t.b])
}

// PoissonLogLik computes Σ y f − exp f − log y!, and its gradients in the same pass.
func (d *Device[T]) PoissonLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	g.Variance, a.Variance = nil, nil
	d.evaluateMoments("PoissonLogLik", poisson, ell, g, a, scale)
}

// PoissonExpected computes the closed form E_q log p(y | F) = Σ y mean − exp(mean + var/2) − log y!.
func (d *Device[T]) PoissonExpected(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	d.evaluateMoments("PoissonExpected", poisson, ell, g, a, scale)
}

// poisson computes rows lo … hi−1 of PoissonLogLik, which has no variances, or of PoissonExpected.
func (t *likelihoodMoments[T, E]) poisson(block, lo, hi int) {
	slopes := t.dlogvar[block*t.c:][:t.c]
	value := 0.0
	clear(slopes)
	for row := lo; row < hi; row++ {
		w, y := t.w(row), t.y[row%t.b*t.c:][:t.c]
		for c, v := range y {
			i := row*t.c + c
			y := float64(v)
			f := float64(t.mean[i]) + t.logRate(row, c)
			u := f
			if t.variance != nil {
				u += float64(t.variance[i]) / 2
			}
			rate, slope := rateOf(u)
			value += w * (y*f - rate - logFactorial(y))
			along := w * (y - slope)
			slopes[c] += along
			t.dmean[i] = E(t.scale * along)
			if t.variance != nil {
				t.dvar[i] = E(-t.scale * w * slope / 2)
			}
		}
	}
	t.ell[block] = value
}

// rateOf returns exp u and its slope; above LogRateMax, it uses the tangent.
func rateOf(u float64) (rate, slope float64) {
	slope = math.Exp(min(u, device.LogRateMax))
	return slope * (1 + max(u-device.LogRateMax, 0)), slope
}

// logFactorial returns log y!.
func logFactorial(y float64) float64 {
	v, _ := math.Lgamma(y + 1)
	return v
}

// NegativeBinomialLogLik computes Σ log p(y) of counts with mean exp f and variance λ + δλ², and its gradients in the
// same pass.
func (d *Device[T]) NegativeBinomialLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	t := d.begin("NegativeBinomialLogLik", ell, g, a, scale)
	t.tails = grow(d.pool, &t.tails, blocksOf(t.rows, likRows))
	if d.dry() {
		return
	}
	own := math.Exp(float64(d.real(a.Tail)[0]))
	r := 1 / (device.DispersionFloor + own)
	t.tail = math.Log(r)
	d.evaluate((*negativeBinomial[T])(t), len(t.h)*64, ell, g.LogRate)
	d.real(g.Tail)[0] += T(-scale * r * r * own * sum(t.tails))
}

type negativeBinomial[T Float] likelihoods[T]

// With σ = λ/(r+λ), the logistic function of u = log λ/r: log p has the slope y(1−σ) − rσ in f, and ψ(y+r) − ψ(r) +
// log(1−σ) + 1 − (1 + y/r)(1−σ) in r.
func (t *negativeBinomial[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	all := (*likelihoods[T])(t)
	r := math.Exp(t.tail)
	base, _ := math.Lgamma(r)
	rise := digamma(r)
	slopes := t.dlogvar[block*t.c:][:t.c]
	value, tail := 0.0, 0.0
	clear(slopes)
	for row := lo; row < hi; row++ {
		w := all.w(row)
		for c, v := range t.y[row%t.b*t.c:][:t.c] {
			i := row*t.c + c
			y := float64(v)
			u := float64(t.h[i]) + all.logRate(row, c) - t.tail
			e := math.Exp(-math.Abs(u))
			below := max(u, 0) + math.Log1p(e) // −log(1−σ)
			share, rest := e/(1+e), 1/(1+e)    // σ and 1−σ
			if u > 0 {
				share, rest = rest, share
			}
			upper, _ := math.Lgamma(y + r)
			value += w * (upper - base - logFactorial(y) - r*below + y*(u-below))
			tail += w * (digamma(y+r) - rise - below + 1 - (1+y/r)*rest)
			along := w * (y*rest - r*share)
			slopes[c] += along
			t.dh[i] = T(t.scale * along)
		}
	}
	t.ell[block], t.tails[block] = value, tail
}
