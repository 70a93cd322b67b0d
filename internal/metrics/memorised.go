package metrics

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	minGap      = 0.25  // nats a row: a smaller gap is not memorising, however certain it is
	maxSurprise = 10    // nats: bound of the surprise of a row
	certainty   = 0.999 // certainty of one test, on one side
	calibrated  = 0.5   // variance of ½(1 − z²), the surprise of a normal, nats²
)

// Memorised reports whether a model has learned its training rows by heart: it scores them better than unseen rows, and
// does not expect that. With the surprise of a row, whose mean is 0 if predictions are calibrated,
//
//	r_n = max(log p(y_n) − E log p(y), −10 nats),
//
// and the means r̄ of n seen and m unseen rows, it has memorised if the GeneralisationGap is above ¼ nat and
//
//	min(0, r̄_seen) − r̄_unseen > max(¼ nat, t √(v/n + v/m)),   v = max(½, var r_seen)
//
// with t the quantile 0.999 of Student's t of min(n, m) − 1 degrees of freedom. n and m are by Weights.effectiveSize.
// By the gap alone, a model that interpolates exact targets would count as memorising. By the variance of unseen rows,
// the worst models would not. The minimum subtracts the effect of a likelihood that does not fit, which surprises on
// both sides.
func Memorised(seen, unseen Densities) bool {
	n, m := seen.Weights.effectiveSize(len(seen.Log)), unseen.Weights.effectiveSize(len(unseen.Log))
	rows := min(n, m)
	if rows < 2 {
		return false
	}
	a, va := seen.Weights.moments(seen.surprise())
	b, _ := unseen.Weights.moments(unseen.surprise())
	v := max(calibrated, va*n)
	t := distuv.StudentsT{Sigma: 1, Nu: rows - 1}.Quantile(certainty)
	gap, _ := GeneralisationGap(seen, unseen)
	return gap > minGap && min(0, a)-b > max(minGap, t*math.Sqrt(v/n+v/m))
}

// surprise returns r_n of Memorised.
func (d Densities) surprise() []float64 {
	r := make([]float64, len(d.Log))
	for n, l := range d.Log {
		r[n] = max(l-d.Expected[n], -maxSurprise)
	}
	return r
}

// GeneralisationGap returns the difference between seen and unseen rows, in nats for each row, and its standard error:
//
//	mean_seen − mean_unseen,   √(var_seen/n + var_unseen/m)
//
// The error is NaN if one side has a single row.
func GeneralisationGap(seen, unseen Densities) (gap, se float64) {
	a, va := seen.Weights.moments(seen.Log)
	b, vb := unseen.Weights.moments(unseen.Log)
	return a - b, math.Sqrt(va + vb)
}

// MeanStdErr returns the mean of x and its standard error, NaN for a single value.
func MeanStdErr(x []float64) (mean, se float64) { return Weights(nil).MeanStdErr(x) }
