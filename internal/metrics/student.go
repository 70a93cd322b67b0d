package metrics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// StudentT is Student's t with ν > 2 degrees of freedom: density t_ν(z) = C (1 + z²/ν)^−(ν+1)/2. Its distribution
// function is needed very often, so it is tabulated. nil is the standard normal distribution.
type StudentT struct {
	dof, logC float64
	table     []knot // upper tail 1 − CDF at z = sinh u, by u in multiples of knotStep
}

// knot is a value of a function, and its slope.
type knot struct{ value, slope float64 }

// hermiteInterpolate returns the cubic through two knots that are a step apart, at a share x of it.
func hermiteInterpolate(a, b knot, x, step float64) float64 {
	rest := 1 - x
	return (1+2*x)*rest*rest*a.value + x*x*(3-2*x)*b.value + step*x*rest*(rest*a.slope-x*b.slope)
}

const (
	knots    = 4096
	knotStep = 20.0 / knots // beyond u = 20 the tail is below 1e-16 for every ν > 2
)

// NewStudentT makes the table, to 1e-12 of the distribution function.
func NewStudentT(dof float64) *StudentT {
	upper, _ := math.Lgamma((dof + 1) / 2)
	lower, _ := math.Lgamma(dof / 2)
	t := &StudentT{dof: dof, logC: upper - lower - 0.5*math.Log(math.Pi*dof), table: make([]knot, knots+1)}
	for i := range t.table {
		u := float64(i) * knotStep
		z := math.Sinh(u)
		// 1 − CDF is half the regularised incomplete beta function at ν/(ν+z²).
		t.table[i] = knot{0.5 * mathext.RegIncBeta(dof/2, 0.5, dof/(dof+z*z)),
			-math.Exp(t.logDensity(z)) * math.Cosh(u)}
	}
	return t
}

func (t *StudentT) logDensity(z float64) float64 {
	if t == nil {
		return -0.5*z*z - logRoot2Pi
	}
	return t.logC - 0.5*(t.dof+1)*math.Log1p(z*z/t.dof)
}

// CDF returns the probability of at most z, of Student's t by cubic interpolation in the table.
func (t *StudentT) CDF(z float64) float64 {
	switch {
	case t == nil:
		return normalCDF(z)
	case math.IsNaN(z):
		return z
	}
	at := math.Asinh(math.Abs(z)) / knotStep
	tail := 0.0
	if i := int(math.Min(at, knots)); i < knots {
		tail = hermiteInterpolate(t.table[i], t.table[i+1], at-float64(i), knotStep)
	}
	if z < 0 {
		return tail
	}
	return 1 - tail
}

func (t *StudentT) quantile(p float64) float64 {
	switch {
	case t == nil:
		return normalQuantile(p)
	case !(p >= 0 && p <= 1):
		return math.NaN()
	}
	return distuv.StudentsT{Sigma: 1, Nu: t.dof}.Quantile(p)
}

// meanDistance returns E|T − z| = z (2 CDF(z) − 1) + 2 t_ν(z) (ν + z²)/(ν − 1).
func (t *StudentT) meanDistance(z float64) float64 {
	return z*(2*t.CDF(z)-1) + 2*math.Exp(t.logDensity(z))*(t.dof+z*z)/(t.dof-1)
}
