package workload

import "github.com/gpdrf/gpdrf-gpu/device"

// The operations of a training step, each timed under its name.

func (m *meter) Zero(t *device.Tensor)        { m.time("Zero", func() { m.Device.Zero(t) }) }
func (m *meter) Copy(dst, src *device.Tensor) { m.time("Copy", func() { m.Device.Copy(dst, src) }) }
func (m *meter) Gather(dst, src, rows *device.Tensor) {
	m.time("Gather", func() { m.Device.Gather(dst, src, rows) })
}
func (m *meter) DrawRows(rows *device.Tensor, n int, key device.Key) {
	m.time("DrawRows", func() { m.Device.DrawRows(rows, n, key) })
}
func (m *meter) AddColumns(dst, src *device.Tensor) {
	m.time("AddColumns", func() { m.Device.AddColumns(dst, src) })
}
func (m *meter) Widen(dst, src *device.Tensor) { m.time("Widen", func() { m.Device.Widen(dst, src) }) }
func (m *meter) NarrowAdd(dst, src *device.Tensor) {
	m.time("NarrowAdd", func() { m.Device.NarrowAdd(dst, src) })
}
func (m *meter) Concat(dst *device.Tensor, parts []*device.Tensor) {
	m.time("Concat", func() { m.Device.Concat(dst, parts) })
}
func (m *meter) ConcatBackward(dparts []*device.Tensor, widths []int, ddst *device.Tensor) {
	m.time("ConcatBackward", func() { m.Device.ConcatBackward(dparts, widths, ddst) })
}
func (m *meter) NaturalStep(mean, s, dmean, ds *device.Tensor, size device.Scalar) {
	m.time("NaturalStep", func() { m.Device.NaturalStep(mean, s, dmean, ds, size) })
}
func (m *meter) Adam(p, g, mean, v, rate *device.Tensor, step device.AdamStep) {
	m.time("Adam", func() { m.Device.Adam(p, g, mean, v, rate, step) })
}

func (m *meter) ARD(a device.ARDArgs) { m.time(block("ARD", a), func() { m.Device.ARD(a) }) }
func (m *meter) ARDBackward(g, a device.ARDArgs) {
	m.time(block("ARDBackward", a), func() { m.Device.ARDBackward(g, a) })
}
func (m *meter) Mix(a device.MixArgs) { m.time("Mix", func() { m.Device.Mix(a) }) }
func (m *meter) MixBackward(g, a device.MixArgs) {
	m.time("MixBackward", func() { m.Device.MixBackward(g, a) })
}
func (m *meter) SparseDistances(d *device.Tensor, i int, x device.Sparse, rows *device.Tensor, z device.Sparse,
	metric device.Metric) {
	m.time("SparseDistances", func() { m.Device.SparseDistances(d, i, x, rows, z, metric) })
}
func (m *meter) SparseBlock(a device.SparseBlockArgs) {
	m.time("SparseBlock", func() { m.Device.SparseBlock(a) })
}
func (m *meter) SparseBlockBackward(g, a device.SparseBlockArgs) {
	m.time("SparseBlockBackward", func() { m.Device.SparseBlockBackward(g, a) })
}
func (m *meter) Potrf(l, jitter, c *device.Tensor) {
	m.time("Potrf", func() { m.Device.Potrf(l, jitter, c) })
}
func (m *meter) PotrfBackward(dc, dl, l *device.Tensor) {
	m.time("PotrfBackward", func() { m.Device.PotrfBackward(dc, dl, l) })
}
func (m *meter) Trsm(a, l, b *device.Tensor) { m.time("Trsm", func() { m.Device.Trsm(a, l, b) }) }
func (m *meter) TrsmBackward(db, dl, da, l, a *device.Tensor) {
	m.time("TrsmBackward", func() { m.Device.TrsmBackward(db, dl, da, l, a) })
}
func (m *meter) Whiten(a device.WhitenArgs) { m.time("Whiten", func() { m.Device.Whiten(a) }) }
func (m *meter) WhitenBackward(g, a device.WhitenArgs) {
	m.time("WhitenBackward", func() { m.Device.WhitenBackward(g, a) })
}
func (m *meter) Moments(a device.MomentsArgs) { m.time("Moments", func() { m.Device.Moments(a) }) }
func (m *meter) MomentsBackward(g, a device.MomentsArgs) {
	m.time("MomentsBackward", func() { m.Device.MomentsBackward(g, a) })
}
func (m *meter) SampleF(f, mean, variance, rows *device.Tensor, key device.Key) {
	m.time("SampleF", func() { m.Device.SampleF(f, mean, variance, rows, key) })
}
func (m *meter) SampleFBackward(dmean, dvariance, df, variance, rows *device.Tensor, key device.Key) {
	m.time("SampleFBackward", func() { m.Device.SampleFBackward(dmean, dvariance, df, variance, rows, key) })
}
func (m *meter) KLInducing(kl, dm, ds, mu, s *device.Tensor, weight device.Scalar) {
	m.time("KLInducing", func() { m.Device.KLInducing(kl, dm, ds, mu, s, weight) })
}

