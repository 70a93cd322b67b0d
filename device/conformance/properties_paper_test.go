package conformance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// The chain ARD, Potrf, Trsm, Whiten, Moments gives qF_anj and qF_Bnj as the paper writes them, with the inverse of K̄:
//
//	a = k̄ᵀ K̄⁻¹ μ,   B = k(x,x) − k̄ᵀ K̄⁻¹ k̄ + k̄ᵀ K̄⁻¹ Σ K̄⁻¹ k̄
func unwhitened(t *testing.T, dev device.Device, _ tolerances) {
	const j, m, b, d = 3, 33, 31, 2
	for _, k := range []int{1, j} {
		for _, diagonal := range []bool{true, false} {
			r := newRandom(6)
			q := paperMoments{
				z:        r.normal("z", device.Double, none, 0, 2, m, d).data,
				x:        r.normal("x", device.Double, none, 0, 1, b, d).data,
				logl:     r.normal("logl", device.Double, none, -0.5, 0.2, k, d).data,
				logalpha: r.normal("logalpha", device.Double, none, 0, 0.5, j).data,
				mu:       r.normal("mu", device.Double, none, 0, 1, j, m).data,
			}
			sqrt := r.factor("sqrt", diagonal, j, m)
			q.sqrt = sqrt.data

			double := func(shape ...int) *device.Tensor { return dev.New(device.Double, shape...) }
			z, x := put(dev, device.Double, q.z, m, d), put(dev, device.Double, q.x, b, d)
			logl, logalpha := put(dev, device.Double, q.logl, k, d), put(dev, device.Double, q.logalpha, j)
			kuu, l, jitter := double(k, m, m), double(k, m, m), double(k)
			dev.ARD(device.ARDArgs{C: kuu, Slope: kuu, Z: z, X: z, LogLength: logl})
			dev.Potrf(l, jitter, kuu)
			kuf, a := double(k, m, b), double(k, m, b)
			dev.ARD(device.ARDArgs{C: kuf, Slope: kuf, Z: z, X: x, LogLength: logl})
			dev.Trsm(a, l, kuf)
			whitened := device.WhitenArgs{QMean: double(j, m), QSqrt: double(j, m, m), L: l, LogAlpha: logalpha,
				Mu: put(dev, device.Double, q.mu, j, m), Sqrt: upload(dev, sqrt)}
			dev.Whiten(whitened)
			got := device.MomentsArgs{Mean: double(b, j), Variance: double(b, j), P: double(j, m, b), A: a,
				QMean: whitened.QMean, QSqrt: whitened.QSqrt, LogAlpha: logalpha}
			dev.Moments(got)

			mean, variance := q.moments(d, download(dev, jitter))
			// K̄ has a condition number of some 1e4, which both sides pay.
			near, layer := bound{relative: 1e-8}, fmt.Sprintf("K=%d diagonal %v: ", k, diagonal)
			near.compare(t, layer+"mean", download(dev, got.Mean), mean)
			near.compare(t, layer+"variance", download(dev, got.Variance), variance)
		}
	}
}

// paperMoments is a GP layer in the paper's coordinates: z [M,D], x [B,D], log ℓ [K,D], log α [J], μ [J,M] and S
// [J,M,M] or its diagonal.
type paperMoments struct{ z, x, logl, logalpha, mu, sqrt []float64 }

// moments returns a and B [B,J], with the jitter of each kernel.
func (q *paperMoments) moments(d int, jitter []float64) (mean, variance []float64) {
	latents, m, b, k := len(q.logalpha), len(q.z)/d, len(q.x)/d, len(jitter)
	mean, variance = make([]float64, b*latents), make([]float64, b*latents)
	for i := range latents {
		alpha, lengths := math.Exp(q.logalpha[i]), q.logl[i%k*d:][:d]
		own, cross := mat.NewDense(m, m, nil), mat.NewDense(m, b, nil) // K̄/α and k̄/α
		ard(device.RBF, own.RawMatrix().Data, q.z, q.z, lengths, 1, d)
		ard(device.RBF, cross.RawMatrix().Data, q.z, q.x, lengths, 1, d)
		for p := range m {
			own.Set(p, p, own.At(p, p)+jitter[i%k])
		}
		var solved, back mat.Dense // K̄⁻¹ k̄, and Sᵀ times it
		orPanic(solved.Solve(own, cross))
		back.Mul(factorOf(q.sqrt, latents, m, i).T(), &solved)
		for n := range b {
			u, v := solved.ColView(n), back.ColView(n)
			mean[n*latents+i] = mat.Dot(u, mat.NewVecDense(m, q.mu[i*m:][:m]))
			variance[n*latents+i] = alpha*(1-mat.Dot(u, cross.ColView(n))) + mat.Dot(v, v)
		}
	}
	return mean, variance
}

