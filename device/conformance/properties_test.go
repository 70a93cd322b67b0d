package conformance

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// property is an identity that a device must keep.
type property struct {
	name string
	test func(t *testing.T, dev device.Device, tol tolerances)
	// products is set where it tests products of Real tensors.
	products bool
}

func properties() []property {
	return []property{
		{name: "Potrf rebuilds the matrix", test: rebuilds},
		{name: "Potrf climbs the ladder", test: climbs},
		{name: "Potrf reports failure", test: fails},
		{name: "KL is positive, and zero at the prior", test: divergence},
		{name: "whitened moments are the paper's", test: unwhitened},
		{name: "softmax of far logits is finite", test: farLogits},
		{name: "softmax finds the largest of many logits", test: farOfMany},
		{name: "weights of 1 have the bits of none", test: unitWeights},
		{name: "a rate that would overflow is on the tangent", test: tangentRate},
		{name: "levels far in both tails have a probability", test: farLevels},
		{name: "a floored variance has no gradient", test: flooredGradient},
		{name: "Matérn kernels of near rows", test: nearRows},
		{name: "sums over feature maps are 1 at distance 0", test: unitSparse},
		{name: "features approach the kernel", test: approachKernel, products: true},
		{name: "arc-cosine features approach the kernel", test: approachArcCosine, products: true},
		{name: "chunks of samples are the whole", test: chunks, products: true},
	}
}

// real returns the relative error that the device's Real tensors may have.
func (tol tolerances) real() float64 {
	if tol.single {
		return 1e-5
	}
	return valueError
}

// put uploads values as a tensor.
func put(dev device.Device, dtype device.DType, x []float64, shape ...int) *device.Tensor {
	t := dev.New(dtype, shape...)
	dev.Upload(t, x)
	return t
}

// L Lᵀ = c + jitter·I, with the jitter reported and zeros above.
func rebuilds(t *testing.T, dev device.Device, tol tolerances) {
	for _, k := range []int{1, 3} {
		for _, m := range []int{1, 31, 33, 150} {
			c := newRandom(1).correlations("c", none, k, m)
			l, jitter := dev.New(device.Double, k, m, m), dev.New(device.Double, k)
			dev.Potrf(l, jitter, upload(dev, c))
			factor, used := download(dev, l), download(dev, jitter)
			got, want := make([]float64, k*m*m), append([]float64(nil), c.data...)
			for i := range k * m {
				want[i*m+i%m] += used[i/m]
				for j := range m {
					for q := range m {
						got[i*m+j] += factor[i*m+q] * factor[(i/m*m+j)*m+q]
					}
					if j > i%m && factor[i*m+j] != 0 {
						t.Fatalf("K=%d M=%d: l is not zero above the diagonal", k, m)
					}
				}
			}
			bound{relative: valueError}.compare(t, fmt.Sprintf("K=%d M=%d: L Lᵀ", k, m), got, want)
		}
	}
}

