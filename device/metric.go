package device

// Metric is a comparison of two vectors, for SparseDistances.
type Metric uint8

// The metrics, by the squared norms a and b of two vectors and their inner product d. All are at least 0, and 0 for two
// empty vectors.
const (
	Squared  Metric = iota // a + b − 2d
	Unit                   // 2 − 2d, for vectors of length 1, or 0 if they are empty
	Tanimoto               // 2 − 2d/(a+b−d) = 2(a+b−2d)/(a+b−d); for counts of 0 or 1, 2 − 2T
)

// Distances turns the inner products of a vector with others into distances, by its squared norm and theirs.
func (m Metric) Distances(dots []float64, square float64, others []float64) {
	for i, dot := range dots {
		norms := square + others[i]
		switch {
		case norms == 0:
			dots[i] = 0
		case m == Unit:
			dots[i] = max(0, 2-2*dot)
		case m == Tanimoto:
			dots[i] = 2 * max(0, norms-2*dot) / (norms - dot)
		default:
			dots[i] = max(0, norms-2*dot)
		}
	}
}
