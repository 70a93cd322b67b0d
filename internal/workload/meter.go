package workload

import (
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// meter is a device that times each operation of a training step by itself: it waits for the one
// before to end, and for this one. What it finds is the time of the call, its launch included, less
// what an empty wait takes; queued one after another, operations cost less.
type meter struct {
	device.Device
	count  counter
	dry    bool          // nothing runs
	idle   time.Duration // an empty wait
	probe  *device.Tensor
	host   []float64
	order  []string
	places map[string]*place
}

// place is one operation at one place of the step: calls with the same name and lengths are one.
type place struct {
	cost    Cost
	calls   int
	spent   time.Duration   // in this step
	seconds []time.Duration // in each step
}

// newMeter measures on a device.
func newMeter(dev device.Device) *meter {
	m := &meter{Device: dev, count: counterOf(dev.Name()), probe: dev.New(device.Double, 1),
		host: make([]float64, 1), places: map[string]*place{}}
	var waits []time.Duration
	for range 20 {
		m.wait()
		start := time.Now()
		m.wait()
		waits = append(waits, time.Since(start))
	}
	m.idle = median(waits)
	return m
}

func (m *meter) wait() { m.Device.Download(m.host, m.probe) }

// begin forgets all steps before.
func (m *meter) begin() { m.order, m.places = nil, map[string]*place{} }

// end closes a step.
func (m *meter) end() {
	for _, p := range m.places {
		p.seconds = append(p.seconds, p.spent)
		p.spent = 0
	}
}

// time runs an operation.
func (m *meter) time(name string, cost Cost, run func()) {
	p := m.places[name]
	if p == nil {
		p = &place{}
		m.places[name], m.order = p, append(m.order, name)
	}
	if len(p.seconds) == 0 { // the first step says what there is
		p.calls++
		p.cost.add(cost)
	}
	if m.dry {
		return
	}
	m.wait()
	start := time.Now()
	run()
	m.wait()
	p.spent += max(0, time.Since(start)-m.idle)
}

// moved is the cost of copying.
func (m *meter) moved(tensors ...*device.Tensor) Cost { return Cost{Bytes: m.count.bytes(tensors...)} }

// block names a kernel block by whether it is Kuu or Kuf.
func block(name string, z, x *device.Tensor) string {
	if z == x {
		return name + " Kuu"
	}
	return name + " Kuf"
}

// layer names a random-feature layer by its widths.
func layer(name string, p device.FeatureParams) string {
	return fmt.Sprintf("%s %d→%d", name, p.LogL.Len(), p.MeanW.Dim(1))
}

func (m *meter) Zero(t *device.Tensor) {
	m.time("Zero", m.moved(t), func() { m.Device.Zero(t) })
}

func (m *meter) Copy(dst, src *device.Tensor) {
	m.time("Copy", m.moved(dst, src), func() { m.Device.Copy(dst, src) })
}

func (m *meter) Gather(dst, src, rows *device.Tensor) {
	m.time("Gather", m.moved(dst, dst, rows), func() { m.Device.Gather(dst, src, rows) })
}

func (m *meter) Widen(dst, src *device.Tensor) {
	m.time("Widen", m.moved(dst, src), func() { m.Device.Widen(dst, src) })
}

func (m *meter) NarrowAdd(dst, src *device.Tensor) {
	m.time("NarrowAdd", m.moved(dst, dst, src), func() { m.Device.NarrowAdd(dst, src) })
}

func (m *meter) Concat(dst *device.Tensor, parts []*device.Tensor) {
	m.time("Concat", m.moved(append(parts, dst)...), func() { m.Device.Concat(dst, parts) })
}

func (m *meter) ConcatBackward(dparts []*device.Tensor, widths []int, ddst *device.Tensor) {
	c := m.moved(dparts...)
	c.Bytes = 2*c.Bytes + m.count.bytes(ddst)
	m.time("ConcatBackward", c, func() { m.Device.ConcatBackward(dparts, widths, ddst) })
}

func (m *meter) ARD(c, slope, z, x, logl *device.Tensor, shape device.Correlation) {
	m.time(block("ARD", z, x), m.count.ard(c, slope, z, x, logl), func() { m.Device.ARD(c, slope, z, x, logl, shape) })
}

func (m *meter) ARDBackward(dz, dlogl, dc, slope, z, x, logl *device.Tensor) {
	m.time(block("ARDBackward", z, x), m.count.ardBackward(dz, dlogl, dc, slope, z, x, logl),
		func() { m.Device.ARDBackward(dz, dlogl, dc, slope, z, x, logl) })
}

func (m *meter) Mix(c, a, b, logit *device.Tensor) {
	m.time("Mix", m.count.mix(c, a, b, logit), func() { m.Device.Mix(c, a, b, logit) })
}

func (m *meter) MixBackward(da, db, dlogit, dc, a, b, logit *device.Tensor) {
	m.time("MixBackward", m.count.mixBackward(da, db, dlogit, dc, a, b, logit),
		func() { m.Device.MixBackward(da, db, dlogit, dc, a, b, logit) })
}

func (m *meter) SparseDistances(d *device.Tensor, i int, x device.Sparse, rows *device.Tensor,
	z device.Sparse, linear bool) {
	m.time("SparseDistances", m.count.sparseDistances(d, x, rows, z),
		func() { m.Device.SparseDistances(d, i, x, rows, z, linear) })
}

func (m *meter) SparseBlock(c, d, logits, logsigma *device.Tensor, linear []bool) {
	m.time("SparseBlock", m.count.sparseBlock(c, d, logits, logsigma),
		func() { m.Device.SparseBlock(c, d, logits, logsigma, linear) })
}

func (m *meter) SparseBlockBackward(dlogits, dlogsigma, dc, d, logits, logsigma *device.Tensor, linear []bool) {
	m.time("SparseBlockBackward", m.count.sparseBlockBackward(dlogits, dlogsigma, dc, d, logits, logsigma), func() {
		m.Device.SparseBlockBackward(dlogits, dlogsigma, dc, d, logits, logsigma, linear)
	})
}

func (m *meter) Potrf(l, jitter, c *device.Tensor) {
	m.time("Potrf", m.count.potrf(l, jitter, c), func() { m.Device.Potrf(l, jitter, c) })
}

func (m *meter) PotrfBackward(dc, dl, l *device.Tensor) {
	m.time("PotrfBackward", m.count.potrfBackward(dc, dl, l), func() { m.Device.PotrfBackward(dc, dl, l) })
}

func (m *meter) Trsm(a, l, b *device.Tensor) {
	m.time("Trsm", m.count.trsm(a, l, b), func() { m.Device.Trsm(a, l, b) })
}

func (m *meter) TrsmBackward(db, dl, da, l, a *device.Tensor) {
	m.time("TrsmBackward", m.count.trsmBackward(db, dl, da, l, a), func() { m.Device.TrsmBackward(db, dl, da, l, a) })
}

func (m *meter) Moments(mean, variance, p, a, mu, s, logalpha *device.Tensor) {
	m.time("Moments", m.count.moments(mean, variance, p, a, mu, s, logalpha),
		func() { m.Device.Moments(mean, variance, p, a, mu, s, logalpha) })
}

func (m *meter) MomentsBackward(da, dm, ds, dlogalpha, dmean, dvariance, mean, variance, p, a, mu,
	s, logalpha *device.Tensor) {
	m.time("MomentsBackward", m.count.momentsBackward(da, dm, ds, dlogalpha, dmean, dvariance, mean,
		variance, p, a, mu, s, logalpha), func() {
		m.Device.MomentsBackward(da, dm, ds, dlogalpha, dmean, dvariance, mean, variance, p, a, mu, s, logalpha)
	})
}

func (m *meter) SampleF(f, mean, variance, rows *device.Tensor, key device.Key) {
	m.time("SampleF", m.count.sampleF(f, mean, variance, rows),
		func() { m.Device.SampleF(f, mean, variance, rows, key) })
}

func (m *meter) SampleFBackward(dmean, dvariance, df, variance, rows *device.Tensor, key device.Key) {
	m.time("SampleFBackward", m.count.sampleFBackward(dmean, dvariance, df, variance, rows),
		func() { m.Device.SampleFBackward(dmean, dvariance, df, variance, rows, key) })
}

func (m *meter) RandomFeatures(out, h *device.Tensor, p device.FeatureParams, rows *device.Tensor,
	noise device.FeatureNoise, scratch device.Scratch) {
	m.time(layer("RandomFeatures", p), m.count.randomFeatures(out, h, p, rows, noise),
		func() { m.Device.RandomFeatures(out, h, p, rows, noise, scratch) })
}

func (m *meter) RandomFeaturesBackward(dh *device.Tensor, g device.FeatureParams, dout,
	h *device.Tensor, p device.FeatureParams, rows *device.Tensor, noise device.FeatureNoise, scratch device.Scratch) {
	m.time(layer("RandomFeaturesBackward", p), m.count.randomFeaturesBackward(dh, dout, h, p, rows, noise), func() {
		m.Device.RandomFeaturesBackward(dh, g, dout, h, p, rows, noise, scratch)
	})
}

func (m *meter) FeatureMoments(mean, variance, h *device.Tensor, p device.FeatureParams, scratch device.Scratch) {
	m.time(layer("FeatureMoments", p), m.count.featureMoments(mean, variance, h, p),
		func() { m.Device.FeatureMoments(mean, variance, h, p, scratch) })
}

func (m *meter) FeatureMomentsBackward(dh *device.Tensor, g device.FeatureParams, dmean, dvariance,
	variance, h *device.Tensor, p device.FeatureParams, scratch device.Scratch) {
	m.time(layer("FeatureMomentsBackward", p), m.count.featureMomentsBackward(dh, dmean, dvariance,
		variance, h, p), func() {
		m.Device.FeatureMomentsBackward(dh, g, dmean, dvariance, variance, h, p, scratch)
	})
}

func (m *meter) Frequencies(eta, logvar, tau, mean, logs2, logrho, logl *device.Tensor) {
	m.time("Frequencies", m.count.frequencies(eta, logvar, tau, mean, logs2, logrho, logl), func() {
		m.Device.Frequencies(eta, logvar, tau, mean, logs2, logrho, logl)
	})
}

func (m *meter) FrequenciesBackward(dmean, dlogs2, dlogrho, dlogl, deta, dlogvar, tau, mean, logrho,
	logl *device.Tensor) {
	m.time("FrequenciesBackward", m.count.frequenciesBackward(dmean, dlogs2, dlogrho, dlogl, deta,
		dlogvar, tau, mean, logrho, logl), func() {
		m.Device.FrequenciesBackward(dmean, dlogs2, dlogrho, dlogl, deta, dlogvar, tau, mean, logrho, logl)
	})
}

func (m *meter) AddNoise(out, variance, rows *device.Tensor, key device.Key) {
	m.time("AddNoise", m.count.addNoise(out, variance, rows), func() { m.Device.AddNoise(out, variance, rows, key) })
}

func (m *meter) AddNoiseBackward(dvariance, dout, variance, rows *device.Tensor, key device.Key) {
	m.time("AddNoiseBackward", m.count.addNoiseBackward(dvariance, dout, variance, rows),
		func() { m.Device.AddNoiseBackward(dvariance, dout, variance, rows, key) })
}

func (m *meter) GaussianLogLik(ell, dh, dlogvar, h, y, logvar *device.Tensor, scale float64) {
	m.time("GaussianLogLik", m.count.gaussian(ell, dh, dlogvar, h, y, logvar),
		func() { m.Device.GaussianLogLik(ell, dh, dlogvar, h, y, logvar, scale) })
}

func (m *meter) GaussianExpected(ell, dmean, dvariance, dlogvar, mean, variance, y,
	logvar *device.Tensor, scale float64) {
	m.time("GaussianExpected", m.count.gaussianExpected(ell, dmean, dvariance, dlogvar, mean, variance,
		y, logvar), func() {
		m.Device.GaussianExpected(ell, dmean, dvariance, dlogvar, mean, variance, y, logvar, scale)
	})
}

func (m *meter) SoftmaxLogLik(ell, dh, h, y *device.Tensor, scale float64) {
	m.time("SoftmaxLogLik", m.count.softmax(ell, dh, h, y), func() { m.Device.SoftmaxLogLik(ell, dh, h, y, scale) })
}

func (m *meter) KLDiag(kl, dmean, dlogvar, dlogl, mean, logvar, logl *device.Tensor, weight device.Scalar) {
	m.time("KLDiag", m.count.klDiag(kl, dmean, dlogvar, dlogl, mean, logvar, logl),
		func() { m.Device.KLDiag(kl, dmean, dlogvar, dlogl, mean, logvar, logl, weight) })
}

func (m *meter) KLInducing(kl, dm, ds, mu, s *device.Tensor, weight device.Scalar) {
	m.time("KLInducing", m.count.klInducing(kl, dm, ds, mu, s),
		func() { m.Device.KLInducing(kl, dm, ds, mu, s, weight) })
}

func (m *meter) Adam(p, g, mean, v, rate *device.Tensor, step device.AdamStep) {
	m.time("Adam", m.count.adam(p, g, mean, v, rate), func() { m.Device.Adam(p, g, mean, v, rate, step) })
}
