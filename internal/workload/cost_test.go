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
	k := counter{real: 4}
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
	const layer = 4 * (1 + 2 + 22 + 22 + 66 + 66) // bytes
	for _, c := range []struct {
		name      string
		got, want Cost
	}{
		// 15 pairs, each a distance of 8 and an exp with its scale for both kernels.
		{"ARD Kuf", k.ard(kuf, kuf, z, x, logl), Cost{Double: 15 * 2 * (8 + 2), Bytes: 8 * (12 + 20 + 8 + 30)}},
		{"ARD Kuf, Matérn", k.ard(kuf, a, z, x, logl), Cost{Double: 15 * 2 * (8 + 5), Bytes: 8 * (12 + 20 + 8 + 60)}},
		{"Mix", k.mix(kuf, kuf, kuf, alpha), Cost{Double: 90, Bytes: 8 * (90 + 2)}},
		{"MixBackward", k.mixBackward(kuf, kuf, alpha, kuf, kuf, kuf, alpha),
			Cost{Double: 150, Bytes: 8 * (150 + 2 + 4)}},
		// Of 10 vectors with 40 numbers B are read, each number of which meets a half of one of 2
		// numbers in 4 columns.
		{"SparseDistances", k.sparseDistances(double(B, 2*M), sparse(10, 40, 10), rows, sparse(4, 2, M)),
			Cost{Double: 2 * 40 * B / 10 / 2, Bytes: (44+12*40+80)*B/10. + 4*B + 20 + 12*2 + 8*M + 8*B*M}},
		// Three maps: 90 numbers, each with a scale, an exp and a product that is added; 6 weights
		// and 6 widths.
		{"SparseBlock", k.sparseBlock(kuf, double(B, 3*M), double(K, 3), double(K, 3)),
			Cost{Double: 90 * 4, Bytes: 8 * (30 + 45 + 12)}},
		{"SparseBlockBackward", k.sparseBlockBackward(double(K, 3), double(K, 3), kuf, double(B, 3*M),
			double(K, 3), double(K, 3)),
			Cost{Double: 90 * 6, Bytes: 8 * (30 + 45 + 12 + 24)}},
		{"ARD Kuf, one length-scale", k.ard(kuf, kuf, z, x, isotropic),
			Cost{Double: 15 * (8 + 2*2), Bytes: 8 * (12 + 20 + 2 + 30)}},
		// 6 pairs of a triangle.
		{"ARD Kuu", k.ard(kuu, kuu, z, z, logl), Cost{Double: 6 * 2 * (8 + 2), Bytes: 8 * (12 + 8 + 18)}},
		// Two products of 8 for each pair and kernel; dc is read and written, the gradients too.
		{"ARDBackward", k.ardBackward(z, logl, kuf, kuf, z, x, logl),
			Cost{Double: 15 * 2 * (16 + 3), Bytes: 8 * (12 + 20 + 8 + 3*30 + 2*(12+8))}},
		{"ARDBackward, fixed inducing points", k.ardBackward(nil, logl, kuf, kuf, z, x, logl),
			Cost{Double: 15 * 2 * (8 + 3), Bytes: 8 * (12 + 20 + 8 + 3*30 + 2*8)}},
		{"ARDBackward, one length-scale", k.ardBackward(z, isotropic, kuf, kuf, z, x, isotropic),
			Cost{Double: 15 * (8 + 2*3), Bytes: 8 * (12 + 20 + 2 + 3*30 + 2*(12+2))}},
		{"Potrf", k.potrf(l, alpha, kuu), Cost{Double: 2 * 9, Bytes: 8 * (18 + 18 + 2)}},
		{"PotrfBackward", k.potrfBackward(kuu, l, l), Cost{Double: 2 * 18, Bytes: 8 * 3 * 18}},
		{"Trsm", k.trsm(a, l, kuf), Cost{Double: 2 * 9 * 5, Bytes: 8 * (18 + 30 + 30)}},
		{"TrsmBackward", k.trsmBackward(kuf, l, a, l, a),
			Cost{Double: 2 * 5 * (9 + 12), Bytes: 8 * (30 + 18 + 30 + 30 + 2*18)}},
		// A row: ‖A‖² 6 of two kernels, then of two latents mean 6, ‖P‖² 6, P 12 or 3, and 4.
		{"Moments", k.moments(moment, moment, p, a, m, full, alpha),
			Cost{Double: 5 * (12 + 2*(12+12+4)), Bytes: 8 * (30 + 6 + 18 + 2 + 10 + 10 + 30)}},
		{"Moments, diagonal", k.moments(moment, moment, nil, a, m, diagonal, alpha),
			Cost{Double: 5 * (12 + 2*(12+3+4)), Bytes: 8 * (30 + 6 + 6 + 2 + 10 + 10)}},
		{"MomentsBackward", k.momentsBackward(a, m, full, alpha, moment, moment, moment, moment, p, a, m, full, alpha),
			Cost{Double: 5 * (12 + 2*(12+6+2*12+4)), Bytes: 8 * (4*10 + 30 + 30 + 6 + 18 + 2 + 30 + 2*(6+18+2))}},
		{"SampleF", k.sampleF(reals(S, B, K), moment, moment, rows), Cost{Double: 3*70 + 10, Bytes: 8*20 + 4*5 + 4*70}},
		{"SampleFBackward", k.sampleFBackward(moment, moment, reals(S, B, K), moment, rows),
			Cost{Double: 4*70 + 30, Bytes: 4*70 + 8*10 + 4*5 + 8*20}},
		// 35 rows and 11 frequencies: HΩ 4, cos and sin 2, Φ W 12; seven draws of 22 and 66
		// numbers.
		{"RandomFeatures", k.randomFeatures(out, h, theta, rows, device.FeatureNoise{}),
			Cost{Real: 35*11*(4+2+12) + 3*7*(22+66), Bytes: 4*(70+5+105) + layer}},
		// One draw of Ω, none of W, and a normal for each of 105 outputs.
		{"RandomFeatures, local", k.randomFeatures(out, h, theta, rows, device.FeatureNoise{Draws: 1, Local: true}),
			Cost{Real: 35*11*(4+2+24) + 3*(22+105), Bytes: 4*(70+5+105) + layer}},
		{"RandomFeaturesBackward", k.randomFeaturesBackward(h, out, h, theta, rows, device.FeatureNoise{WDraws: 2}),
			Cost{Real: 35*11*(4+2+4+8+24) + 3*(7*22+2*66), Bytes: 4*(105+70+5+70) + 3*layer}},
		{"RandomFeaturesBackward, prior-fixed on data", k.randomFeaturesBackward(nil, out, h, prior, rows,
			device.FeatureNoise{}),
			Cost{Real: 35*11*(4+2+4+24) + 3*7*(22+66), Bytes: 4*(105+70+5) + 3*(layer-8*22)}},
		// One feature of each frequency, with half the weights.
		{"RandomFeatures, arc-cosine", k.randomFeatures(out, h, rectified, rows, device.FeatureNoise{}),
			Cost{Real: 35*11*(4+1+6) + 3*7*(22+33), Bytes: 4*(70+5+105) + layer - 4*66}},
		{"RandomFeaturesBackward, arc-cosine", k.randomFeaturesBackward(h, out, h, rectified, rows,
			device.FeatureNoise{}),
			Cost{Real: 35*11*(4+1+2+8+12) + 3*7*(22+33), Bytes: 4*(105+70+5+70) + 3*(layer-4*66)}},
		// Of the 35 rows and 11 frequencies t and v have 8, their functions 3, Φ 11 and its
		// products 36.
		{"FeatureMoments", k.featureMoments(out, out, h, theta),
			Cost{Real: 35*11*(8+3+11+36) + 11*(2+27), Bytes: 4*(70+105+105) + layer}},
		{"FeatureMomentsBackward", k.featureMomentsBackward(h, out, out, out, h, theta),
			Cost{Real: 35*11*(8+3+11+30+16+72) + 11*(2+27) + 20*33, Bytes: 4*(3*105+2*70) + 3*layer}},
		{"FeatureMomentsBackward, on data", k.featureMomentsBackward(nil, out, out, out, h, theta),
			Cost{Real: 35*11*(8+3+11+30+8+72) + 11*(2+27) + 20*33, Bytes: 4*(3*105+70) + 3*layer}},
		{"Frequencies", k.frequencies(reals(2, 11), reals(2, 11), reals(2, 11), reals(2, 11),
			reals(2, 11), reals(1), reals(2)),
			Cost{Real: 4 * 22, Bytes: 4 * (5*22 + 3)}},
		{"FrequenciesBackward", k.frequenciesBackward(reals(2, 11), reals(2, 11), reals(1), reals(2),
			reals(2, 11), reals(2, 11), reals(2, 11), reals(2, 11), reals(1), reals(2)),
			Cost{Real: 10 * 22, Bytes: 4 * (2*(2*22+3) + 4*22 + 3)}},
		{"AddNoise", k.addNoise(out, out, rows), Cost{Real: 4 * 105, Bytes: 4 * (3*105 + 5)}},
		{"AddNoiseBackward", k.addNoiseBackward(out, out, out, rows), Cost{Real: 5 * 105, Bytes: 4 * (3*105 + 5)}},
		{"GaussianExpected of samples", k.gaussianExpected(double(1), out, out, reals(3), out, out,
			reals(B, 3), reals(3)),
			Cost{Real: 10 * 105, Bytes: 4*(4*105+15+3) + 8 + 4*2*3}},
		{"GaussianLogLik", k.gaussian(double(1), out, reals(1), out, reals(B, 3), reals(1)),
			Cost{Real: 8 * 105, Bytes: 4*(105+15+1+105) + 8 + 4*2}},
		{"GaussianExpected", k.gaussianExpected(double(1), moment, moment, reals(1), moment, moment,
			reals(B, 2), reals(1)), Cost{Double: 100, Bytes: 8*10 + 8*10 + 4*(10+1) + 8*20 + 8 + 4*2}},
		{"SoftmaxLogLik", k.softmax(double(1), out, out, ints(B)), Cost{Real: 6 * 105, Bytes: 4*(105+5+105) + 8}},
		{"KLDiag", k.klDiag(double(1), reals(6), reals(6), nil, reals(6), reals(6), nil),
			Cost{Real: 72, Bytes: 4*12 + 8 + 4*2*12}},
		{"KLInducing", k.klInducing(double(1), m, full, m, full),
			Cost{Double: 4 * (6 + 12), Bytes: 8 * (6 + 18 + 1 + 2*24)}},
		{"Adam", k.adam(reals(9), reals(9), reals(9), reals(9), reals(9)), Cost{Real: 126, Bytes: 4 * 9 * 8}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, by hand %+v", c.name, c.got, c.want)
		}
	}
	if got := (counter{real: 8}).bytes(reals(3), double(2), ints(5), nil); got != 24+16+20 {
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