// ΦΦᵀ → α exp(−½Σ(x−x′)²/ℓ²) as R grows, with an error of about α/√R (rf_ard), and to a Matérn kernel where frequency r
// is multiplied by √u_r, 2ν/u_r being χ² with 2ν degrees of freedom.
func approachKernel(t *testing.T, dev device.Device, _ tolerances) {
	for _, form := range append(maternShapes[:], device.RBF) {
		approach(t, dev, form)
	}
}

// columnsOf returns Φ [S,B,columns] of a layer with a number of frequencies and the inputs h. W is the identity, with
// deviations of e⁻⁴⁰, so that the layer puts out Φ itself.
func columnsOf(dev device.Device, h *device.Tensor, frequencies int, p device.FeatureParams) []float64 {
	s, b, n := h.Dim(0), h.Dim(1), frequencies*p.Activation.Columns()
	identity := make([]float64, n*n)
	for i := range n {
		identity[i*n+i] = 1
	}
	p.MeanW = put(dev, device.Real, identity, n, n)
	p.LogVarW = put(dev, device.Real, slices.Repeat([]float64{-80}, n*n), n, n)
	out := dev.New(device.Real, s, b, n)
	dev.RandomFeatures(device.FeatureArgs{Out: out, H: h, Params: p, Rows: dev.New(device.Int, b),
		Noise: device.FeatureNoise{Weights: device.Key{Seed: 1, Site: device.SiteWeights},
			Frequencies: device.Key{Seed: 1, Site: device.SiteFrequencies}},
		Scratch: dev.FeatureScratch(s, b, h.Dim(2), frequencies, n)})
	return download(dev, out)
}

func approach(t *testing.T, dev device.Device, form device.Correlation) {
	const b, d = 9, 2
	r := newRandom(8)
	h := r.normal("h", device.Real, none, 0, 1, 1, b, d)
	logl, logalpha := []float64{0.5, -0.25}, 0.75
	kernel := make([]float64, b*b)
	ard(form, kernel, h.data, h.data, logl, 1, d)
	for _, n := range []int{8, 512} {
		var mixing *device.Tensor
		if form != device.RBF {
			root := make([]float64, n)
			for i := range root {
				chi2 := 0.0
				for range form.TwiceNu() {
					v := r.NormFloat64()
					chi2 += v * v
				}
				root[i] = math.Sqrt(float64(form.TwiceNu()) / chi2)
			}
			mixing = put(dev, device.Real, root, n)
		}
		phi := columnsOf(dev, upload(dev, h), n, device.FeatureParams{Mixing: mixing,
			LogAlpha: put(dev, device.Real, []float64{logalpha}, 1), LogLength: put(dev, device.Real, logl, d)})
		e := productError(phi, 1, b, func(i, j int, inner float64) float64 {
			return inner/math.Exp(logalpha) - kernel[i*b+j]
		})
		// The variance of one feature's product is at most ½, so the error is below 1/√(2R) on average.
		if want := 1.2 / math.Sqrt(2*float64(n)); e > want {
			t.Errorf("shape %d, R=%d: ΦΦᵀ is off by %g, want at most %g", form, n, e, want)
		}
	}
}

// productError returns the root mean square of what miss makes of the inner products of b rows, means over the samples
// of Φ.
func productError(phi []float64, samples, b int, miss func(i, j int, inner float64) float64) float64 {
	square, n := 0.0, len(phi)/(samples*b)
	for i := range b {
		for j := range b {
			inner := 0.0
			for s := range samples {
				x, y := phi[(s*b+i)*n:][:n], phi[(s*b+j)*n:]
				for q := range x {
					inner += x[q] * y[q] / float64(samples)
				}
			}
			e := miss(i, j, inner)
			square += e * e / float64(b*b)
		}
	}
	return math.Sqrt(square)
}
