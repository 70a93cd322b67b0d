package cpu

import "math"

// drawSpectra draws one row of one Ω in each block.
type drawSpectra[T Float] features[T]

func (t *drawSpectra[T]) run(w *worker, block int) {
	sample, row := block/t.D, block%t.D
	key := keyOf(t.noise.Frequencies, sample, t.noise.FrequencyDraws)
	omega := t.omega[block*t.R:][:t.R]
	if t.Prior {
		draw(t.math, omega, t.R, key, nil, row)
		inverse := T(math.Exp(-float64(t.p.logL[row])))
		for r := range omega {
			omega[r] *= inverse
		}
		times(omega, t.p.mixing)
		return
	}
	tau, beta := t.tau[block*t.R:][:t.R], t.math.scratch(w, 0, t.R)
	draw(t.math, tau, t.R, key, nil, row)
	deviations(t.math, beta, t.p.logVarOmega[row*t.R:])
	combine(omega, tau, beta, t.p.meanOmega[row*t.R:])
	times(omega, t.p.mixing)
	times(tau, t.p.mixing)
}

// times multiplies x by factor, element by element; a nil factor changes nothing.
func times[T Float](x, factor []T) {
	for i, v := range factor {
		x[i] *= v
	}
}

// drawWeights draws a block of rows of one W.
type drawWeights[T Float] features[T]

func (t *drawWeights[T]) run(w *worker, block int) {
	columns := (*features[T])(t).Columns()
	sample, lo, hi := spanOf(block, featureColumns, columns)
	n, at := (hi-lo)*t.Out, (sample*columns+lo)*t.Out
	e := t.e[at:][:n]
	s := t.math.scratch(w, 0, n)
	draw(t.math, e, t.Out, keyOf(t.noise.Weights, sample, t.noise.WeightDraws), nil, lo)
	deviations(t.math, s, t.p.logVarW[lo*t.Out:])
	combine(t.w[at:][:n], e, s, t.p.meanW[lo*t.Out:])
}

// deviations computes s = √eˡ for the logarithms of variances.
func deviations[T Float](m *kernels[T], s, logVar []T) {
	for i, v := range logVar[:len(s)] {
		s[i] = v / 2
	}
	m.exp(s, s)
}

// product computes dst = x∘y.
func product[T Float](dst, x, y []T) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

// combine scales a noise by s and adds the mean.
func combine[T Float](dst, noise, s, mean []T) {
	noise, s, mean = noise[:len(dst)], s[:len(dst)], mean[:len(dst)]
	for i, v := range noise {
		v *= s[i]
		noise[i] = v
		dst[i] = mean[i] + v
	}
}
