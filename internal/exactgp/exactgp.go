// Package exactgp fits an exact Gaussian process to a few rows: length-scales and noise at which a larger model can
// start. It works in float64, and the same rows give the same bits.
package exactgp

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Rows are n rows of standardised inputs X [N,D] and targets Y [N,T].
type Rows struct {
	N, D, T int
	X, Y    []float64
}

// Fit is a Gaussian process with the kernel α exp(−½ Σ_d (x_d − x'_d)²/ℓ_d²) and noise σ², fitted to rows.
type Fit struct {
	LengthScales []float64 // ℓ [D]; nil if the targets look like noise
	Noise        float64   // σ², in units of y²

	Mean, Var []float64 // prediction of each row from the others [N,T]
}

const (
	jitter        = 1e-6
	rounds        = 20 // number of rounds of the search for separate length-scales
	rowsPerLength = 10 // least number of rows for each column with a length-scale; with fewer, all columns share one
	minEvidence   = 3  // least evidence in nats: below it, the rows may be noise

	// standard deviations of log ℓ_d around the best common one, and of log ρ
	priorLength = 1.0
	priorNoise  = 2.0
)

// The search starts at the best of these values: factors of √D as a length-scale for all inputs, noises, and then
// factors of one column's length-scale after the other.
var (
	factors = []float64{0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2}
	noises  = []float64{0.003, 0.03, 0.3, 3}
	apart   = []float64{1. / 16, 1. / 4, 4}
	alone   = []float64{1. / 16, 1. / 4}
)

// Maximise finds the length-scales and the noise that maximise the marginal likelihood
//
//	log p(y) = −½ yᵀ(α(C + ρI))⁻¹y − ½ log det 2πα(C + ρI),   ρ = σ²/α,
//
// summed over the targets, with α in closed form. A normal prior keeps the length-scale of a column without information
// near the length-scales of the others. Once ctx is done the outcome is meaningless.
//
// The targets look like noise if independent normals explain them nearly as well.
func Maximise(ctx context.Context, rows Rows) *Fit {
	p := newProblem(rows)
	theta := p.common(ctx)
	own := rows.N >= rowsPerLength*rows.D
	if own {
		theta = p.each(ctx, p.single(ctx, theta))
	}
	square := 0.0
	for _, v := range rows.Y {
		square += v * v
	}
	count := float64(len(rows.Y))
	white := -count / 2 * (math.Log(2*math.Pi*square/count) + 1)
	if !(p.value(theta) > white+minEvidence) {
		return &Fit{Noise: square / count, Mean: make([]float64, len(rows.Y)),
			Var: slices.Repeat([]float64{square / count}, len(rows.Y))}
	}
	if own {
		theta = p.refine(ctx, theta)
		p.value(theta)
	}
	out := &Fit{LengthScales: make([]float64, rows.D), Noise: p.alpha * math.Exp(theta[rows.D])}
	for d := range out.LengthScales {
		out.LengthScales[d] = math.Exp(theta[d])
	}
	out.Mean, out.Var = p.leftOut()
	return out
}

// common returns the best length-scale for all columns, with its noise, as θ = (log ℓ [D], log ρ). One matrix of
// distances serves all.
func (p *problem) common(ctx context.Context) (best []float64) {
	theta := make([]float64, p.D+1)
	most := math.Inf(-1)
	best = slices.Clone(theta)
	halves := p.halves()
	for _, f := range factors {
		length := f * math.Sqrt(float64(p.D))
		for d := range p.D {
			theta[d] = math.Log(length)
		}
		for i := range p.N {
			for j := i; j < p.N; j++ {
				p.c.SetSym(i, j, math.Exp(halves.At(i, j)/(length*length)))
			}
		}
		for _, rho := range noises {
			theta[p.D] = math.Log(rho)
			if ctx.Err() != nil {
				return best
			}
			if v := p.evidence(theta[p.D]); v > most {
				most = v
				copy(best, theta)
			}
		}
	}
	return best
}

