package conformance

import (
	"math"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/device"
)

func frequencyRows() []row {
	return []row{{
		ops:   []string{"Frequencies", "FrequenciesBackward"},
		sizes: [][]int{{1, 1}, {5, 70}, {3, 513}}, build: frequencies,
		nmse: 1e-11, reason: "float32 sums of terms of both signs",
	}}
}

// Size: d, R.
func frequencies(r *random, size []int) *problem {
	d, nr := size[0], size[1]
	return with(&problem{
		in: []*array{
			r.normal("tau", device.Real, none, 0, 1, d, nr), r.normal("mean", device.Real, adds, 0, 1, d, nr),
			r.normal("log s²", device.Real, adds, -1, 0.5, d, nr), r.normal("log rho", device.Real, adds, -1, 0.5, 1),
			r.normal("logl", device.Real, adds, 0.3, 0.5, d),
		},
		out: []*array{zeros("eta", device.Real, d, nr), zeros("log beta²", device.Real, d, nr)},
		naive: func(in, out [][]float64) {
			rho := math.Exp(in[3][0])
			for i, tau := range in[0] {
				l := math.Exp(in[4][i/nr])
				out[0][i] = (tau + rho*in[1][i]) / l
				out[1][i] = math.Log(math.Exp(in[2][i]) * rho * rho / (l * l))
			}
		},
	}, func(in, out []*device.Tensor) device.FrequencyArgs {
		return device.FrequencyArgs{MeanOmega: out[0], LogVarOmega: out[1], Tau: in[0], Mean: in[1], LogVar: in[2],
			LogRho: in[3], LogLength: in[4]}
	}, device.Device.Frequencies, device.Device.FrequenciesBackward)
}

// momentCase is a use of a layer with W and Ω integrated.
type momentCase struct {
	name                   string
	mixing, noInput, floor bool
	full                   bool    // the covariance of W is full
	spread                 float64 // mean of log β²
	sizes                  [][]int
}

func featureMomentRows() []row {
	var rows []row
	few := [][]int{{1, 1, 1, 7, 1}, {4, 31, 2, 33, 3}}
	many := append(slices.Clone(few), []int{2, 33, 5, 70, 1}, []int{1, 65, 3, 129, 2})
	for _, c := range []momentCase{
		{name: "", spread: -1, sizes: many}, {name: "narrow", spread: -5}, {name: "wide", spread: 3},
		{name: "mixing", spread: -2, mixing: true}, {name: "full covariance", spread: -1, full: true,
			sizes: append(slices.Clone(few), []int{1, 33, 3, 70, 2})},
		{name: "full covariance, mixing", spread: -2, mixing: true, full: true, noInput: true},
		{name: "input fixed", spread: -1, noInput: true}, {name: "floored", spread: -80, floor: true},
	} {
		if c.sizes == nil {
			c.sizes = few
		}
		rows = append(rows, row{
			ops: []string{"FeatureMoments", "FeatureMomentsBackward"}, variant: c.name, sizes: c.sizes,
			build: given(featureMoments, c),
			nmse:  1e-9, reason: "float32 sums of terms of both signs",
		})
	}
	return rows
}

// Size: S, B, d, R, d'.
func featureMoments(r *random, size []int, c momentCase) *problem {
	s, b, nr, dOut := size[0], size[1], size[3], size[4]
	p := &problem{
		in: append(r.layer(size, 2*nr, none, adds, c.spread, c.floor),
			r.normal("mixing", device.Real, none, 1, 0.5, nr)),
		out:   []*array{zeros("mean", device.Real, s, b, dOut), zeros("variance", device.Real, s, b, dOut)},
		naive: func(in, out [][]float64) { naiveFeatureMoments(out[0], out[1], in, size, c) },
	}
	if c.noInput {
		p.in[0].grad = none
	}
	if c.full {
		p.in = append(p.in, r.normal("lower of w", device.Real, adds, 0, 0.3, dOut, 2*nr, 2*nr))
	}
	return withLayer(p, size, func(in, out []*device.Tensor) device.FeatureArgs {
		a := device.FeatureArgs{Out: out[0], Variance: out[1], H: in[0], Params: featureParams(in)}
		if c.mixing {
			a.Params.Mixing = in[7]
		}
		if c.full {
			a.Params.LowerW = in[8]
		}
		return a
	}, device.Device.FeatureMoments, device.Device.FeatureMomentsBackward)
}

