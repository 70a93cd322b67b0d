package onnx

import (
	"cmp"
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/onnxfile"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// likelihood adds the likelihood's prediction, averaged over samples. h and variance are [S,B,C]; variance is nil if h
// is drawn.
func (g graph) likelihood(s *model.Snapshot, scales []scaling.TargetScale, h, variance value) (p part) {
	if s.Offset != nil {
		h = g.add(h, g.Doubles(s.Offset, len(s.Offset)))
	}
	switch {
	case model.IsCountLikelihood(s.Likelihood):
		return g.counts(s, h, variance)
	case s.Likelihood == model.OrdinalLikelihood:
		p.probabilities = g.levels(s, h)
		return p
	}
	temperature := cmp.Or(s.Temperature, 1)
	if s.LogVar == nil && temperature != 1 {
		h = g.mul(h, g.Doubles([]float64{1 / temperature}, 1))
	}
	var noise value
	switch s.Likelihood {
	case model.SoftmaxLikelihood:
		p.probabilities = g.mean(g.With("Softmax", []onnxfile.Attr{{Name: "axis", Int: 2}}, h))
		return p
	case model.BernoulliLikelihood:
		both := []value{g.Op("Sigmoid", g.Op("Neg", h)), g.Op("Sigmoid", h)}
		p.probabilities = g.mean(g.concat(2, both))
		return p
	case model.HeteroscedasticLikelihood:
		c := s.Outputs / 2
		spread := g.Op("Slice", h, g.Ints(c), g.Ints(2*c), g.Ints(2))
		h = g.Op("Slice", h, g.Ints(0), g.Ints(c), g.Ints(2))
		noise = g.max(g.Op("Exp", g.add(g.Doubles(s.LogVar, c), spread)), device.VarFloor)
	default:
		variances := make([]float64, len(s.LogVar))
		for c, v := range s.LogVar {
			variances[c] = math.Exp(v)
			if s.DoF > 0 {
				variances[c] *= s.DoF / (s.DoF - 2)
			}
		}
		noise = g.Doubles(variances, 1, 1, len(variances))
	}
	if s.TakesMoments {
		noise = g.add(variance, noise)
	}
	if temperature != 1 {
		noise = g.mul(noise, g.Doubles([]float64{temperature * temperature}, 1))
	}
	if slices.ContainsFunc(scales, func(s scaling.TargetScale) bool { return s.Log }) {
		h, noise = g.exponentials(scales, h, noise)
	}
	p.mean = g.mean(h)
	p.variance = g.add(g.mean(noise), g.mean(g.square(g.sub(h, p.mean))))
	return p
}

// exponentials returns mean and variance of exp(log y − mean of log y), if a target's logarithm is predicted; otherwise
// h and noise.
func (g graph) exponentials(scales []scaling.TargetScale, h, noise value) (mean, variance value) {
	n := len(scales)
	unit, top, log, plain := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for c, s := range scales {
		if s.Log {
			unit[c], top[c], log[c] = s.SD, s.Top()-s.Mean, 1
		} else {
			plain[c] = 1
		}
	}
	most := g.Doubles(top, n)
	a, b2 := g.mul(g.Doubles(unit, n), h), g.mul(g.square(g.Doubles(unit, n)), noise)
	logMean := g.Op("Min", g.add(a, g.times(0.5, b2)), most)
	mean = g.Op("Exp", logMean)
	least := g.add(g.times(2, logMean), g.Op("Min", b2, g.Doubles([]float64{1}, 1)))
	square := g.Op("Exp", g.Op("Max", g.times(2, g.Op("Min", g.add(a, b2), most)), least))
	choose := func(a, b value) value {
		return g.add(g.mul(g.Doubles(log, n), a), g.mul(g.Doubles(plain, n), b))
	}
	return choose(mean, h), choose(g.sub(square, g.square(mean)), noise)
}

// mix returns the prediction of the mixture of several models.
func (g graph) mix(parts []part) part {
	if len(parts) == 1 {
		return parts[0]
	}
	weighted := func(of func(part) value) (sum value) {
		for i, p := range parts {
			x := g.times(p.weight, of(p))
			if i == 0 {
				sum = x
			} else {
				sum = g.add(sum, x)
			}
		}
		return sum
	}
	var out part
	if parts[0].probabilities != "" {
		out.probabilities = weighted(func(p part) value { return p.probabilities })
		return out
	}
	out.mean = weighted(func(p part) value { return p.mean })
	out.variance = weighted(func(p part) value { return g.add(p.variance, g.square(g.sub(p.mean, out.mean))) })
	return out
}

// outputs names the results, in the units of the targets.
func (g graph) outputs(t *fitted.Model, p part, doubt value) {
	if t.Schema.Task == data.Classification {
		n := len(t.Schema.Classes)
		probabilities := g.add(p.probabilities, doubt)
		best := g.With("ArgMax", []onnxfile.Attr{{Name: "axis", Int: 1}, {Name: "keepdims", Int: 0}}, probabilities)
		label := g.Op("Gather", g.Strings(t.Schema.Classes, n), best)
		unknown := g.Op("IsNaN", g.Op("Squeeze", doubt, g.Ints(1)))
		g.Output("label", g.Op("Where", unknown, g.Strings([]string{""}), label), onnxfile.String, -1)
		g.Output("probabilities", probabilities, onnxfile.Double, -1, n)
		return
	}
	n := len(t.Targets)
	centre, unit := make([]float64, n), make([]float64, n)
	for c, s := range t.Targets {
		centre[c], unit[c] = s.Mean, s.SD
		if s.Log {
			centre[c], unit[c] = 0, math.Exp(s.Mean)
		}
	}
	mean := g.add(g.Doubles(centre, n), g.mul(g.Doubles(unit, n), p.mean))
	g.Output("mean", g.add(mean, doubt), onnxfile.Double, -1, n)
	// rounding may make a variance negative; doubt brings a NaN back
	sd := g.mul(g.Doubles(unit, n), g.Op("Sqrt", g.max(p.variance, 0)))
	g.Output("sd", g.add(sd, doubt), onnxfile.Double, -1, n)
}
