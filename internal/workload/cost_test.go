package workload

import (
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

func double(shape ...int) *device.Tensor { return device.NewTensor(device.Double, nothing{}, shape...) }
func reals(shape ...int) *device.Tensor  { return device.NewTensor(device.Real, nothing{}, shape...) }
func ints(n int) *device.Tensor          { return device.NewTensor(device.Int, nothing{}, n) }

// Counts by hand: K = 2 kernels, J = 2 latents, M = 3 inducing points, B = 5 rows, D = 4 inputs, S
// = 7 samples.
func TestCosts(t *testing.T) {
	k := onPaper("cuda:0:f32")
	const K, M, B, D, S = 2, 3, 5, 4, 7
	z, x, logl, isotropic := double(M, D), double(B, D), double(K, D), double(K, 1)
	kuu, kuf, l, a := double(K, M, M), double(K, M, B), double(K, M, M), double(K, M, B)
	m, full, diagonal, alpha, moment, p := double(K, M), double(K, M, M), double(K, M), double(K),
		double(B, K), double(K, M, B)
	// A layer with d = 2, R = 11, d' = 3.
	h, out, rows := reals(S, B, 2), reals(S, B, 3), ints(B)
	theta := device.FeatureParams{
		LogAlpha: reals(1), LogL: reals(2), MeanOmega: reals(2, 11), LogVarOmega: reals(2, 11),
		MeanW: reals(22, 3), LogVarW: reals(22, 3),
	}
	prior := theta
	prior.MeanOmega, prior.LogVarOmega = nil, nil
	rectified := theta
	rectified.MeanW, rectified.LogVarW, rectified.Activation = reals(11, 3), reals(11, 3), device.ArcCos1
	sparse := func(lists, size, vectors int) device.Sparse {
		return device.Sparse{Start: ints(lists + 1), Index: ints(size), Value: double(size), Square: double(vectors)}
	}
	block := func(c, slope, x, logl *device.Tensor) device.ARDArgs {
		return device.ARDArgs{C: c, Slope: slope, Z: z, X: x, LogL: logl}
	}
	latents := func(p, s *device.Tensor) device.MomentsArgs {
		return device.MomentsArgs{Mean: moment, Variance: moment, P: p, A: a, M: m, S: s, LogAlpha: alpha}
	}
	mix := device.MixArgs{C: kuf, A: kuf, B: kuf, Logit: alpha}
	diag := device.DiagArgs{Mean: reals(6), LogVar: reals(6)}
	layerOf := func(p device.FeatureParams, noise device.FeatureNoise) device.FeatureArgs {
		return device.FeatureArgs{Out: out, Variance: out, H: h, Params: p, Rows: rows, Noise: noise}
	}
	onData := device.FeatureArgs{Out: out, Variance: out} // its H has no gradient
	inside := device.FeatureArgs{Out: out, Variance: out, H: h}
	back := func(g device.FeatureArgs, p device.FeatureParams, noise device.FeatureNoise) {
		k.RandomFeaturesBackward(g, layerOf(p, noise))
	}
	const layer = 4 * (1 + 2 + 22 + 22 + 66 + 66) // bytes
	for _, c := range []struct {
		name string
		run  func()
		want Cost
	}{
		// 15 pairs, each a distance of 8 and an exp with its scale for both kernels.
		{"ARD Kuf", func() { k.ARD(block(kuf, kuf, x, logl)) },
			Cost{Double: 15 * 2 * (8 + 2), Bytes: 8 * (12 + 20 + 8 + 30)}},
		{"ARD Kuf, Matérn", func() { k.ARD(block(kuf, a, x, logl)) },
			Cost{Double: 15 * 2 * (8 + 5), Bytes: 8 * (12 + 20 + 8 + 60)}},
		{"ARD Kuf, one length-scale", func() { k.ARD(block(kuf, kuf, x, isotropic)) },
			Cost{Double: 15 * (8 + 2*2), Bytes: 8 * (12 + 20 + 2 + 30)}},
		// 6 pairs of a triangle.
		{"ARD Kuu", func() { k.ARD(block(kuu, kuu, z, logl)) },
			Cost{Double: 6 * 2 * (8 + 2), Bytes: 8 * (12 + 8 + 18)}},
		// Two products of 8 for each pair and kernel.
		{"ARDBackward", func() { k.ARDBackward(block(kuf, nil, nil, logl), block(kuf, kuf, x, logl)) },
			Cost{Double: 15 * 2 * (16 + 3), Bytes: 8 * (12 + 20 + 8 + 2*30 + 12 + 8)}},
		{"ARDBackward, fixed inducing points", func() {
			k.ARDBackward(device.ARDArgs{C: kuf, LogL: logl}, block(kuf, kuf, x, logl))
		},
			Cost{Double: 15 * 2 * (8 + 3), Bytes: 8 * (12 + 20 + 8 + 2*30 + 8)}},
		{"ARDBackward, one length-scale", func() {
			k.ARDBackward(block(kuf, nil, nil, isotropic), block(kuf, kuf, x, isotropic))
		},
			Cost{Double: 15 * (8 + 2*3), Bytes: 8 * (12 + 20 + 2 + 2*30 + 12 + 2)}},
		{"MixBackward", func() { k.MixBackward(mix, mix) }, Cost{Bytes: 8 * (150 + 4)}},
		// Of 10 vectors with 40 numbers B are read, each number of which meets a half of one of 2
		// numbers in 4 columns.
		{"SparseDistances", func() {
			k.SparseDistances(double(B, 2*M), 0, sparse(10, 40, 10), rows, sparse(4, 2, M), false)
		}, Cost{Double: 2 * 40 * B / 10 / 2, Bytes: (44+12*40+80)*B/10. + 4*B + 20 + 12*2 + 8*M + 8*B*M}},
		{"Potrf", func() { k.Potrf(l, alpha, kuu) }, Cost{Double: 2 * 9, Bytes: 8 * (18 + 18 + 2)}},
		{"PotrfBackward", func() { k.PotrfBackward(kuu, l, l) }, Cost{Double: 2 * 18, Bytes: 8 * 3 * 18}},
		{"Trsm", func() { k.Trsm(a, l, kuf) }, Cost{Double: 2 * 9 * 5, Bytes: 8 * (18 + 30 + 30)}},
		{"TrsmBackward", func() { k.TrsmBackward(kuf, l, a, l, a) },
			Cost{Double: 2 * 5 * (9 + 12), Bytes: 8 * (30 + 18 + 30 + 30 + 18)}},
		// A row: ‖A‖² 6 of two kernels, then of two latents mean 6, ‖P‖² 6, P 12 or 3, and 4.
		{"Moments", func() { k.Moments(latents(p, full)) },
			Cost{Double: 5 * (12 + 2*(12+12+4)), Bytes: 8 * (30 + 6 + 18 + 2 + 10 + 10 + 30)}},
		{"Moments, diagonal", func() { k.Moments(latents(nil, diagonal)) },
			Cost{Double: 5 * (12 + 2*(12+3+4)), Bytes: 8 * (30 + 6 + 6 + 2 + 10 + 10)}},
		{"MomentsBackward", func() { k.MomentsBackward(latents(nil, full), latents(p, full)) },
			Cost{Double: 5 * (12 + 2*(12+6+2*12+4)), Bytes: 8 * (4*10 + 30 + 2*(30+6+18+2))}},
		{"SampleF", func() { k.SampleF(reals(S, B, K), moment, moment, rows, device.Key{}) },
			Cost{Bytes: 8*20 + 4*5 + 4*70}},
		// 35 rows and 11 frequencies: HΩ 4, cos and sin 2, Φ W 12; seven draws of 22 and 66
		// numbers.
		{"RandomFeatures", func() { k.RandomFeatures(layerOf(theta, device.FeatureNoise{})) },
			Cost{Real: 35*11*(4+2+12) + 3*7*(22+66), Bytes: 4*(70+5+105) + layer}},
		// One draw of Ω, none of W, and a normal for each of 105 outputs.
		{"RandomFeatures, local", func() {
			k.RandomFeatures(layerOf(theta, device.FeatureNoise{Draws: 1, Local: true}))
		}, Cost{Real: 35*11*(4+2+24) + 3*(22+105), Bytes: 4*(70+5+105) + layer}},
		{"RandomFeaturesBackward", func() { back(inside, theta, device.FeatureNoise{WDraws: 2}) },
			Cost{Real: 35*11*(4+2+4+8+24) + 3*(7*22+2*66), Bytes: 4*(105+70+5+70) + 2*layer}},
		{"RandomFeaturesBackward, prior-fixed on data", func() { back(onData, prior, device.FeatureNoise{}) },
			Cost{Real: 35*11*(4+2+4+24) + 3*7*(22+66), Bytes: 4*(105+70+5) + 2*(layer-8*22)}},
		// One feature of each frequency, with half the weights.
		{"RandomFeatures, arc-cosine", func() { k.RandomFeatures(layerOf(rectified, device.FeatureNoise{})) },
			Cost{Real: 35*11*(4+1+6) + 3*7*(22+33), Bytes: 4*(70+5+105) + layer - 4*66}},
		{"RandomFeaturesBackward, arc-cosine", func() { back(inside, rectified, device.FeatureNoise{}) },
			Cost{Real: 35*11*(4+1+2+8+12) + 3*7*(22+33), Bytes: 4*(105+70+5+70) + 2*(layer-4*66)}},
		// Of the 35 rows and 11 frequencies t and v have 8, their functions 3, Φ 11 and its
		// products 36.
		{"FeatureMoments", func() { k.FeatureMoments(layerOf(theta, device.FeatureNoise{})) },
			Cost{Real: 35*11*(8+3+11+36) + 11*(2+27), Bytes: 4*(70+105+105) + layer}},
		{"FeatureMomentsBackward", func() { k.FeatureMomentsBackward(inside, layerOf(theta, device.FeatureNoise{})) },
			Cost{Real: 35*11*(8+3+11+30+16+72) + 11*(2+27) + 20*33, Bytes: 4*(3*105+2*70) + 2*layer}},
		{"FeatureMomentsBackward, on data", func() {
			k.FeatureMomentsBackward(onData, layerOf(theta, device.FeatureNoise{}))
		}, Cost{Real: 35*11*(8+3+11+30+8+72) + 11*(2+27) + 20*33, Bytes: 4*(3*105+70) + 2*layer}},
		{"KLDiag", func() { k.KLDiag(double(1), diag, diag, device.Scalar{}) },
			Cost{Bytes: 4*4*6 + 8}},
		{"Adam", func() { k.Adam(reals(9), reals(9), reals(9), reals(9), reals(9), device.AdamStep{}) },
			Cost{Bytes: 4 * 9 * 5}},
	} {
		if got := k.sum(c.run); got != c.want {
			t.Errorf("%s: %+v, by hand %+v", c.name, got, c.want)
		}
	}
	if got := onPaper("cpu:f64").bytes(reals(3), double(2), ints(5), nil); got != 24+16+20 {
		t.Errorf("bytes in double: %g", got)
	}
}

// The kernel blocks of the preset mnist are products of 50·200·1000·784 multiplications and
// additions.
func TestPresetCost(t *testing.T) {
	n, err := Preset("mnist")
	if err != nil {
		t.Fatal(err)
	}
	c, err := n.Cost("cuda:0:f32")
	if err != nil {
		t.Fatal(err)
	}
	kuf := 3 * 2 * 50. * 200 * 1000 * 784
	if c.Double < kuf || c.Double > 2*kuf {
		t.Errorf("%g operations in double, of which Kuf and its gradients are %g", c.Double, kuf)
	}
	layers := 10 * 1000. * 500 * (50*2 + 50*4 + 50*2 + 10*4) // forward
	if c.Real < 2*layers || c.Real > 5*layers {
		t.Errorf("%g operations in real, of which the forward pass of the layers is %g", c.Real, layers)
	}
}