// single returns θ, or a short length-scale for one column alone if that is better.
func (p *problem) single(ctx context.Context, theta []float64) []float64 {
	most := p.value(theta)
	try := make([]float64, p.D+1)
	for d := 0; d < p.D && p.D > 1; d++ {
		for _, f := range alone {
			if ctx.Err() != nil {
				return theta
			}
			for j := range p.D {
				try[j] = math.Log(factors[len(factors)-1] * math.Sqrt(float64(p.D)))
			}
			try[d], try[p.D] = math.Log(f), math.Log(0.3)
			if v := p.value(try); v > most {
				most = v
				theta = slices.Clone(try)
			}
		}
	}
	return theta
}

// each tries other length-scales for one column after the other: a gradient does not find the short length-scale of a
// column that oscillates among others.
func (p *problem) each(ctx context.Context, theta []float64) []float64 {
	most := p.value(theta)
	for d := range p.D {
		from, best := theta[d], theta[d]
		for _, f := range apart {
			if ctx.Err() != nil {
				return theta
			}
			theta[d] = from + math.Log(f)
			if v := p.value(theta); v > most {
				most, best = v, theta[d]
			}
		}
		theta[d] = best
	}
	return theta
}

// refine maximises the evidence from θ, the centre of the prior.
func (p *problem) refine(ctx context.Context, theta []float64) []float64 {
	p.centre = theta
	problem := optimize.Problem{
		Func: func(x []float64) float64 { return -p.value(x) - p.prior(x, nil) },
		Grad: p.gradient,
		Status: func() (optimize.Status, error) {
			if ctx.Err() != nil {
				return optimize.RuntimeLimit, nil
			}
			return optimize.NotTerminated, nil
		},
	}
	// θ is useful even if the search ends before the maximum
	bounds := &optimize.Settings{MajorIterations: rounds, FuncEvaluations: 2 * rounds}
	found, _ := optimize.Minimize(problem, theta, bounds, &optimize.LBFGS{})
	if found == nil || math.IsNaN(found.F) || math.IsInf(found.F, 0) {
		return theta
	}
	return found.X
}

// problem is the marginal likelihood of rows.
type problem struct {
	Rows
	y      *mat.Dense
	centre []float64 // centre of the prior

	c, q   *mat.SymDense // C, and C + ρI
	factor mat.Cholesky
	a      mat.Dense // (C + ρI)⁻¹ y [N,T]
	alpha  float64
}

func newProblem(rows Rows) *problem {
	return &problem{Rows: rows, y: mat.NewDense(rows.N, rows.T, rows.Y),
		c: mat.NewSymDense(rows.N, nil), q: mat.NewSymDense(rows.N, nil)}
}

// correlate computes C from the length-scales.
func (p *problem) correlate(theta []float64) {
	n, d := p.N, p.D
	scaled := mat.NewDense(n, d, nil)
	norms := make([]float64, n)
	for i := range n {
		row := scaled.RawRowView(i)
		for j := range row {
			row[j] = p.X[i*d+j] * math.Exp(-theta[j])
			norms[i] += row[j] * row[j]
		}
	}
	p.q.SymOuterK(1, scaled)
	for i := range n {
		for j := i; j < n; j++ {
			p.c.SetSym(i, j, math.Exp(p.q.At(i, j)-(norms[i]+norms[j])/2))
		}
	}
}

// halves returns −½ (x_i − x_j)² of the rows.
func (p *problem) halves() *mat.SymDense {
	h := mat.NewSymDense(p.N, nil)
	h.SymOuterK(1, mat.NewDense(p.N, p.D, p.X))
	norms := make([]float64, p.N)
	for i := range norms {
		norms[i] = h.At(i, i)
	}
	for i := range p.N {
		for j := i; j < p.N; j++ {
			h.SetSym(i, j, h.At(i, j)-(norms[i]+norms[j])/2)
		}
	}
	return h
}