// Each matrix takes the first rung that helps it: two equal inducing points the first, a lowest eigenvalue of −5e-4 the
// one above that.
func climbs(t *testing.T, dev device.Device, _ tolerances) {
	const m = 70
	r := newRandom(2)
	z := r.normal("z", device.Double, none, 0, 1, m, 2)
	copy(z.data[2*40:2*41], z.data[2*3:2*4])
	singular := make([]float64, m*m)
	ard(device.RBF, singular, z.data, z.data, []float64{0, 0}, 1, 2)
	negative := append([]float64(nil), singular...)
	for i := range m {
		negative[i*m+i] -= 5e-4
	}
	for _, c := range []struct {
		name   string
		matrix []float64
		want   []float64
	}{
		{"equal inducing points", singular, []float64{1e-6}},
		{"negative eigenvalue", negative, []float64{1e-3}},
		{"a batch of both", append(append([]float64(nil), negative...), singular...), []float64{1e-3, 1e-6}},
	} {
		k := len(c.want)
		l, jitter := dev.New(device.Double, k, m, m), dev.New(device.Double, k)
		dev.Potrf(l, jitter, put(dev, device.Double, c.matrix, k, m, m))
		got := download(dev, jitter)
		for i, want := range c.want {
			if got[i] != want {
				t.Errorf("%s: matrix %d took jitter %g, want %g", c.name, i, got[i], want)
			}
		}
		if err := device.CheckJitter(got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A matrix that no rung helps reports the pivot and leaves NaN; NaN in the input is a failure where it meets the
// diagonal; the other matrices of a batch are well.
func fails(t *testing.T, dev device.Device, _ tolerances) {
	const m = 100
	good := newRandom(3).correlations("c", none, 1, m).data
	for _, c := range []struct {
		name  string
		at    [2]int
		value float64
		pivot int
	}{
		{"negative diagonal", [2]int{45, 45}, -1, 45},
		{"negative diagonal near the end", [2]int{90, 90}, -1, 90},
		{"NaN on the diagonal", [2]int{0, 0}, math.NaN(), 0},
		{"NaN below the diagonal", [2]int{50, 3}, math.NaN(), 50},
		{"infinity on the diagonal", [2]int{33, 33}, math.Inf(1), 33},
	} {
		bad := append([]float64(nil), good...)
		bad[c.at[0]*m+c.at[1]], bad[c.at[1]*m+c.at[0]] = c.value, c.value
		for _, k := range []int{1, 2} {
			batch := append(append([]float64(nil), good...), bad...)[(2-k)*m*m:]
			l, jitter := dev.New(device.Double, k, m, m), dev.New(device.Double, k)
			dev.Potrf(l, jitter, put(dev, device.Double, batch, k, m, m))
			var failure *device.NotPositiveDefiniteError
			if err := device.CheckJitter(download(dev, jitter)); !errors.As(err, &failure) {
				t.Errorf("%s: no error but %v", c.name, err)
			} else if failure.Latent != k-1 || failure.Pivot != c.pivot {
				t.Errorf("%s: latent %d pivot %d, want %d %d", c.name, failure.Latent, failure.Pivot, k-1, c.pivot)
			}
			factor := download(dev, l)
			if !math.IsNaN(factor[len(factor)-1]) {
				t.Errorf("%s: l of the failed matrix is not NaN", c.name)
			}
			if k == 2 && math.IsNaN(factor[m*m-1]) {
				t.Errorf("%s: the good matrix failed, too", c.name)
			}
		}
	}
}

func divergence(t *testing.T, dev device.Device, tol tolerances) {
	const j, m, d, n = 3, 33, 2, 31
	kl := dev.New(device.Double, 1)
	value := func() float64 { return download(dev, kl)[0] }
	dm, ds, ddiag := dev.New(device.Double, j, m), dev.New(device.Double, j, m, m), dev.New(device.Double, j, m)
	identity, ones := make([]float64, j*m*m), make([]float64, j*m)
	for i := range j * m {
		identity[i*m+i%m], ones[i] = 1, 1
	}
	zero := dev.New(device.Double, j, m)
	dev.KLInducing(kl, dm, ds, zero, put(dev, device.Double, identity, j, m, m), device.Scalar{Value: 1})
	if v := value(); math.Abs(v) > 1e-12 {
		t.Errorf("KLInducing is %g at the prior", v)
	}
	dev.KLInducing(kl, dm, ddiag, zero, put(dev, device.Double, ones, j, m), device.Scalar{Value: 1})
	if v := value(); math.Abs(v) > 1e-12 {
		t.Errorf("diagonal KLInducing is %g at the prior", v)
	}
	logl := []float64{0.5, -0.25} // exact in float32
	mean, logvar, variance := dev.New(device.Real, d, n), dev.New(device.Real, d, n), make([]float64, d*n)
	for i := range variance {
		variance[i] = -2 * logl[i/n]
	}
	dev.Upload(logvar, variance)
	g := device.DiagArgs{Mean: dev.New(device.Real, d, n), LogVar: dev.New(device.Real, d, n),
		LogLength: dev.New(device.Real, d)}
	dev.KLDiag(kl, g, device.DiagArgs{Mean: mean, LogVar: logvar, LogLength: put(dev, device.Real, logl, d)},
		device.Scalar{Value: 1})
	if v := value(); math.Abs(v) > d*n*tol.real() {
		t.Errorf("KLDiag is %g at the prior", v)
	}
	for seed := range uint64(20) {
		r := newRandom(seed)
		dev.KLInducing(kl, dm, ds, upload(dev, r.normal("m", device.Double, none, 0, 0.1, j, m)),
			upload(dev, r.factor("s", false, j, m)), device.Scalar{Value: 1})
		if v := value(); !(v > 0) {
			t.Errorf("KLInducing is %g", v)
		}
		dev.KLDiag(kl, g, device.DiagArgs{
			Mean:   upload(dev, r.normal("mean", device.Real, none, 0, 0.1, d, n)),
			LogVar: upload(dev, r.normal("logvar", device.Real, none, 0, 0.1, d, n)),
		}, device.Scalar{Value: 1})
		if v := value(); !(v > 0) {
			t.Errorf("KLDiag is %g", v)
		}
	}
}

// Logits whose exponentials overflow or vanish: log softmax is their distance from the largest.
func farLogits(t *testing.T, dev device.Device, tol tolerances) {
	h := put(dev, device.Real, []float64{0, 2000, -2000, -3000, -5000, -3000}, 1, 2, 3)
	y := dev.New(device.Int, 2) // class 0
	ell, dh := dev.New(device.Double, 1), dev.New(device.Real, 1, 2, 3)
	dev.SoftmaxLogLik(ell, device.LikelihoodArgs{H: dh}, device.LikelihoodArgs{H: h, Y: y}, 1)
	want := []float64{-2000 - math.Ln2}
	bound{relative: tol.real()}.compare(t, "log softmax", download(dev, ell), want)
	bound{relative: tol.real()}.compare(t, "its gradient", download(dev, dh), []float64{1, -1, 0, 0.5, 0, -0.5})
}

// Softmax with more classes than a warp has lanes: the one far logit of a row is found in any place, or its exponential
// is infinite.
func farOfMany(t *testing.T, dev device.Device, tol tolerances) {
	const n, far = 40, 2000
	logits, classes, want := make([]float64, n*n), make([]int32, n), make([]float64, n*n)
	for i := range n {
		class := (i + 1) % n
		logits[i*n+i], classes[i] = far, int32(class)
		want[i*n+i], want[i*n+class] = -1, 1
	}
	h, y := put(dev, device.Real, logits, 1, n, n), dev.New(device.Int, n)
	dev.UploadInts(y, classes)
	ell, dh := dev.New(device.Double, 1), dev.New(device.Real, 1, n, n)
	dev.SoftmaxLogLik(ell, device.LikelihoodArgs{H: dh}, device.LikelihoodArgs{H: h, Y: y}, 1)
	bound{relative: tol.real()}.compare(t, "log softmax", download(dev, ell), []float64{-n * far})
	bound{relative: tol.real()}.compare(t, "its gradient", download(dev, dh), want)
}

// Moments at the floor: α(1 − AᵀA) < 0 with s = 0 gives VarFloor, and nothing learns from the variance.
func flooredGradient(t *testing.T, dev device.Device, _ tolerances) {
	const j, m, b = 2, 33, 31
	r := newRandom(4)
	for _, diagonal := range []bool{true, false} {
		a := upload(dev, r.normal("a", device.Double, none, 0, 1, 1, m, b))
		mean, variance := dev.New(device.Double, b, j), dev.New(device.Double, b, j)
		shape := []int{j, m, m}
		var p *device.Tensor
		if diagonal {
			shape = []int{j, m}
		} else {
			p = dev.New(device.Double, j, m, b)
		}
		args := device.MomentsArgs{Mean: mean, Variance: variance, P: p, A: a, QMean: dev.New(device.Double, j, m),
			QSqrt: dev.New(device.Double, shape...), LogAlpha: dev.New(device.Double, j)}
		dev.Moments(args)
		for _, v := range download(dev, variance) {
			if v != device.VarFloor {
				t.Fatalf("variance %g, want the floor %g", v, device.VarFloor)
			}
		}
		g := device.MomentsArgs{Mean: dev.New(device.Double, b, j),
			Variance: upload(dev, r.normal("dvariance", device.Double, none, 0, 1, b, j)),
			A:        dev.New(device.Double, 1, m, b), QMean: dev.New(device.Double, j, m),
			QSqrt: dev.New(device.Double, shape...), LogAlpha: dev.New(device.Double, j)}
		dev.MomentsBackward(g, args)
		for _, gradient := range []*device.Tensor{g.A, g.QMean, g.QSqrt, g.LogAlpha} {
			for _, v := range download(dev, gradient) {
				if v != 0 {
					t.Fatalf("diagonal %v: a gradient of %g comes from a floored variance", diagonal, v)
				}
			}
		}
	}
}

// Samples drawn in two calls, the second with the number of its first sample in the key, equal the samples of one call.
func chunks(t *testing.T, dev device.Device, tol tolerances) {
	const s, first, b, j = 5, 2, 33, 3
	r := newRandom(5)
	rows := upload(dev, r.below("rows", 100, b))
	variance := slices.Repeat([]float64{0.5}, b*j)
	mean := upload(dev, r.normal("mean", device.Double, none, 0, 1, b, j))
	parts := func(run func(out, in *device.Tensor, offset uint32), h *device.Tensor, width int) (whole,
		chunked []float64) {
		out := dev.New(device.Real, s, b, width)
		run(out, h, 0)
		whole = download(dev, out)
		in := func(lo, hi int) *device.Tensor {
			if h == nil {
				return nil
			}
			n := h.Len() / s
			return h.View(lo*n, hi-lo, b, h.Dim(2))
		}
		n := b * width
		run(out.View(0, first, b, width), in(0, first), 0)
		run(out.View(first*n, s-first, b, width), in(first, s), first)
		return whole, download(dev, out)
	}
	whole, chunked := parts(func(out, _ *device.Tensor, offset uint32) {
		dev.SampleF(out, mean, put(dev, device.Double, variance, b, j), rows,
			device.Key{Seed: 3, Sample: offset, Site: device.SiteLatents})
	}, nil, j)
	bound{relative: tol.real()}.compare(t, "SampleF", chunked, whole)
	for _, c := range []featureCase{{}, {local: true}, {draws: 2, wdraws: 3}, {draws: 1, local: true}} {
		p := randomFeatures(r, []int{s, b, 3, 31, 2}, c)
		in := tensors(dev, p.in)
		scratch := dev.FeatureScratch(s, b, 3, 31, 2)
		whole, chunked := parts(func(out, h *device.Tensor, offset uint32) {
			dev.RandomFeatures(device.FeatureArgs{Out: out, H: h, Params: featureParams(in), Rows: rows,
				Noise: device.FeatureNoise{
					Weights:        device.Key{Seed: 3, Sample: offset, Site: device.SiteWeights},
					Frequencies:    device.Key{Seed: 3, Sample: offset, Site: device.SiteFrequencies},
					FrequencyDraws: c.draws, WeightDraws: c.wdraws, Local: c.local,
				}, Scratch: scratch})
		}, in[0], 2)
		bound{relative: tol.real()}.compare(t, fmt.Sprintf("RandomFeatures, %v", c), chunked, whole)
	}
}

// unitSparse: whatever the weights, SparseBlock is 1 to the bit where all distances are 0, and Kuu is symmetric to the
// bit where d is.
func unitSparse(t *testing.T, dev device.Device, _ tolerances) {
	const k, m, maps = 5, 37, 3
	r := newRandom(4)
	d := make([]float64, m*maps*m)
	for row := range m {
		for i := range maps {
			for column := range row {
				v := 2 * r.Float64()
				d[(row*maps+i)*m+column], d[(column*maps+i)*m+row] = v, v
			}
		}
	}
	c := dev.New(device.Double, k, m, m)
	dev.SparseBlock(device.SparseBlockArgs{C: c, D: put(dev, device.Double, d, m, maps*m),
		Logits:   upload(dev, r.normal("logits", device.Double, none, 0, 3, k, maps)),
		LogSigma: upload(dev, r.normal("logsigma", device.Double, none, 0, 1, k, maps)),
		Linear:   []bool{false, true, false}})
	got := download(dev, c)
	for i, v := range got {
		if row, column := i/m%m, i%m; row == column && v != 1 {
			t.Fatalf("the diagonal is %.17g", v)
		} else if mirror := got[i/(m*m)*m*m+column*m+row]; v != mirror {
			t.Fatalf("element (%d, %d) is %.17g, its mirror %.17g", row, column, v, mirror)
		}
	}
}
