package cpu

import (
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// StudentLogLik is Σ log t_ν((y−h)/σ) − log σ, its gradients in the same pass. With z = (y−h)²/νσ²
// all of it follows from Σ log(1+z), which the blocks leave in ell, and Σ z/(1+z), in dlogvar.
func (d *Device[T]) StudentLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckStudent(ell, g, a)
	t := d.beginNoise(s, b, c, a, scale)
	t.dh, t.h = d.real(g.H), d.real(a.H)
	if d.dry() {
		return
	}
	excess := math.Exp(float64(d.real(a.Tail)[0]))
	nu := 2 + excess
	t.nu = nu
	d.do((*student[T])(t), len(t.ell), len(t.h)*16)

	n, rows, logs, shares, noise := float64(len(t.h)), float64(s*b), sum(t.ell), 0.0, 0.0
	for i, to := 0, d.real(g.LogVar); i < c; i++ {
		share := t.column(i)
		to[i] += T(scale * 0.5 * ((nu+1)*share - rows))
		shares += share
		noise += rows * t.noise[i]
	}
	upper, _ := math.Lgamma((nu + 1) / 2)
	lower, _ := math.Lgamma(nu / 2)
	double(ell)[0] = scale * (n*(upper-lower-0.5*math.Log(math.Pi*nu)) - 0.5*noise - (nu+1)/2*logs)
	dnu := 0.5 * (n*(digamma((nu+1)/2)-digamma(nu/2)-1/nu) - logs + (nu+1)/nu*shares)
	d.real(g.Tail)[0] += T(scale * dnu * excess)
}

type student[T Float] likelihoods[T]

func (t *student[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	logs, shares := 0.0, t.dlogvar[block*t.c:][:t.c]
	clear(shares)
	for row := lo; row < hi; row++ {
		y := t.y[row%t.b*t.c:][:t.c]
		dh := t.dh[row*t.c:][:t.c]
		for i, v := range t.h[row*t.c:][:t.c] {
			miss, perSquare := float64(y[i])-float64(v), t.precision[i]/t.nu
			z := miss * miss * perSquare
			logs += math.Log1p(z)
			shares[i] += z / (1 + z)
			dh[i] = T(t.scale * (t.nu + 1) * perSquare * miss / (1 + z))
		}
	}
	t.ell[block] = logs
}

// digamma is ψ(x) = d log Γ/dx for x > 0: up to 10 by ψ(x) = ψ(x+1) − 1/x, from there by its
// asymptotic series.
func digamma(x float64) float64 {
	below := 0.0
	for ; x < 10; x++ {
		below -= 1 / x
	}
	v := 1 / (x * x)
	return below + math.Log(x) - 0.5/x - v*(1./12-v*(1./120-v*(1./252-v*(1./240-v/132))))
}

// HeteroscedasticLogLik is Σ log N(y; h, v), v = max(VarFloor, σ²_c exp h'), its gradients in the
// same pass.
func (d *Device[T]) HeteroscedasticLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	s, b, c := device.CheckHeteroscedastic(ell, g, a)
	t := d.beginNoise(s, b, c, a, scale)
	t.dh, t.h = d.real(g.H), d.real(a.H)
	if d.dry() {
		return
	}
	d.do((*heteroscedastic[T])(t), len(t.ell), len(t.h)*16)
	t.finish(ell)
	t.slopes(d.real(g.LogVar))
}

type heteroscedastic[T Float] likelihoods[T]

func (t *heteroscedastic[T]) run(_ *worker, block int) {
	lo, hi := span(block, likRows, t.rows)
	total, slopes, grad := 0.0, t.dlogvar[block*t.c:][:t.c], t.scale
	clear(slopes)
	for row := lo; row < hi; row++ {
		y := t.y[row%t.b*t.c:][:t.c]
		h, dh := t.h[row*2*t.c:][:2*t.c], t.dh[row*2*t.c:][:2*t.c]
		for i, v := range y {
			miss, logV := float64(v)-float64(h[i]), t.noise[i]+float64(h[t.c+i])
			floored := logV < logVarFloor
			if floored {
				logV = logVarFloor
			}
			precision := math.Exp(-logV)
			misfit := precision * miss * miss
			total -= 0.5 * (math.Log(2*math.Pi) + logV + misfit)
			dh[i] = T(grad * precision * miss)
			along := 0.5 * (misfit - 1)
			if floored {
				along = 0
			}
			slopes[i] += along
			dh[t.c+i] = T(grad * along)
		}
	}
	t.ell[block] = total
}

var logVarFloor = math.Log(device.VarFloor)
