package metrics

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Mixture is the predictive density of N rows: for row n
//
//	p(y) = Σ_s w_s g_s((y − Mean[s·N+n])/σ)/σ,   σ² = Var[n], or Var[s·N+n] where each component has its own
//
// with w_s = 1/S or Weight[s], and g_s the density of the standard normal or of Student's t. Var is positive. If a mean
// or a variance is NaN, every score is NaN. S narrow components have almost no density outside their range. So the
// density may be (1 − TailShare) p(y) + TailShare t(y), where t is Student's with 3 degrees of freedom and the mean and
// the variance of p.
type Mixture struct {
	S, N      int
	Mean      []float64   // means of the components [S,N]
	Var       []float64   // σ², the squared scale of a component [N] or [S,N]
	Weight    []float64   // weights of the components [S], with sum 1; nil: equal weights
	Student   []*StudentT // Student's t of each component [S], nil for a normal one; nil: all are normal
	TailShare float64     // share of the tail component, 0 ≤ TailShare < 1
}

const (
	sqrt2    = math.Sqrt2
	invRoot2 = 1 / math.Sqrt2
)

var logRoot2Pi = 0.5 * math.Log(2*math.Pi)

// normalCDF returns the standard normal distribution function; erfc keeps its lower tail exact.
func normalCDF(z float64) float64 { return 0.5 * math.Erfc(-z*invRoot2) }

// normalPDF returns the standard normal density.
func normalPDF(z float64) float64 { return math.Exp(-0.5*z*z - logRoot2Pi) }

// scale returns σ of component s of row n.
func (m Mixture) scale(s, n int) float64 {
	if len(m.Var) == m.N {
		return math.Sqrt(m.Var[n])
	}
	return math.Sqrt(m.Var[s*m.N+n])
}

// scaledWeight returns S·w_s: sums over components add scaledWeight(s) x_s, and are divided by S at the end. It is 1 if
// all weights are equal, so that the sum has the bits of an unweighted sum.
func (m Mixture) scaledWeight(s int) float64 {
	if m.Weight == nil {
		return 1
	}
	return float64(m.S) * m.Weight[s]
}

// student returns the distribution of component s; nil is the normal distribution.
func (m Mixture) student(s int) *StudentT {
	if m.Student == nil {
		return nil
	}
	return m.Student[s]
}

// ComponentQuantile returns the quantile of component s of row n at Φ(z): a draw, if z is a standard normal draw. S is
// the tail component.
func (m Mixture) ComponentQuantile(s, n int, z float64) float64 {
	if s == m.S {
		o := m.tail(n)
		return o.mean + o.sd*tailQuantile(normalCDF(z))
	}
	if t := m.student(s); t != nil {
		z = t.quantile(normalCDF(z))
	}
	return m.Mean[s*m.N+n] + m.scale(s, n)*z
}

// SampleComponent returns the component that a number u from 0 to 1 chooses: s with probability w_s, or S with the
// probability of the tail component.
func (m Mixture) SampleComponent(u float64) int {
	if u >= 1-m.TailShare {
		return m.S
	}
	u /= 1 - m.TailShare
	if m.Weight == nil {
		return int(u * float64(m.S))
	}
	for s, w := range m.Weight {
		if u -= w; u < 0 {
			return s
		}
	}
	return m.S - 1
}

// Moments returns row n's mean, and its variance, the mean of the components' variances + Σ w_s (Mean_s − mean)².
func (m Mixture) Moments(n int) (mean, variance float64) {
	for s := range m.S {
		mean += m.scaledWeight(s) * m.Mean[s*m.N+n]
	}
	mean /= float64(m.S)
	for s := range m.S {
		d := m.Mean[s*m.N+n] - mean
		variance += m.scaledWeight(s) * (d * d)
	}
	return mean, m.MeanComponentVariance(n) + variance/float64(m.S)
}

// MeanComponentVariance returns the mean of the variances of row n's components: the noise, where the components differ
// by the model's uncertainty.
func (m Mixture) MeanComponentVariance(n int) float64 {
	if len(m.Var) == m.N && m.Weight == nil && m.Student == nil {
		return m.Var[n]
	}
	variance := 0.0
	for s := range m.S {
		v := m.scaledWeight(s) * m.Var[s*m.N%len(m.Var)+n]
		if t := m.student(s); t != nil {
			v *= t.dof / (t.dof - 2) // variance of t_ν
		}
		variance += v
	}
	return variance / float64(m.S)
}

// LogDensity returns log p(y) of row n.
func (m Mixture) LogDensity(n int, y float64) float64 {
	logs := make([]float64, m.S)
	for s := range logs {
		sd := m.scale(s, n)
		logs[s] = m.student(s).logDensity((y-m.Mean[s*m.N+n])/sd) - math.Log(sd)
	}
	return m.tail(n).logDensity(LogSumExp(logs, m.scaledWeight, float64(m.S)), y)
}

// LogSumExp returns log (Σ_s weight(s) exp(logs[s]) / total), in which no exponential overflows.
func LogSumExp(logs []float64, weight func(s int) float64, total float64) float64 {
	top := slices.Max(logs)
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for s, l := range logs {
		sum += weight(s) * math.Exp(l-top)
	}
	return top + math.Log(sum/total)
}

// CDF returns the probability that row n's target is at most y.
func (m Mixture) CDF(n int, y float64) float64 { return m.upTo(n, y, 1) }

// ComponentMean returns the mean of component s of row n.
func (m Mixture) ComponentMean(s, n int) float64 { return m.Mean[s*m.N+n] }

// PIT returns the probability integral transform of y in row n: the probabilities of less than y, and of at most y.
func (m Mixture) PIT(n int, y float64) (below, upTo float64) {
	p := m.CDF(n, y)
	return p, p
}

// survival returns 1 − CDF(n, y) without loss of digits, since all g_s are symmetric.
func (m Mixture) survival(n int, y float64) float64 { return m.upTo(n, y, -1) }

// upTo returns the probability of at most y, or with the sign −1 of at least y.
func (m Mixture) upTo(n int, y, sign float64) float64 {
	sum := 0.0
	for s := range m.S {
		sum += m.scaledWeight(s) * m.student(s).CDF(sign*(y-m.Mean[s*m.N+n])/m.scale(s, n))
	}
	return m.tail(n).mix(sum/float64(m.S), func(z float64) float64 { return tailCDF(sign * z) }, y)
}

// normalQuantile returns the z with Φ(z) = p. Below 1e-15, 2p − 1 would be −1.
func normalQuantile(p float64) float64 {
	if p > 0 && p < 1e-15 {
		return mathext.NormalQuantile(p)
	}
	return sqrt2 * math.Erfinv(2*p-1)
}
