package acquisition

import "math"

// conditional is the variance of f at each row given noisy measurements of the chosen rows, if f is normal with the
// covariance of the functions. It is a Cholesky factorisation of the covariance, column by column.
type conditional struct {
	centred  Samples
	noise    []float64 // [N]
	variance []float64 // [N]
	factor   [][]float64
}

func newConditional(f Samples, noise []float64) *conditional {
	c := &conditional{centred: f.centred(), noise: noise, variance: make([]float64, f.N)}
	for i, v := range c.centred.F {
		c.variance[i%f.N] += v * v / float64(f.S)
	}
	return c
}

// measure computes the covariance of f with the measurement of a row, divided by its standard deviation.
func (c *conditional) measure(row int) {
	f := c.centred
	column := make([]float64, f.N)
	for s := range f.S {
		at := f.of(s)
		for i, v := range at {
			column[i] += v * at[row] / float64(f.S)
		}
	}
	for _, before := range c.factor {
		for i := range column {
			column[i] -= before[i] * before[row]
		}
	}
	sd := math.Sqrt(c.variance[row] + c.noise[row])
	if !(sd > 0) {
		return // the row is known already
	}
	for i := range column {
		column[i] /= sd
		c.variance[i] = max(0, c.variance[i]-column[i]*column[i])
	}
	c.factor = append(c.factor, column)
}

// UpperBound chooses rows by mean + kappa·sd, where sd is the standard deviation of f given measurements of the rows
// chosen before, whose noise has variances noise [N] (GP-BUCB of Desautels, Krause and Burdick 2014).
func UpperBound(f Samples, noise []float64, kappa float64, batch int) []Pick {
	c := newConditional(f, noise)
	means := f.means()
	bound := func(i int) float64 { return means[i] + kappa*math.Sqrt(c.variance[i]) }
	return greedy(f.N, batch, f.More, bound, c.measure)
}

// Variance chooses rows by the variance of f given measurements of the rows chosen before, times weight [N]; nil is 1.
func Variance(f Samples, noise, weight []float64, batch int) []Pick {
	c := newConditional(f, noise)
	return greedy(f.N, batch, f.More, func(i int) float64 { return weightOf(weight, i) * c.variance[i] }, c.measure)
}

// Information chooses rows by ½ log(1 + v/σ²), the information in nats that a measurement with noise of variance σ² has
// about f, given the measurements before it; times weight [N], nil is 1.
func Information(f Samples, noise, weight []float64, batch int) []Pick {
	c := newConditional(f, noise)
	return greedy(f.N, batch, f.More, func(i int) float64 {
		return weightOf(weight, i) * math.Log1p(c.variance[i]/noise[i]) / 2
	}, c.measure)
}
