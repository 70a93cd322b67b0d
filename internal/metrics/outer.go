package metrics

import "math"

// outer is a component in addition to the S of a row: Student's t with 3 degrees of freedom, and with the mean and the
// variance of the S components together. As z = (y − mean)/sd it has
//
//	density 2/(π (1 + z²)²),   distribution (δ − sin δ)/2π with cot(δ/2) = −z
type outer struct{ share, mean, sd float64 }

// outer returns the outer component of row n; its share may be 0.
func (m Mixture) outer(n int) outer {
	if m.Outer == 0 {
		return outer{}
	}
	mean, variance := m.Moments(n)
	return outer{m.Outer, mean, math.Sqrt(variance)}
}

// logDensity adds the outer component to the log density of the S components at y.
func (o outer) logDensity(inner, y float64) float64 {
	if o.share == 0 {
		return inner
	}
	a, b := math.Log1p(-o.share)+inner, math.Log(o.share)+outerLogDensity((y-o.mean)/o.sd)-math.Log(o.sd)
	top := math.Max(a, b)
	if math.IsInf(top, -1) {
		return top
	}
	return top + math.Log1p(math.Exp(math.Min(a, b)-top))
}

// mix returns the average of inner, a function of the S components at y, and of the function of the outer component at
// z.
func (o outer) mix(inner float64, of func(z float64) float64, y float64) float64 {
	if o.share == 0 {
		return inner
	}
	return (1-o.share)*inner + o.share*of((y-o.mean)/o.sd)
}

func outerLogDensity(z float64) float64 { return math.Log(2/math.Pi) - 4*math.Log(math.Hypot(1, z)) }

func outerDensity(z float64) float64 { return 2 / math.Pi / ((1 + z*z) * (1 + z*z)) }

// outerCDF keeps the digits of its lower tail, where δ − sin δ is δ³/6 (1 − δ²/20 (1 − …)).
func outerCDF(z float64) float64 {
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

// outerQuantile solves δ − sin δ = 2πp by Newton steps from the root of δ³/6, which is below δ. The first step leads
// beyond δ, the others fall towards it.
func outerQuantile(p float64) float64 {
	if p > 0.5 {
		return -outerQuantile(1 - p)
	}
	delta := math.Cbrt(12 * math.Pi * p)
	for range 8 {
		half := math.Sin(delta / 2)
		delta -= (arcLessSine(delta) - 2*math.Pi*p) / (2 * half * half)
	}
	return -1 / math.Tan(delta/2)
}

// outerDistance returns E|T − z|.
func outerDistance(z float64) float64 { return 2 / math.Pi * (1 + z*math.Atan(z)) }

// spread completes ½ E|Y − Y'| of the S components of row n, which are normal:
//
//	½ E|Y − Y'| = (1−w)² inner + w (1−w) Σ_s w_s E|Y_s − T| + w² ½ E|T − T'|
//
// and ½ E|T − T'| is 3/2π sd.
func (o outer) spread(m Mixture, n int, inner float64) float64 {
	if o.share == 0 {
		return inner
	}
	across := 0.0
	of := o.distances(m, n)
	for s := range m.S {
		across += m.scaledWeight(s) * of((m.Mean[s*m.N+n]-o.mean)/o.sd, m.scale(s, n)/o.sd)
	}
	across *= o.sd / float64(m.S)
	w := o.share
	return (1-w)*(1-w)*inner + w*(1-w)*across + w*w*1.5/math.Pi*o.sd
}

// distances returns meanOuterDistance for the components of row n. If they have one σ and lie close to each other, it
// interpolates between fewer values, to 5e-5.
func (o outer) distances(m Mixture, n int) func(z, sd float64) float64 {
	const step = 0.25
	low, high := math.Inf(1), math.Inf(-1)
	for s := range m.S {
		low, high = math.Min(low, m.Mean[s*m.N+n]), math.Max(high, m.Mean[s*m.N+n])
	}
	low = (low - o.mean) / o.sd
	knots := (high-o.mean)/o.sd/step - low/step + 2
	if len(m.Var) != m.N || !(knots < float64(m.S)/2) {
		return func(z, sd float64) float64 {
			value, _ := meanOuterDistance(z, sd)
			return value
		}
	}
	table := make([]knot, int(knots)+1)
	for k := range table {
		table[k].value, table[k].slope = meanOuterDistance(low+float64(k)*step, m.scale(0, n)/o.sd)
	}
	return func(z, _ float64) float64 {
		k := int((z - low) / step)
		return between(table[k], table[k+1], (z-low)/step-float64(k), step)
	}
}

// meanOuterDistance returns E outerDistance of a normal, and its slope by the mean, by the trapezoid rule, to 2e-4 for
// deviations up to 1. The poles of the integrand are 1 from the real line, so that wide normals have finer steps.
func meanOuterDistance(mean, sd float64) (value, slope float64) {
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
