package best

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
)

// The constants of stacking.
const (
	stackRounds = 500
	minWeight   = 0.02 // least weight of a model that is worth its time in every prediction
)

// stack returns the weights w on the simplex that maximise the density of the mixture on rows that the models have not
// seen (Yao, Vehtari, Simpson & Gelman 2018),
//
//	Σ_n r_n log Σ_k w_k p_k(y_n)
//
// from the log densities of each model [K][N] and the weights r of the rows. It is concave in w, and the steps of EM
//
//	w_k ← 1/Σ r Σ_n r_n w_k p_k(y_n) / Σ_j w_j p_j(y_n)
//
// never decrease it. Weights below minWeight become 0, until no such weight is left.
func stack(logs [][]float64, rows metrics.Weights) []float64 {
	w := slices.Repeat([]float64{1 / float64(len(logs))}, len(logs))
	runEM(w, logs, rows)
	light := func(v float64) bool { return v > 0 && v < minWeight }
	for cut := true; cut; cut = slices.ContainsFunc(w, light) {
		total := 0.0
		for k := range w {
			if light(w[k]) {
				w[k] = 0
			}
			total += w[k]
		}
		for k := range w {
			w[k] /= total
		}
		runEM(w, logs, rows)
	}
	return w
}

// runEM takes the steps of EM; a weight of 0 stays 0.
func runEM(w []float64, logs [][]float64, rows metrics.Weights) {
	n := len(logs[0])
	size := rows.Sum(n)
	next, responsibility := make([]float64, len(w)), make([]float64, len(w))
	for range stackRounds {
		clear(next)
		for i := range n {
			top := math.Inf(-1)
			for k := range w {
				if w[k] > 0 {
					top = math.Max(top, logs[k][i])
				}
			}
			if math.IsInf(top, -1) { // no model allows for this row
				top = 0
			}
			sum := 0.0
			for k := range w {
				responsibility[k] = 0
				if w[k] > 0 {
					responsibility[k] = w[k] * math.Exp(logs[k][i]-top)
				}
				sum += responsibility[k]
			}
			for k := range w {
				if sum > 0 {
					next[k] += rows.At(i) * responsibility[k] / sum / size
				} else {
					next[k] += rows.At(i) * w[k] / size
				}
			}
		}
		total := 0.0
		for _, v := range next {
			total += v
		}
		for k, v := range next {
			w[k] = v / total // 1, apart from rounding
		}
	}
}

// mixtureLogDensities returns the log density of each row under the mixture of the models, from the log densities under
// each model [K][N].
func mixtureLogDensities(logs [][]float64, w []float64) []float64 {
	all, row := make([]float64, len(logs[0])), make([]float64, len(logs))
	for i := range all {
		for k := range row {
			row[k] = logs[k][i]
		}
		all[i] = metrics.LogSumExp(row, func(k int) float64 { return w[k] }, 1)
	}
	return all
}
