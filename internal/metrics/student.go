package metrics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Student is Student's t with ν > 2 degrees of freedom: density t_ν(z) = C (1 + z²/ν)^−(ν+1)/2. Its
// distribution function is needed very often, so it is tabulated.
type Student struct {
	dof, logC float64
	// CDF(−z) at z = sinh u, and its logarithm, by u in multiples of knotStep
	table, logs []knot
}

// knot is a value of a function, and its slope.
type knot struct{ value, slope float64 }

// between returns the cubic through two knots that are a step apart, at a share x of it.
func between(a, b knot, x, step float64) float64 {
	rest := 1 - x
	return (1+2*x)*rest*rest*a.value + x*x*(3-2*x)*b.value + step*x*rest*(rest*a.slope-x*b.slope)
}

const (
	knots    = 4096
	knotStep = 20.0 / knots
)

// NewStudent makes the tables, to 1e-12 of the distribution function.
func NewStudent(dof float64) *Student {
	upper, _ := math.Lgamma((dof + 1) / 2)
	lower, _ := math.Lgamma(dof / 2)
	t := &Student{dof: dof, logC: upper - lower - 0.5*math.Log(math.Pi*dof), table: make([]knot, knots+1),
		logs: make([]knot, knots+1)}
	const zero = -1000 // exp(zero) is 0
	for i := range t.table {
		t.logs[i].value = zero
		if i > 0 && t.logs[i-1].value <= zero {
			continue
		}
		u := float64(i) * knotStep
		z := math.Sinh(u)
		tail, density := t.logTail(z), t.logDensity(z)
		t.table[i] = knot{math.Exp(tail), -math.Exp(density) * math.Cosh(u)}
		t.logs[i] = knot{max(tail, zero), -math.Exp(density-tail) * math.Cosh(u)}
	}
	return t
}

func (t *Student) logDensity(z float64) float64 { return t.logC - 0.5*(t.dof+1)*math.Log1p(z*z/t.dof) }

// CDF returns the probability of at most z, by cubic interpolation in the table. It keeps the digits of small ones.
func (t *Student) CDF(z float64) float64 {
	if math.IsNaN(z) {
		return z
	}
	const small = 1e-6
	at := math.Asinh(math.Abs(z)) / knotStep
	tail := 0.0
	if i := int(math.Min(at, knots)); i == knots {
		tail = math.Exp(t.logTail(math.Abs(z)))
	} else if tail = between(t.table[i], t.table[i+1], at-float64(i), knotStep); tail < small {
		tail = math.Exp(between(t.logs[i], t.logs[i+1], at-float64(i), knotStep))
	}
	if z < 0 {
		return tail
	}
	return 1 - tail
}

// logTail returns log CDF(−z), z ≥ 0, of which CDF may be too small for float64.
func (t *Student) logTail(z float64) float64 {
	root := math.Sqrt(t.dof)
	length := math.Hypot(1, z/root)
	a, x := t.dof/2, 1/length/length
	if x > 0.5 {
		if tail := 0.5 * mathext.RegIncBeta(a, 0.5, x); tail > 1e-300 {
			return math.Log(tail)
		}
	}
	// C/√ν xᵃ √(1−x) F(a+½, 1; a+1; x), whose terms fall off as those of 1/(1−x)
	sum, term := 1.0, 1.0
	for k := 0.0; term > 1e-16*sum; k++ {
		term *= x * (a + 0.5 + k) / (a + 1 + k)
		sum += term
	}
	return t.logC - (t.dof+1)*math.Log(length) + math.Log(z/t.dof) + math.Log(sum)
}

// quantile returns the z with CDF(z) = p, 0 < p < 1; otherwise NaN.
func (t *Student) quantile(p float64) float64 {
	if p > 0.5 {
		return -t.quantile(1 - p)
	}
	// Of all ν > 2 the normal's, ∞, has the shortest tails, and 2 the longest.
	low, high := math.Asinh((2*p-1)/math.Sqrt(2*p*(1-p))), math.Asinh(normalQuantile(p))
	logP := logOf(p)
	return math.Sinh(root(low, high, 1e-14, func(u float64) (f, slope float64) {
		z := math.Sinh(u)
		tail := t.logTail(-z)
		return tail - logP, math.Exp(t.logDensity(z)-tail) * math.Cosh(u)
	}))
}

// meanDistance returns E|T − z| = z (2 CDF(z) − 1) + 2 t_ν(z) (ν + z²)/(ν − 1).
func (t *Student) meanDistance(z float64) float64 {
	return z*(2*t.CDF(z)-1) + 2*math.Exp(t.logDensity(z))*(t.dof+z*z)/(t.dof-1)
}
