package conformance

import (
	"fmt"
	"math"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// featureCase is a use of a random-feature layer.
type featureCase struct {
	prior, local   bool
	draws, wdraws  int
	floor, noInput bool // variances below VarFloor; h needs no gradient
	mixing         bool // the columns of Ω have factors
	activation     device.Activation
	strata         int // number of strata of weights and frequencies
}

func (c featureCase) String() string {
	name := "variational"
	if c.prior {
		name = "prior-fixed"
	}
	if c.local {
		name += " local"
	}
	if c.draws+c.wdraws > 0 {
		name += fmt.Sprintf(" draws %d,%d", c.draws, c.wdraws)
	}
	if c.mixing {
		name += " mixing"
	}
	if c.activation != device.Fourier {
		name += fmt.Sprintf(" arc-cosine %d", c.activation.Degree())
	}
	if c.strata > 0 {
		name += fmt.Sprintf(" strata %d", c.strata)
	}
	if c.floor {
		name += " floored"
	}
	if c.noInput {
		name += " input fixed"
	}
	return name
}

func featureRows() []row {
	var rows []row
	for _, c := range []featureCase{
		{}, {local: true}, {prior: true}, {prior: true, local: true},
		{draws: 1, wdraws: 1}, {draws: 1, local: true}, {prior: true, draws: 1, local: true, noInput: true},
		{draws: 2, wdraws: 3}, {draws: 5, wdraws: 1}, {draws: 1, local: true, floor: true},
		{mixing: true}, {mixing: true, prior: true, draws: 1},
		{activation: device.ArcCos0}, {activation: device.ArcCos0, local: true, draws: 1},
		{activation: device.ArcCos1}, {activation: device.ArcCos1, prior: true},
		{activation: device.ArcCos1, prior: true, local: true, draws: 1},
		{activation: device.ArcCos1, draws: 2, wdraws: 3, mixing: true},
		{activation: device.ArcCos2, local: true, draws: 1}, {activation: device.ArcCos2, prior: true,
			local: true}, {activation: device.ArcCos2, draws: 1, wdraws: 1, noInput: true},
		{strata: 4}, {strata: 3, local: true}, {strata: 5, prior: true, local: true},
	} {
		rows = append(rows, row{
			ops: []string{"RandomFeatures", "RandomFeaturesBackward"}, variant: c.String(),
			sizes:    [][]int{{1, 1, 1, 7, 1}, {4, 31, 2, 33, 3}, {2, 33, 5, 70, 1}},
			build:    given(randomFeatures, c),
			products: true,
			nmse:     1e-9, reason: "float32 sums of terms of both signs; where few numbers are compared, " +
				"their sum may cancel to a hundredth",
		})
	}
	return rows
}

// Size: S, B, d, R, d'.
func randomFeatures(r *random, size []int, c featureCase) *problem {
	s, b, nr, dOut := size[0], size[1], size[3], size[4]
	columns := nr * c.activation.Columns()
	noise := device.FeatureNoise{
		Weights: device.Key{Seed: 11, Step: device.StepNumber{N: 3}, Sample: 4, Site: device.SiteWeights,
			Layer: 2},
		Frequencies:    device.Key{Seed: 11, Sample: 4, Site: device.SiteFrequencies, Layer: 2},
		FrequencyDraws: c.draws, WeightDraws: c.wdraws, Local: c.local,
	}
	noise.Weights.Strata, noise.Frequencies.Strata = c.strata, c.strata
	spectra, lengths := adds, none
	if c.prior {
		spectra, lengths = none, adds
	}
	p := &problem{
		in: append(r.layer(size, columns, lengths, spectra, -1, c.floor),
			r.below("rows", 1000, b), r.normal("mixing", device.Real, none, 1, 0.5, nr)),
		out:   []*array{zeros("out", device.Real, s, b, dOut)},
		naive: func(in, out [][]float64) { naiveFeatures(out[0], in, size, c, noise) },
	}
	if c.noInput {
		p.in[0].grad = none
	}
	if c.activation != device.Fourier {
		avoidKinks(r, values(p.in), size, c, noise)
	}
	return withLayer(p, size, func(in, out []*device.Tensor) device.FeatureArgs {
		a := device.FeatureArgs{Out: out[0], H: in[0], Params: featureParams(in), Rows: in[7], Noise: noise}
		a.Params.Activation = c.activation
		if c.prior {
			a.Params.MeanOmega, a.Params.LogVarOmega = nil, nil
		}
		if c.mixing {
			a.Params.Mixing = in[8]
		}
		return a
	}, device.Device.RandomFeatures, device.Device.RandomFeaturesBackward)
}

// layer returns the input h of a layer of a size, and the parameters of featureParams. Its variances may be below
// VarFloor.
func (r *random) layer(size []int, columns int, lengths, spectra gradient, spread float64, floor bool) []*array {
	s, b, d, nr, dOut := size[0], size[1], size[2], size[3], size[4]
	logVarW := -1.0
	if floor {
		logVarW = -40
	}
	return []*array{
		r.normal("h", device.Real, writes, 0, 1, s, b, d),
		r.normal("logalpha", device.Real, adds, 0.3, 0.1, 1),
		r.normal("logl", device.Real, lengths, 0.2, 0.3, d),
		r.normal("mean of omega", device.Real, spectra, 0, 1, d, nr),
		r.normal("logvar of omega", device.Real, spectra, spread, 0.3, d, nr),
		r.normal("mean of w", device.Real, adds, 0, 1, columns, dOut),
		r.normal("logvar of w", device.Real, adds, logVarW, 0.3, columns, dOut),
	}
}

// featureParams returns the parameters behind h.
func featureParams(in []*device.Tensor) device.FeatureParams {
	return device.FeatureParams{LogAlpha: in[1], LogLength: in[2], MeanOmega: in[3], LogVarOmega: in[4],
		MeanW: in[5], LogVarW: in[6]}
}

// withLayer acts as with does, for a layer of a size, with its scratch.
func withLayer(p *problem, size []int, args func(in, out []*device.Tensor) device.FeatureArgs,
	forward func(device.Device, device.FeatureArgs),
	backward func(dev device.Device, g, a device.FeatureArgs)) *problem {
	s, b, d, nr, dOut := size[0], size[1], size[2], size[3], size[4]
	var scratch device.Scratch
	var unused *device.Tensor
	return with(p, args, func(dev device.Device, a device.FeatureArgs) {
		if scratch == nil {
			scratch = dev.FeatureScratch(s, b+3, d, nr, dOut) // a layer may be planned for more rows
		}
		a.Scratch = scratch
		forward(dev, a)
	}, func(dev device.Device, g, a device.FeatureArgs) {
		if g.Params.LogLength == nil { // it gathers nothing unless the prior is sampled, but is there
			if unused == nil {
				unused = dev.New(device.Real, d)
			}
			g.Params.LogLength = unused
		}
		a.Scratch = scratch
		backward(dev, g, a)
	})
}

// naiveFeatures computes rfdnn_lth_vec, one output at a time.
func naiveFeatures(out []float64, in [][]float64, size []int, c featureCase, noise device.FeatureNoise) {
	s, b, d, nr, dOut := size[0], size[1], size[2], size[3], size[4]
	h, meanW, logVarW, rows := in[0], in[5], in[6], in[7]
	scale := math.Sqrt(math.Exp(in[1][0]) / float64(nr))
	columns := nr * c.activation.Columns()
	phi, omega := make([]float64, columns), make([]float64, d*nr)
	w, s2 := make([]float64, columns*dOut), make([]float64, columns*dOut)
	for q, v := range logVarW {
		s2[q] = math.Exp(v)
	}
	for i := range s {
		naiveSpectra(omega, in, i, nr, c, noise)
		for q := range w {
			w[q] = meanW[q]
			if !c.local {
				w[q] += math.Sqrt(s2[q]) * drawOf(noise.Weights, c.wdraws, i, q/dOut, q%dOut)
			}
		}
		for n := range b {
			for r := range nr {
				angle := phase(h[(i*b+n)*d:][:d], omega, r, nr)
				if c.activation == device.Fourier {
					phi[r], phi[nr+r] = scale*math.Cos(angle), scale*math.Sin(angle)
				} else if angle > 0 {
					phi[r] = scale * math.Sqrt2 * math.Pow(angle, float64(c.activation.Degree()))
				} else {
					phi[r] = 0
				}
			}
			for o := range dOut {
				mean, v := 0.0, 0.0
				for q, f := range phi {
					mean += f * w[q*dOut+o]
					v += f * f * s2[q*dOut+o]
				}
				if c.local {
					mean += math.Sqrt(max(device.VarFloor, v)) * normal(noise.Weights, i, int(rows[n]), o)
				}
				out[(i*b+n)*dOut+o] = mean
			}
		}
	}
}

// naiveSpectra computes Ω of sample i.
func naiveSpectra(omega []float64, in [][]float64, i, nr int, c featureCase, noise device.FeatureNoise) {
	logl, meanOmega, logVarOmega := in[2], in[3], in[4]
	for q := range omega {
		tau := drawOf(noise.Frequencies, c.draws, i, q/nr, q%nr)
		omega[q] = tau / math.Exp(logl[q/nr])
		if !c.prior {
			omega[q] = meanOmega[q] + math.Exp(logVarOmega[q]/2)*tau
		}
		if c.mixing {
			omega[q] *= in[8][q%nr]
		}
	}
}

// phase returns element r of a row of HΩ.
func phase(h, omega []float64, r, nr int) (p float64) {
	for q, v := range h {
		p += v * omega[q*nr+r]
	}
	return p
}

// avoidKinks draws rows of h again until no phase is near 0, where arc-cosine features have no derivative: neither a
// central difference nor the rounding of a device then takes one across.
func avoidKinks(r *random, in [][]float64, size []int, c featureCase, noise device.FeatureNoise) {
	s, b, d, nr := size[0], size[1], size[2], size[3]
	omega := make([]float64, d*nr)
	near := func(h []float64) bool {
		for k := range nr {
			if math.Abs(phase(h, omega, k, nr)) < 0.02 {
				return true
			}
		}
		return false
	}
	for i := range s {
		naiveSpectra(omega, in, i, nr, c, noise)
		for n := range b {
			h := in[0][(i*b+n)*d:][:d]
			// wider and wider, for a frequency that is near 0 itself
			for sd := 1.0; near(h); sd += 0.1 {
				copy(h, r.normal("h", device.Real, none, 0, sd, d).data)
			}
		}
	}
}

// drawOf returns the number that sample i of a call uses where samples share a number of draws.
func drawOf(key device.Key, draws, i, row, column int) float64 {
	number := int(key.Sample) + i
	if draws > 0 {
		number %= draws
	}
	key.Sample = 0
	return normal(key, number, row, column)
}
