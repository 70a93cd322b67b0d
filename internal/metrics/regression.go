package metrics

import "math"

// Regression scores, in the unit of the targets that were given.
type Regression struct {
	RMSE float64 `json:"rmse"` // root mean square error of the predictive mean
	MAE  float64 `json:"mae"`  // mean absolute error of the predictive mean
	NLPD float64 `json:"nlpd"` // mean of −log p(y), nats
	CRPS float64 `json:"crps"` // mean continuous ranked probability score
	// Shares of the targets inside the central intervals of probability 0.50, 0.90, 0.95.
	Coverage50 float64 `json:"coverage50"`
	Coverage90 float64 `json:"coverage90"`
	Coverage95 float64 `json:"coverage95"`
}

// Predictive is the predictive density of rows, each by its number.
type Predictive interface {
	Moments(n int) (mean, variance float64)
	LogDensity(n int, y float64) float64
	PIT(n int, y float64) (below, upTo float64) // the probabilities of less than y, and of at most y
	CRPS(n int, y float64) float64
}

// Distribution is the part of the mixtures of rows that predictions need: a Mixture of numbers, or a CountMixture.
type Distribution interface {
	Predictive
	MeanComponentVariance(n int) float64           // mean of the variances of the components
	CDF(n int, y float64) float64                  // the probability of at most y
	QuantileFunc(n int) func(p float64) float64    // quantiles of row n
	SampleComponent(u float64) int                 // the component that a number from 0 to 1 chooses
	ComponentQuantile(s, n int, z float64) float64 // value of a component at the place of z in the standard normal
	ComponentMean(s, n int) float64                // mean of a component
}

// ScoreRegression scores the predictions of N ≥ 1 rows against their targets.
func ScoreRegression(m Predictive, y []float64, weights Weights) Regression {
	rows := len(y)
	if rows == 0 {
		panic("metrics: scores need one row at least")
	}
	// A row's error, −log p(y), CRPS, and how far its probability is from the middle.
	rowScores := make([]struct{ miss, nlpd, crps, off float64 }, rows)
	EachRow(rows, func(n int) {
		mean, _ := m.Moments(n)
		w := &rowScores[n]
		w.miss, w.nlpd, w.crps = y[n]-mean, -m.LogDensity(n, y[n]), m.CRPS(n, y[n])
		below, upTo := m.PIT(n, y[n])
		w.off = max(0.5-upTo, below-0.5) * 2
	})
	var r Regression
	for n, w := range rowScores {
		k := weights.At(n)
		r.RMSE += k * (w.miss * w.miss)
		r.MAE += k * math.Abs(w.miss)
		r.NLPD += k * w.nlpd
		r.CRPS += k * w.crps
		// y lies between the quantiles (1±p)/2 when its own probability does.
		switch {
		case w.off <= 0.50:
			r.Coverage50 += k
			fallthrough
		case w.off <= 0.90:
			r.Coverage90 += k
			fallthrough
		case w.off <= 0.95:
			r.Coverage95 += k
		}
	}
	total := weights.Sum(rows)
	for _, sum := range r.fields() {
		*sum /= total
	}
	r.RMSE = math.Sqrt(r.RMSE)
	return r
}

// fields returns pointers to the scores, in the order of their fields.
func (r *Regression) fields() []*float64 {
	return []*float64{&r.RMSE, &r.MAE, &r.NLPD, &r.CRPS, &r.Coverage50, &r.Coverage90, &r.Coverage95}
}

// MeanScores returns the mean of the scores of several targets, each in standard deviations of the target.
func MeanScores(scores []Regression) (mean Regression) {
	for _, s := range scores {
		for k, v := range s.fields() {
			*mean.fields()[k] += *v / float64(len(scores))
		}
	}
	return mean
}

// InUnits turns scores of standardised targets into scores in the unit of which sd is the standard deviation: lengths
// grow by sd, NLPD by log sd, coverage stays.
func (r Regression) InUnits(sd float64) Regression {
	r.RMSE *= sd
	r.MAE *= sd
	r.CRPS *= sd
	r.NLPD += math.Log(sd)
	return r
}
