package metrics

import "math"

// tailComponent is a component in addition to the S of a row: Student's t with 3 degrees of freedom, and with the mean
// and the variance of the S components together. As z = (y − mean)/sd it has
//
//	density 2/(π (1 + z²)²),   distribution (δ − sin δ)/2π with cot(δ/2) = −z
type tailComponent struct{ share, mean, sd float64 }

// tail returns the tail component of row n; its share may be 0.
func (m Mixture) tail(n int) tailComponent {
	if m.TailShare == 0 {
		return tailComponent{}
	}
	mean, variance := m.Moments(n)
	return tailComponent{m.TailShare, mean, math.Sqrt(variance)}
}

// logDensity adds the tail component to the log density of the S components at y.
func (t tailComponent) logDensity(inner, y float64) float64 {
	if t.share == 0 {
		return inner
	}
	a, b := math.Log1p(-t.share)+inner, math.Log(t.share)+tailLogDensity((y-t.mean)/t.sd)-math.Log(t.sd)
	top := math.Max(a, b)
	if math.IsInf(top, -1) {
		return top
	}
	return top + math.Log1p(math.Exp(math.Min(a, b)-top))
}

// mix returns the average of inner, a function of the S components at y, and of the function of the tail component at
// z.
func (t tailComponent) mix(inner float64, of func(z float64) float64, y float64) float64 {
	if t.share == 0 {
		return inner
	}
	return (1-t.share)*inner + t.share*of((y-t.mean)/t.sd)
}

func tailLogDensity(z float64) float64 { return math.Log(2/math.Pi) - 4*math.Log(math.Hypot(1, z)) }

func tailDensity(z float64) float64 { return 2 / math.Pi / ((1 + z*z) * (1 + z*z)) }

// tailCDF keeps the digits of its lower tail, where δ − sin δ is δ³/6 (1 − δ²/20 (1 − …)).
func tailCDF(z float64) float64 {
	return arcLessSine(2*math.Atan2(1, -z)) / (2 * math.Pi)
}

// arcLessSine returns δ − sin δ for δ ≥ 0, with all digits for small δ.
func arcLessSine(delta float64) float64 {
	if delta > 0.25 {
		return delta - math.Sin(delta)
	}
	square := delta * delta
	rest := 1.0
	for _, next := range []float64{110, 72, 42, 20} {
		rest = 1 - square/next*rest
	}
	return delta * square / 6 * rest
}

// tailQuantile solves δ − sin δ = 2πp by Newton steps from the root of δ³/6, which is below δ. The first step leads
// beyond δ, the others fall towards it.
func tailQuantile(p float64) float64 {
	if p > 0.5 {
		return -tailQuantile(1 - p)
	}
	delta := math.Cbrt(12 * math.Pi * p)
	for range 8 {
		half := math.Sin(delta / 2)
		delta -= (arcLessSine(delta) - 2*math.Pi*p) / (2 * half * half)
	}
	return -1 / math.Tan(delta/2)
}

// tailDistance returns E|T − z|.
func tailDistance(z float64) float64 { return 2 / math.Pi * (1 + z*math.Atan(z)) }

// spread completes ½ E|Y − Y'| of the S components of row n, which are normal:
//
//	½ E|Y − Y'| = (1−w)² inner + w (1−w) Σ_s w_s E|Y_s − T| + w² ½ E|T − T'|
//
// and ½ E|T − T'| is 3/2π sd.
func (t tailComponent) spread(m Mixture, n int, inner float64) float64 {
	if t.share == 0 {
		return inner
	}
	across := 0.0
	of := t.distances(m, n)
	for s := range m.S {
		across += m.scaledWeight(s) * of((m.Mean[s*m.N+n]-t.mean)/t.sd, m.scale(s, n)/t.sd)
	}
	across *= t.sd / float64(m.S)
	w := t.share
	return (1-w)*(1-w)*inner + w*(1-w)*across + w*w*1.5/math.Pi*t.sd
}

// distances returns meanTailDistance for the components of row n. If they have one σ and lie close to each other, it
// interpolates between fewer values, to 5e-5.
func (t tailComponent) distances(m Mixture, n int) func(z, sd float64) float64 {
	const step = 0.25
	low, high := math.Inf(1), math.Inf(-1)
	for s := range m.S {
		low, high = math.Min(low, m.Mean[s*m.N+n]), math.Max(high, m.Mean[s*m.N+n])
	}
	low = (low - t.mean) / t.sd
	knots := (high-t.mean)/t.sd/step - low/step + 2
	if len(m.Var) != m.N || !(knots < float64(m.S)/2) {
		return func(z, sd float64) float64 {
			value, _ := meanTailDistance(z, sd)
			return value
		}
	}
	table := make([]knot, int(knots)+1)
	for k := range table {
		table[k].value, table[k].slope = meanTailDistance(low+float64(k)*step, m.scale(0, n)/t.sd)
	}
	return func(z, _ float64) float64 {
		k := int((z - low) / step)
		return hermiteInterpolate(table[k], table[k+1], (z-low)/step-float64(k), step)
	}
}

// meanTailDistance returns E tailDistance of a normal, and its slope by the mean, by the trapezoid rule, to 2e-4 for
// deviations up to 1. The poles of the integrand are 1 from the real line, so that wide normals have finer steps.
func meanTailDistance(mean, sd float64) (value, slope float64) {
	const fineness, reach = 0.8, 4
	h := fineness * math.Min(1, 1/sd)
	add := func(z, weight float64) {
		arc := math.Atan(z)
		value += weight * (1 + z*arc)
		slope += weight * (arc + z/(1+z*z))
	}
	add(mean, 1)
	weights := 1.0
	// φ(kh)/φ(0) = φ((k−1)h)/φ(0) · step, and each step is the last one times ratio
	step := math.Exp(-h * h / 2)
	weight, ratio := 1.0, step*step
	for x := h; x <= reach; x += h {
		weight *= step
		step *= ratio
		add(mean-sd*x, weight)
		add(mean+sd*x, weight)
		weights += 2 * weight
	}
	scale := 2 / math.Pi / weights
	return value * scale, slope * scale
}
