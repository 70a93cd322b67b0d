package acquisition

import "slices"

// ExpectedImprovement chooses rows by E max(0, f(x) − best) over the functions. best [S] is the best value so far in
// each of them: the measured ones, then the chosen rows (qEI, one row after the other; qNEI if best differs between
// functions). weight [N] is the probability that a row is feasible, independent of f; nil is 1. Chosen rows raise best
// by their expected improvement. If no function improves at a row, its value is 0. Such rows are ordered by their
// means, times weight.
func ExpectedImprovement(f Samples, best, weight []float64, batch int) []Pick {
	best = slices.Clone(best)
	means := f.means()
	gain := make([]float64, f.N)
	update := func() {
		clear(gain)
		for s := range f.S {
			for i, v := range f.of(s) {
				gain[i] += max(0, v-best[s])
			}
		}
		for i := range gain {
			gain[i] *= weightOf(weight, i) / float64(f.S)
		}
	}
	update()
	least, most := slices.Min(means), slices.Max(means)
	tie := func(i int) float64 { // tie is from −1 to 0.
		share := 1.0
		if most > least {
			share = (means[i] - least) / (most - least)
		}
		return weightOf(weight, i)*share - 1
	}
	picks := greedy(f.N, batch, f.More, func(i int) float64 {
		if gain[i] > 0 {
			return gain[i]
		}
		return tie(i)
	}, func(i int) {
		for s := range best {
			best[s] += weightOf(weight, i) * max(0, f.F[s*f.N+i]-best[s])
		}
		update()
	})
	for k := range picks {
		picks[k].Value = max(0, picks[k].Value)
	}
	return picks
}

// Thompson chooses the best row of one function after the other, each row once. A value is the value of the function
// there.
func Thompson(f Samples, batch int) []Pick {
	s := 0
	return greedy(f.N, batch, f.More, func(i int) float64 { return f.of(s % f.S)[i] }, func(int) { s++ })
}