// value computes log p(y); −∞ if C + ρI has no factor.
func (p *problem) value(theta []float64) float64 {
	p.correlate(theta)
	return p.evidence(theta[p.D])
}

// evidence computes log p(y) as value does, from the current C.
func (p *problem) evidence(logRho float64) float64 {
	rho := math.Exp(logRho) + jitter
	p.q.CopySym(p.c)
	for i := range p.N {
		p.q.SetSym(i, i, 1+rho)
	}
	if !p.factor.Factorize(p.q) {
		return math.Inf(-1)
	}
	if err := p.factor.SolveTo(&p.a, p.y); err != nil {
		return math.Inf(-1)
	}
	square := 0.0
	for i, v := range p.Y {
		square += v * p.a.RawMatrix().Data[i]
	}
	n, t := float64(p.N), float64(p.T)
	p.alpha = square / (n * t)
	return -n*t/2*(math.Log(2*math.Pi*p.alpha)+1) - t/2*p.factor.LogDet()
}

// prior returns the log density of θ up to a constant. It adds the negative gradient to grad, unless that is nil.
func (p *problem) prior(theta, grad []float64) (sum float64) {
	for i, v := range theta {
		sd := priorLength
		if i == p.D {
			sd = priorNoise
		}
		z := (v - p.centre[i]) / sd
		sum -= z * z / 2
		if grad != nil {
			grad[i] += z / sd
		}
	}
	return sum
}

// gradient returns the gradient of −log p(y) − log p(θ):
//
//	∂ log p(y)/∂θ = ½ tr(W ∂C/∂θ),   W = Σ_t a_t a_tᵀ/α − T (C + ρI)⁻¹ over T targets,
//	∂C_ij/∂ log ℓ_d = C_ij (x_id − x_jd)²/ℓ_d²
func (p *problem) gradient(grad, theta []float64) {
	clear(grad)
	if math.IsInf(p.value(theta), -1) {
		return
	}
	n, d := p.N, p.D
	w := mat.NewSymDense(n, nil)
	if err := p.factor.InverseTo(w); err != nil {
		return
	}
	w.ScaleSym(-float64(p.T), w)
	w.SymRankK(w, 1/p.alpha, &p.a)
	rho := math.Exp(theta[d])
	for i := range n {
		grad[d] -= w.At(i, i) * rho / 2
	}
	// Σ_ij G_ij (x_i − x_j)² = 2 Σ_i x_i² Σ_j G_ij − 2 xᵀG x, G = W∘C
	g := mat.NewSymDense(n, nil)
	sums := make([]float64, n)
	for i := range n {
		for j := i; j < n; j++ {
			v := w.At(i, j) * p.c.At(i, j)
			g.SetSym(i, j, v)
			sums[i] += v
			if j > i {
				sums[j] += v
			}
		}
	}
	x := mat.NewDense(n, d, p.X)
	var gx mat.Dense
	gx.Mul(g, x)
	for i := range n {
		for j := range d {
			v := p.X[i*d+j]
			grad[j] -= (v*v*sums[i] - v*gx.At(i, j)) * math.Exp(-2*theta[j])
		}
	}
	p.prior(theta, grad)
}

// leftOut returns the prediction of each row from the others: y_i − a_i/[(C + ρI)⁻¹]_ii, with variance α/[(C +
// ρI)⁻¹]_ii. It is NaN if C + ρI has no inverse.
func (p *problem) leftOut() (mean, variance []float64) {
	var inverse mat.SymDense
	err := p.factor.InverseTo(&inverse)
	for at, y := range p.Y {
		i := at / p.T
		precision := math.NaN()
		if err == nil {
			precision = inverse.At(i, i)
		}
		mean = append(mean, y-p.a.At(i, at%p.T)/precision)
		variance = append(variance, p.alpha/precision)
	}
	return mean, variance
}
