package conformance

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

func momentRows() []row {
	shapes := [][]int{{1, 1, 1, 1}, {3, 3, 31, 33}, {3, 1, 33, 31}, {2, 2, 70, 1}}
	tall := append([][]int{{2, 1, 100, 31}}, shapes...)
	return []row{
		{ops: []string{"Whiten", "WhitenBackward"}, variant: "full", sizes: shapes, build: given(whiten, false)},
		{ops: []string{"Whiten", "WhitenBackward"}, variant: "diagonal", sizes: shapes,
			build: given(whiten, true)},
		{ops: []string{"Moments", "MomentsBackward"}, variant: "full", sizes: tall, build: given(moments, false)},
		{ops: []string{"Moments", "MomentsBackward"}, variant: "diagonal",
			sizes: append([][]int{{9, 1, 33, 257}}, tall...), build: given(moments, true)},
		{ops: []string{"SampleF", "SampleFBackward"}, sizes: [][]int{{1, 1, 1}, {3, 33, 5}, {2, 257, 9}},
			build: given(sampleF, device.Key{}),
			nmse:  1e-11, reason: "float32 logarithms, sines and cosines in the normals"},
		{ops: []string{"SampleF", "SampleFBackward"}, variant: "strata",
			sizes: [][]int{{1, 1, 1}, {4, 33, 5}, {7, 3, 4}},
			build: given(sampleF, device.Key{Strata: 5}),
			nmse:  1e-11, reason: "float32 logarithms and roots in the normals"},
		{ops: []string{"SampleF", "SampleFBackward"}, variant: "the step of functions", sizes: [][]int{{3, 33, 5}},
			build: given(sampleF, device.Key{Step: device.StepNumber{N: math.MaxUint32 - 1}}),
			nmse:  1e-11, reason: "float32 logarithms, sines and cosines in the normals"},
	}
}

// factor returns a lower triangular array [j,m,m], with numbers above the diagonal that no operation may read, or a
// diagonal one [j,m].
func (r *random) factor(name string, diagonal bool, j, m int) *array {
	if diagonal {
		return r.normal(name, device.Double, adds, 0.8, 0.2, j, m)
	}
	a := r.normal(name, device.Double, adds, 0, 0.5/math.Sqrt(float64(m)), j, m, m)
	for i := range j * m {
		a.data[i*m+i%m] += 0.8
	}
	return a
}

// element returns s[p,q] of a factor of latent j, zero above the diagonal, and off it where the array is [J,M].
func element(s []float64, latents, m, j, p, q int) float64 {
	switch {
	case len(s) == latents*m && p == q:
		return s[j*m+p]
	case len(s) == latents*m || q > p:
		return 0
	}
	return s[(j*m+p)*m+q]
}

// factorOf returns s of latent j [M,M].
func factorOf(s []float64, latents, m, j int) *mat.Dense {
	factor := mat.NewDense(m, m, nil)
	factor.Apply(func(p, q int, _ float64) float64 { return element(s, latents, m, j, p, q) }, factor)
	return factor
}

// Size: J, K, M and a fourth number that does not matter here.
func whiten(r *random, size []int, diagonal bool) *problem {
	j, k, m := size[0], size[1], size[2]
	return with(&problem{
		in: []*array{
			r.factors("l", adds, k, m), r.normal("logalpha", device.Double, adds, 0, 0.5, j),
			r.normal("mu", device.Double, adds, 0, 1, j, m), r.factor("sqrt", diagonal, j, m),
		},
		out: []*array{zeros("m", device.Double, j, m), zeros("s", device.Double, j, m, m)},
		naive: func(in, out [][]float64) {
			for i := range j {
				root, l := math.Exp(in[1][i]/2), in[0][i%k*m*m:]
				rhs := factorOf(in[3], j, m, i).RawMatrix().Data
				for p := range rhs {
					rhs[p] /= root
				}
				solve(out[1][i*m*m:], l, rhs, m, m)
				for p := range m {
					rhs[p] = in[2][i*m+p] / root
				}
				solve(out[0][i*m:], l, rhs, m, 1)
			}
		},
	}, func(in, out []*device.Tensor) device.WhitenArgs {
		return device.WhitenArgs{QMean: out[0], QSqrt: out[1], L: in[0], LogAlpha: in[1], Mu: in[2], Sqrt: in[3]}
	}, device.Device.Whiten, device.Device.WhitenBackward)
}