func (m *meter) RandomFeatures(a device.FeatureArgs) {
	m.time(layer("RandomFeatures", a), func() { m.Device.RandomFeatures(a) })
}
func (m *meter) RandomFeaturesBackward(g, a device.FeatureArgs) {
	m.time(layer("RandomFeaturesBackward", a), func() { m.Device.RandomFeaturesBackward(g, a) })
}
func (m *meter) FeatureMoments(a device.FeatureArgs) {
	m.time(layer("FeatureMoments", a), func() { m.Device.FeatureMoments(a) })
}
func (m *meter) FeatureMomentsBackward(g, a device.FeatureArgs) {
	m.time(layer("FeatureMomentsBackward", a), func() { m.Device.FeatureMomentsBackward(g, a) })
}
func (m *meter) Frequencies(a device.FrequencyArgs) {
	m.time("Frequencies", func() { m.Device.Frequencies(a) })
}
func (m *meter) FrequenciesBackward(g, a device.FrequencyArgs) {
	m.time("FrequenciesBackward", func() { m.Device.FrequenciesBackward(g, a) })
}
func (m *meter) AddNoise(out, variance, rows *device.Tensor, key device.Key) {
	m.time("AddNoise", func() { m.Device.AddNoise(out, variance, rows, key) })
}
func (m *meter) AddNoiseBackward(dvariance, dout, variance, rows *device.Tensor, key device.Key) {
	m.time("AddNoiseBackward", func() { m.Device.AddNoiseBackward(dvariance, dout, variance, rows, key) })
}
func (m *meter) GaussianLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("GaussianLogLik", func() { m.Device.GaussianLogLik(ell, g, a, scale) })
}
func (m *meter) GaussianExpected(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("GaussianExpected", func() { m.Device.GaussianExpected(ell, g, a, scale) })
}
func (m *meter) GaussianPredictive(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("GaussianPredictive", func() { m.Device.GaussianPredictive(ell, g, a, scale) })
}
func (m *meter) SoftmaxLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("SoftmaxLogLik", func() { m.Device.SoftmaxLogLik(ell, g, a, scale) })
}
func (m *meter) BernoulliLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("BernoulliLogLik", func() { m.Device.BernoulliLogLik(ell, g, a, scale) })
}
func (m *meter) StudentLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("StudentLogLik", func() { m.Device.StudentLogLik(ell, g, a, scale) })
}
func (m *meter) HeteroscedasticLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("HeteroscedasticLogLik", func() { m.Device.HeteroscedasticLogLik(ell, g, a, scale) })
}
func (m *meter) PoissonLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("PoissonLogLik", func() { m.Device.PoissonLogLik(ell, g, a, scale) })
}
func (m *meter) PoissonExpected(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("PoissonExpected", func() { m.Device.PoissonExpected(ell, g, a, scale) })
}
func (m *meter) NegativeBinomialLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("NegativeBinomialLogLik", func() { m.Device.NegativeBinomialLogLik(ell, g, a, scale) })
}
func (m *meter) OrdinalLogLik(ell *device.Tensor, g, a device.LikelihoodArgs, scale float64) {
	m.time("OrdinalLogLik", func() { m.Device.OrdinalLogLik(ell, g, a, scale) })
}
func (m *meter) AddBias(h, bias *device.Tensor) {
	m.time("AddBias", func() { m.Device.AddBias(h, bias) })
}
func (m *meter) AddBiasBackward(dbias, dh *device.Tensor) {
	m.time("AddBiasBackward", func() { m.Device.AddBiasBackward(dbias, dh) })
}
func (m *meter) KLDiag(kl *device.Tensor, g, a device.DiagArgs, weight device.Scalar) {
	m.time("KLDiag", func() { m.Device.KLDiag(kl, g, a, weight) })
}