// naiveFeatureMoments takes the moments of each frequency's cosine and sine by E cos(kθ) = exp(−k²v/2) cos kt, and with
// W the moments of their sum: E f² of a product of independent variables, less the square of its mean. Two frequencies
// share no more than the covariance of their weights.
func naiveFeatureMoments(mean, variance []float64, in [][]float64, size []int, c momentCase) {
	s, b, d, nr, dOut := size[0], size[1], size[2], size[3], size[4]
	h, meanW := in[0], in[5]
	scale := math.Sqrt(math.Exp(in[1][0]) / float64(nr))
	beta2 := exponentials(in[4])
	covariance := make([][]float64, dOut)
	for o := range covariance {
		covariance[o] = naiveCovariance(in, o, 2*nr, dOut, c.full)
	}
	for row := range s * b {
		m, v, phi := mean[row*dOut:][:dOut], variance[row*dOut:][:dOut], make([]float64, 2*nr)
		clear(m)
		clear(v)
		for r := range nr {
			t, w, factor := 0.0, 0.0, 1.0
			if c.mixing {
				factor = in[7][r]
			}
			for i := range d {
				x := h[row*d+i] * factor
				t += x * in[3][i*nr+r]
				w += x * x * beta2[i*nr+r]
			}
			once, twice := math.Exp(-w/2), math.Exp(-2*w)
			cos, sin, cos2, sin2 := once*math.Cos(t), once*math.Sin(t), twice*math.Cos(2*t), twice*math.Sin(2*t)
			phi[r], phi[nr+r] = cos, sin
			for o := range dOut {
				of, i, j := covariance[o], r, nr+r
				mc, ms := meanW[i*dOut+o], meanW[j*dOut+o]
				first := mc*cos + ms*sin
				second := (mc*mc+of[i*2*nr+i])*(1+cos2)/2 + (ms*ms+of[j*2*nr+j])*(1-cos2)/2 +
					(mc*ms+of[j*2*nr+i])*sin2
				m[o] += scale * first
				v[o] += scale * scale * (second - first*first)
			}
		}
		for o := range v {
			for i := 0; c.full && i < 2*nr; i++ { // two frequencies share something only with a full covariance
				of, same, others := covariance[o][i*2*nr:][:2*nr], (i+nr)%(2*nr), 0.0
				for j, p := range phi {
					if j != i && j != same {
						others += of[j] * p
					}
				}
				v[o] += scale * scale * phi[i] * others
			}
			v[o] = max(device.VarFloor, v[o])
		}
	}
}

// naiveCovariance returns L Lᵀ of column o of W.
func naiveCovariance(in [][]float64, o, columns, dOut int, full bool) []float64 {
	l, covariance := make([]float64, columns*columns), make([]float64, columns*columns)
	for i := range columns {
		if full {
			copy(l[i*columns:][:i], in[8][(o*columns+i)*columns:])
		}
		l[i*columns+i] = math.Exp(in[6][i*dOut+o] / 2)
		if !full {
			covariance[i*columns+i] = math.Exp(in[6][i*dOut+o])
			continue
		}
		for j := range i + 1 {
			for k := range j + 1 {
				covariance[i*columns+j] += l[i*columns+k] * l[j*columns+k]
			}
			covariance[j*columns+i] = covariance[i*columns+j]
		}
	}
	return covariance
}

func exponentials(x []float64) []float64 {
	e := make([]float64, len(x))
	for i, v := range x {
		e[i] = math.Exp(v)
	}
	return e
}

func addNoiseRows() []row {
	return []row{{
		ops:   []string{"AddNoise", "AddNoiseBackward"},
		sizes: [][]int{{1, 1, 1}, {3, 31, 5}, {2, 70, 2}}, build: addNoise,
		nmse: 1e-12, reason: "float32 roots and normals",
	}}
}

// Size: S, B, C. out is read and written: it goes through a copy.
func addNoise(r *random, size []int) *problem {
	s, b, c := size[0], size[1], size[2]
	key := device.Key{Seed: 5, Step: device.StepNumber{N: 9}, Sample: 2, Site: device.SiteWeights, Layer: 1}
	variance := r.normal("variance", device.Real, writes, 0, 0.5, s, b, c)
	for i, v := range variance.data {
		variance.data[i] = float64(float32(math.Exp(v)))
	}
	return &problem{
		in:  []*array{r.normal("mean", device.Real, none, 0, 1, s, b, c), variance, r.below("rows", 1000, b)},
		out: []*array{zeros("out", device.Real, s, b, c)},
		naive: func(in, out [][]float64) {
			for i, v := range in[0] {
				row := int(in[2][i/c%b])
				out[0][i] = v + math.Sqrt(in[1][i])*normal(key, i/(b*c), row, i%c)
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) {
			dev.Copy(out[0], in[0])
			dev.AddNoise(out[0], in[1], in[2], key)
		},
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.AddNoiseBackward(din[1], dout[0], in[1], in[2], key)
		},
	}
}
