package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// OrdinalLogLik computes Σ log [Φ(κ_y+1 − h) − Φ(κ_y − h)], and its gradients in the same pass.
func (d *Device[T]) OrdinalLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	t := d.begin("OrdinalLogLik", ell, g, a, scale)
	n := t.c
	t.dlogvar = grow(d.pool, &t.dlogvar, blocksOf(t.rows, likRows)*n)
	t.cuts = grow(d.pool, &t.cuts, n+2)
	if d.dry() {
		return
	}
	gaps := d.real(a.Cuts)
	t.cuts[0], t.cuts[1], t.cuts[n+1] = math.Inf(-1), float64(gaps[0]), math.Inf(1)
	for k := 1; k < n; k++ {
		t.cuts[k+1] = t.cuts[k] + device.GapFloor + math.Exp(float64(gaps[k]))
	}
	d.evaluate((*ordinal[T])(t), len(t.h)*128, ell, nil)
	// Gap k moves cut point k and all cut points after it.
	above := 0.0
	to := d.real(g.Cuts)
	for k := n - 1; k > 0; k-- {
		above += t.column(k)
		to[k] += T(scale * math.Exp(float64(gaps[k])) * above)
	}
	to[0] += T(scale * (above + t.column(0)))
}

type ordinal[T Float] likelihoods[T]

func (t *ordinal[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	slopes := t.dlogvar[block*t.c:][:t.c]
	value := 0.0
	clear(slopes)
	for row := lo; row < hi; row++ {
		w, y := (*likelihoods[T])(t).w(row), int(t.labels[row%t.b])
		lower, upper := t.cuts[y]-float64(t.h[row]), t.cuts[y+1]-float64(t.h[row])
		p := device.LogProbit(lower, upper)
		value += w * p
		atLower, atUpper := w*densityOver(lower, p), w*densityOver(upper, p)
		t.dh[row] = T(t.scale * (atLower - atUpper))
		if y > 0 {
			slopes[y-1] -= atLower
		}
		if y < t.c {
			slopes[y] += atUpper
		}
	}
	t.ell[block] = value
}

// densityOver returns the standard normal density at x over a probability, given by its logarithm; 0 at ±∞.
func densityOver(x, logP float64) float64 {
	return math.Exp(-x*x/2 - math.Log(2*math.Pi)/2 - logP)
}
