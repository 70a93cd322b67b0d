package metrics

import (
	"math"
	"strconv"
)

// Weights of rows, above 0: weight w counts as w copies of the row. nil: each row counts once.
type Weights []float64

// At returns the weight of row i.
func (w Weights) At(i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}

// Sum returns Σ w over n rows.
func (w Weights) Sum(n int) (sum float64) {
	for i := range n {
		sum += w.At(i)
	}
	return sum
}

// effectiveSize returns the number of rows of weight 1 whose mean has the same variance, (Σ w)²/Σ w².
func (w Weights) effectiveSize(n int) float64 {
	squares := 0.0
	for i := range n {
		squares += w.At(i) * w.At(i)
	}
	sum := w.Sum(n)
	return sum * sum / squares
}

// MeanStdErr returns the mean of x, Σ w x/Σ w, and its standard error, NaN for a single value.
func (w Weights) MeanStdErr(x []float64) (mean, se float64) {
	mean, variance := w.moments(x)
	return mean, math.Sqrt(variance)
}

// BetterByOneSE reports whether the mean of logs exceeds the mean of other, for the same rows, by more than the
// standard error of the difference.
func (w Weights) BetterByOneSE(logs, other []float64) bool {
	differences := make([]float64, len(logs))
	for i := range differences {
		differences[i] = logs[i] - other[i]
	}
	mean, se := w.MeanStdErr(differences)
	return mean > se
}

// moments returns the mean of x and the variance of that mean over n rows,
//
//	n/(n−1) Σ w² (x − mean)²/(Σ w)²
//
// Rows count here, not copies: a weight does not make a row more certain.
func (w Weights) moments(x []float64) (mean, variance float64) {
	sum, n := w.Sum(len(x)), float64(len(x))
	for i, v := range x {
		mean += w.At(i) * v
	}
	mean /= sum
	for i, v := range x {
		d := w.At(i) * n / sum * (v - mean)
		variance += d * d
	}
	return mean, variance / (n - 1) / n
}

// RowCount is a number of rows, or the sum of their weights.
type RowCount float64

// String formats with two decimals at most.
func (c RowCount) String() string {
	return strconv.FormatFloat(math.Round(100*float64(c))/100, 'f', -1, 64)
}
