package metrics

import "math"

// Densities are the log predictive densities of rows at their targets, and their expectations under the model before it
// sees the targets, both in nats.
type Densities struct {
	Log      []float64 // log p(y_n)
	Expected []float64 // E log p(y) over y drawn from p itself, or a bound below it
	Weights  Weights   // weights of the rows
}

// RegressionDensities returns the densities of N rows with N targets. Expected is the bound
//
//	E log p(y) ≥ −½ log(2πe V_n)
//
// with V_n the variance of the mixture: no density of a variance has more entropy than the normal. For counts V_n +
// 1/12 replaces V_n: the variance of a count plus a uniform number from 0 to 1.
func RegressionDensities(m Predictive, y []float64) Densities {
	d := Densities{Log: make([]float64, len(y)), Expected: make([]float64, len(y))}
	_, counts := m.(CountMixture)
	EachRow(len(y), func(n int) {
		_, variance := m.Moments(n)
		if counts {
			variance += 1.0 / 12
		}
		d.Log[n] = m.LogDensity(n, y[n])
		d.Expected[n] = -0.5 - logRoot2Pi - 0.5*math.Log(variance)
	})
	return d
}

// ClassDensities returns the densities of logits [S,N,C] and N labels: log p(label), and Σ_c p_c log p_c, which is
// exact.
func ClassDensities(logits []float64, s, n, c int, labels []int32) Densities {
	d := Densities{Log: make([]float64, n), Expected: make([]float64, n)}
	logp := logProbabilities(logits, s, n, c)
	for i, label := range labels {
		row := logp[i*c : (i+1)*c]
		d.Log[i] = row[label]
		for _, lp := range row {
			if p := math.Exp(lp); p > 0 {
				d.Expected[i] += p * lp
			}
		}
	}
	return d
}

// MeanDensities returns the densities of several targets: for each row, the mean over the targets.
func MeanDensities(targets []Densities) Densities {
	rows := len(targets[0].Log)
	mean := Densities{Log: make([]float64, rows), Expected: make([]float64, rows)}
	for _, d := range targets {
		for i := range rows {
			mean.Log[i] += d.Log[i] / float64(len(targets))
			mean.Expected[i] += d.Expected[i] / float64(len(targets))
		}
	}
	return mean
}

// FromLogScale turns the densities of x = (log y − centre)/unit into the densities of y/sd. E log y is in closed form,
// so the bound remains as close.
func (d Densities) FromLogScale(m Predictive, centre, unit float64, y []float64, sd float64) {
	shift := math.Log(sd) - math.Log(unit)
	for n := range d.Log {
		mean, _ := m.Moments(n)
		d.Log[n] += shift - math.Log(y[n])
		d.Expected[n] += shift - (centre + unit*mean)
	}
}