// Size: J, K, M, B.
func moments(r *random, size []int, diagonal bool) *problem {
	j, k, m, b := size[0], size[1], size[2], size[3]
	p := &problem{
		in: []*array{
			r.normal("a", device.Double, writes, 0, 0.5/math.Sqrt(float64(m)), k, m, b),
			r.normal("m", device.Double, adds, 0, 1, j, m),
			r.factor("s", diagonal, j, m), r.normal("logalpha", device.Double, adds, 0, 0.5, j),
		},
		out:   []*array{zeros("mean", device.Double, b, j), zeros("variance", device.Double, b, j)},
		naive: func(in, out [][]float64) { whitenedMoments(out, in, k, m) },
	}
	var kept *device.Tensor
	return with(p, func(in, out []*device.Tensor) device.MomentsArgs {
		return device.MomentsArgs{Mean: out[0], Variance: out[1], P: kept, A: in[0], QMean: in[1], QSqrt: in[2],
			LogAlpha: in[3]}
	}, func(dev device.Device, a device.MomentsArgs) {
		if !diagonal && kept == nil {
			kept = dev.New(device.Double, j, m, b)
		}
		a.P = kept
		dev.Moments(a)
	}, device.Device.MomentsBackward)
}

// whitenedMoments computes qF_anj and qF_Bnj with A = L⁻¹Kuf/√α: mean √α mᵀA and variance α(1 − AᵀA + AᵀssᵀA), column
// by column, for k kernels and n inducing points.
func whitenedMoments(out, in [][]float64, k, n int) {
	mean, variance, a, m, s, logalpha := out[0], out[1], in[0], in[1], in[2], in[3]
	latents, b := len(logalpha), len(a)/(k*n)
	for j := range latents {
		alpha, of := math.Exp(logalpha[j]), mat.NewDense(n, b, a[j%k*n*b:][:n*b])
		var back mat.Dense // sᵀA
		back.Mul(factorOf(s, latents, n, j).T(), of)
		for c := range b {
			x, p := of.ColView(c), back.ColView(c)
			mean[c*latents+j] = math.Sqrt(alpha) * mat.Dot(x, mat.NewVecDense(n, m[j*n:][:n]))
			variance[c*latents+j] = max(device.VarFloor, alpha*(1-mat.Dot(x, x)+mat.Dot(p, p)))
		}
	}
}

// Size: S, B, J.
func sampleF(r *random, size []int, key device.Key) *problem {
	s, b, j := size[0], size[1], size[2]
	key.Seed, key.Sample, key.Site, key.Layer = 1<<40+3, 2, device.SiteLatents, 1
	key.Step.N = cmp.Or(key.Step.N, 5)
	variance := r.normal("variance", device.Double, writes, 0, 0.5, b, j)
	for i, v := range variance.data {
		variance.data[i] = math.Exp(v)
	}
	rows := r.below("rows", 1000, b)
	for i := 1; i < b; i += 3 {
		rows.data[i] = rows.data[i-1] // rows of a prediction have the same number
	}
	return &problem{
		in:  []*array{r.normal("mean", device.Double, writes, 0, 1, b, j), variance, rows},
		out: []*array{zeros("f", device.Real, s, b, j)},
		naive: func(in, out [][]float64) {
			for i := range out[0] {
				n, c := i/j%b, i%j
				out[0][i] = in[0][n*j+c] + math.Sqrt(in[1][n*j+c])*normal(key, i/j/b, int(in[2][n]), c)
			}
		},
		forward: func(dev device.Device, in, out []*device.Tensor) { dev.SampleF(out[0], in[0], in[1], in[2], key) },
		backward: func(dev device.Device, in, out, din, dout []*device.Tensor) {
			dev.SampleFBackward(din[0], din[1], dout[0], in[1], in[2], key)
		},
	}
}

// normal returns the element (sample, row, column) of a key's normals.
func normal(key device.Key, sample, row, column int) float64 {
	words, c1, c2, c3 := key.Words(sample, row)
	if key.Strata > 0 {
		return philox.Latin(words, uint32(column/4), c1, c2, c3, key.Strata)[column%4]
	}
	return philox.Normal(words, c1, c2, c3, column)
}
