package metrics

import "math"

// LogNormalMixture is the predictive density of y = exp(Centre + Unit·x), where x has the density of a Mixture of
// normals. It is a mixture of log-normal distributions. Component s has the logarithms' mean a = Centre + Unit·Mean_s
// and standard deviation b = Unit·σ_s. No component's mean exp(a + b²/2) is above exp(Top). Its mean square exp(2a +
// 2b²) is at most exp(2 Top), or e times the square of its mean if that is more: a far prediction has a variance.
type LogNormalMixture struct {
	Mixture
	Centre, Unit, Top float64
}

// maxLog bounds the logarithm of a number whose square is to be finite.
const maxLog = 350

// component returns the mean and the deviation of the logarithm of component s of row n.
func (l LogNormalMixture) component(s, n int) (a, b float64) {
	return l.Centre + l.Unit*l.Mean[s*l.N+n], l.Unit * l.scale(s, n)
}

// scaled returns x = log y in the units of the mixture.
func (l LogNormalMixture) scaled(y float64) float64 { return (math.Log(y) - l.Centre) / l.Unit }

// logMoments returns the logarithms of the mean and of the mean square of component s of row n, and the share of b²
// that the bounds leave.
func (l LogNormalMixture) logMoments(s, n int) (mean, square, kept float64) {
	a, b := l.component(s, n)
	top := min(l.Top, maxLog)
	mean, square = min(a+b*b/2, top), 2*(a+b*b)
	if square <= 2*top {
		return mean, square, 1
	}
	square = max(2*top, 2*mean+min(b*b, 1))
	return mean, square, min(1, (square-2*mean)/(b*b))
}

// Moments returns the mean Σ_s w_s exp(a + b²/2) of row n, and the variance.
func (l LogNormalMixture) Moments(n int) (mean, variance float64) {
	means, squares := make([]float64, l.S), make([]float64, l.S)
	for s := range means {
		means[s], squares[s], _ = l.logMoments(s, n)
	}
	first, second := LogSumExp(means, l.scaledWeight, float64(l.S)), LogSumExp(squares, l.scaledWeight, float64(l.S))
	return math.Exp(first), math.Exp(2*first) * math.Expm1(math.Max(0, second-2*first))
}

// NoiseVariance returns the part of row n's variance that comes from noise whose variance in x is v on average, and the
// same share r of each component's: 1 − exp(−r b²) of the component's mean square. Bounds on the moments make b²
// smaller.
func (l LogNormalMixture) NoiseVariance(n int, v float64) float64 {
	share := min(1, v/l.MeanComponentVariance(n))
	logs := make([]float64, l.S)
	for s := range logs {
		_, square, kept := l.logMoments(s, n)
		_, b := l.component(s, n)
		logs[s] = square + math.Log(-math.Expm1(-share*b*b*kept))
	}
	return math.Exp(LogSumExp(logs, l.scaledWeight, float64(l.S)))
}

// LogDensity returns log p(y) of row n, −∞ where y is not positive.
func (l LogNormalMixture) LogDensity(n int, y float64) float64 {
	if y <= 0 {
		return math.Inf(-1)
	}
	return l.Mixture.LogDensity(n, l.scaled(y)) - math.Log(l.Unit*y)
}

// CDF returns the probability that row n's target is at most y.
func (l LogNormalMixture) CDF(n int, y float64) float64 {
	if y <= 0 {
		return 0
	}
	return l.Mixture.CDF(n, l.scaled(y))
}

// PIT returns the probability integral transform of y, as Mixture.PIT does; y is no logarithm.
func (l LogNormalMixture) PIT(n int, y float64) (below, upTo float64) {
	p := l.CDF(n, y)
	return p, p
}

// CRPS returns the CRPS of row n, E|Y − y| − ½ E|Y − Y'|. With m = exp(a + b²/2) of a component, the complement
// Q = 1 − Φ of the normal distribution, and r² = b_s² + b_t²
//
//	E|Y_s − y| = y (2Φ(w) − 1) + m (1 − 2Q(b − w)),   w = (log y − a)/b
//	E|Y_s − Y_t| = m_s (1 − 2Q((a_s − a_t + b_s²)/r)) + m_t (1 − 2Q((a_t − a_s + b_t²)/r))
//
// The sums of m, which may be far above all else, cancel. If there are more than 2000 components, it takes 2000 at even
// steps.
func (l LogNormalMixture) CRPS(n int, y float64) float64 {
	const most = 2000
	step := (l.S + most - 1) / most
	var parts []logNormal
	total := 0.0
	for s := 0; s < l.S; s += step {
		a, b := l.component(s, n)
		parts = append(parts, logNormal{a, b, l.scaledWeight(s)})
		total += l.scaledWeight(s)
	}
	logY, sum := math.Log(math.Max(y, 0)), 0.0
	for i, p := range parts {
		w := (logY - p.a) / p.b
		sum += p.weight * (y*math.Erf(w*invRoot2) - expErfc(p.a+p.b*p.b/2, logY-w*w/2, (p.b-w)*invRoot2))
		pairs := p.weight * p.meanBelow(p)
		for _, q := range parts[:i] {
			pairs += q.weight * (p.meanBelow(q) + q.meanBelow(p))
		}
		sum += p.weight * pairs / total
	}
	return sum / total
}

// logNormal is a weighted component of logarithms with mean a and standard deviation b.
type logNormal struct{ a, b, weight float64 }

// meanBelow returns 2 E[Y 1[Y < Y_o]] = m 2Q((a − o.a + b²)/r), r² = b² + o.b².
func (p logNormal) meanBelow(o logNormal) float64 {
	r := math.Hypot(p.b, o.b)
	d, share := p.a-o.a, p.b/r*(p.b/r)
	return expErfc(p.a+p.b*p.b/2, p.a-d*share+(share*o.b*o.b-d/r*(d/r))/2, (d/r+p.b*(p.b/r))*invRoot2)
}

// expErfc returns exp(log) erfc(x), at most exp(maxLog). less is log − x², which may be a number where both are too
// large.
func expErfc(log, less, x float64) float64 {
	const far = 25 // erfc is above the smallest numbers until here
	switch {
	case x < 1:
		return math.Exp(math.Min(maxLog, log)) * math.Erfc(x)
	case x < far:
		return math.Exp(math.Min(maxLog, less)) * (math.Exp(x*x) * math.Erfc(x))
	}
	u := 1 / (x * x)
	return math.Exp(math.Min(maxLog, less)) * (1 - u/2*(1-3*u/2*(1-5*u/2))) / (x * math.Sqrt(math.Pi))
}
