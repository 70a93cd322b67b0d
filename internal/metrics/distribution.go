package metrics

// Distribution is what predictions ask of the mixtures of rows: a Mixture of numbers, or Counts.
type Distribution interface {
	Predictive
	Within(n int) float64                      // the mean of the variances of the components
	CDF(n int, y float64) float64              // the probability of at most y
	QuantilesOf(n int) func(p float64) float64 // of row n
	Component(u float64) int                   // the one that a number from 0 to 1 chooses
	At(s, n int, z float64) float64            // its value where z is in the standard normal
	Centre(s, n int) float64                   // its mean
}

// Centre is the mean of component s of row n.
func (m Mixture) Centre(s, n int) float64 { return m.Mean[s*m.N+n] }

// Position is where y stands in row n's distribution: the probabilities of less than y, and of at most y.
func (m Mixture) Position(n int, y float64) (below, upTo float64) {
	p := m.CDF(n, y)
	return p, p
}

// Position is that of Mixture, of y itself.
func (l LogMixture) Position(n int, y float64) (below, upTo float64) {
	p := l.CDF(n, y)
	return p, p
}
