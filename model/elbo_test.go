package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func openDevice(t testing.TB, name string) device.Device {
	t.Helper()
	dev := must.Get(device.Open(name))(t)
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// likelihoods are all, with a number of outputs.
var likelihoods = []struct {
	name            string
	outputs, levels int
}{{GaussianLikelihood, 1, 0}, {SoftmaxLikelihood, 3, 0}, {StudentLikelihood, 2, 0}, {HeteroscedasticLikelihood, 4, 0},
	{BernoulliLikelihood, 1, 0}, {PoissonLikelihood, 1, 0}, {NegativeBinomialLikelihood, 2, 0},
	{OrdinalLikelihood, 1, 4}}

// drawn are the models whose W or Ω are drawn.
var drawn = []Config{
	{Model: GPDRF, Spectra: PriorFixed + EachSample, LocalReparam: true, Layers: 1, FeedForward: true, Skip: true,
		Whiten: true, Lengthscales: ARD, QCov: Full, LearnInducing: true},
	{Model: GPDRF, Spectra: PriorFixed, LocalReparam: true, Layers: 2,
		Lengthscales: Isotropic, QCov: Full, LearnInducing: true, Kernel: "rbf"},
	{Model: GPDRF, Spectra: PriorFixed + EachSample, Layers: 3, FeatureKernel: "matern32",
		Whiten: true, Lengthscales: Shared, QCov: Full, LearnInducing: true, Kernel: "matern32"},
	{Model: GPDRF, Spectra: PriorFixed + EachSample, Layers: 1, Skip: true, FeatureKernel: "matern52",
		Lengthscales: ARD, QCov: Diagonal, Kernel: "rbf+matern12"},
	{Model: GPDRF, Spectra: VarFixed + AllNoise, LocalReparam: true, Layers: 2, FeedForward: true,
		FeatureKernel: "arccos1", Whiten: true, Lengthscales: Isotropic, QCov: Diagonal, LearnInducing: true,
		Kernel: "matern12"},
	{Model: GPDRF, Spectra: VarFixed + EachSample, LocalReparam: true, Layers: 3, FeatureKernel: "arccos0",
		Lengthscales: Shared, QCov: Diagonal, LearnInducing: true},
	{Model: GPDRF, Spectra: VarFixed + AllNoise + EachSample, Layers: 1, FeedForward: true, Skip: true,
		FeatureKernel: "arccos2", Whiten: true, Lengthscales: ARD, QCov: Full, LearnInducing: true, Kernel: "rbf"},
	{Model: GPDRF, Spectra: VarFixed, Layers: 2, FeedForward: true, FeatureKernel: "arccos2",
		Lengthscales: Isotropic, QCov: Full, Kernel: "matern52"},
	{Model: GPDRF, Spectra: VarResampled + EachSample, LocalReparam: true, Layers: 3, FeedForward: true,
		Whiten: true, Lengthscales: Shared, QCov: Full, LearnInducing: true, Kernel: "rbf+matern12"},
	{Model: GPDRF, Spectra: VarResampled + EachSample, LocalReparam: true, Layers: 1, Skip: true, FeatureKernel: "rbf",
		Lengthscales: ARD, QCov: Diagonal, LearnInducing: true, Kernel: "matern12"},
	{Model: GPDRF, Spectra: VarResampled, Layers: 2, FeedForward: true, FeatureKernel: "matern12",
		Whiten: true, Lengthscales: Isotropic, QCov: Diagonal, LearnInducing: true},
	{Model: GPDRF, Spectra: VarResampled + EachSample, Layers: 3, Skip: true, FeatureKernel: "matern32",
		Lengthscales: Shared, QCov: Diagonal, Kernel: "rbf"},
	{Model: DRF, Spectra: PriorFixed + EachSample, LocalReparam: true, Layers: 1, FeatureKernel: "matern12"},
	{Model: DRF, Spectra: PriorFixed, Layers: 2, FeedForward: true, FeatureKernel: "arccos0"},
	{Model: DRF, Spectra: VarFixed + AllNoise + EachSample, LocalReparam: true, Layers: 2, FeatureKernel: "matern52"},
	{Model: DRF, Spectra: VarFixed + EachSample, Layers: 1, FeedForward: true, FeatureKernel: "rbf"},
	{Model: DRF, Spectra: VarFixed, LocalReparam: true, Layers: 2, FeedForward: true, FeatureKernel: "matern32"},
	{Model: DRF, Spectra: VarFixed + AllNoise, Layers: 1},
	{Model: DRF, Spectra: VarResampled + EachSample, LocalReparam: true, Layers: 2, FeatureKernel: "arccos2"},
	{Model: DRF, Spectra: VarResampled, Layers: 2, FeedForward: true, FeatureKernel: "arccos1"},
}

// otherKernels are GPs with other kernels than the default.
var otherKernels = []Config{
	{Kernel: "matern12", Lengthscales: ARD, QCov: Full, Whiten: true, LearnInducing: true},
	{Kernel: "matern32", Lengthscales: Isotropic, QCov: Diagonal, Whiten: true},
	{Kernel: "matern52", Lengthscales: Shared, QCov: Full, LearnInducing: true},
	{Kernel: "rbf+matern12", Lengthscales: ARD, QCov: Diagonal, LearnInducing: true},
	{Kernel: "matern32+rbf", Lengthscales: Isotropic, QCov: Full, Whiten: true, LearnInducing: true},
	{Kernel: "matern52+matern52", Lengthscales: Shared, QCov: Diagonal, Whiten: true, LearnInducing: true},
}

// sequences are models of sequences, the last beside other inputs.
var sequences = []Config{
	{Maps: []string{MapRBF}, Lengthscales: ARD, QCov: Full, Whiten: true},
	{Maps: []string{MapLinear, MapRBF, MapRBF}, Lengthscales: Isotropic, QCov: Diagonal, Skip: true},
	{Maps: []string{MapRBF, MapLinear}, Inputs: 3, Lengthscales: Shared, QCov: Full, Whiten: true},
}

// configs lists every likelihood with every option of each model.
func configs() []Config {
	var all []Config
	lengths, covs := []string{ARD, Isotropic, Shared}, []string{Full, Diagonal}
	for _, lik := range likelihoods {
		outputs := lik.outputs
		base := Config{Inputs: 3, Outputs: outputs, Likelihood: lik.name, Levels: lik.levels, Samples: 3}
		for _, whiten := range []bool{true, false} {
			for _, cov := range covs {
				for _, length := range lengths {
					c := base
					c.Model, c.Latents, c.Inducing = GP, outputs, 5
					c.Lengthscales, c.QCov, c.Whiten, c.LearnInducing = length, cov, whiten, true
					all = append(all, c)
				}
			}
		}
		for _, c := range otherKernels {
			c.Model, c.Inputs, c.Outputs, c.Likelihood, c.Levels = GP, base.Inputs, outputs, lik.name, lik.levels
			c.Samples, c.Latents, c.Inducing = base.Samples, outputs, 5
			all = append(all, c)
		}
		for _, c := range sequences {
			skip := c.Skip // a GP has no layers to skip
			c.Model, c.Outputs, c.Likelihood, c.Levels = GP, outputs, lik.name, lik.levels
			c.Samples, c.Latents, c.Inducing, c.Skip = base.Samples, outputs, 5, false
			all = append(all, c)
			c.Model, c.Latents, c.Layers, c.Features, c.Hidden, c.FeedForward = GPDRF, 4, 2, 3, 2, true
			c.Spectra, c.LocalReparam, c.Skip = VarResampled+EachSample, true, skip
			all = append(all, c)
		}
		for _, c := range drawn {
			c.Inputs, c.Outputs, c.Likelihood, c.Levels = base.Inputs, outputs, lik.name, lik.levels
			c.Samples, c.Features, c.Hidden = base.Samples, 4, 3
			if c.Model == GPDRF {
				c.Latents, c.Inducing, c.Features, c.Hidden = 4, 5, 3, 2
			}
			all = append(all, c)
		}
	}
	// W and Ω integrated
	for i, lik := range likelihoods {
		kernel := []string{"", "matern32", "rbf", "matern12", "matern52"}[i%5]
		for layers := 1; layers <= 2; layers++ {
			c := Config{Model: GPDRF, Inputs: 3, Outputs: lik.outputs, Likelihood: lik.name, Levels: lik.levels,
				Samples: 3, Latents: 4, Inducing: 5, Lengthscales: lengths[i%3], QCov: covs[i%2],
				Whiten: true, LearnInducing: true, Layers: layers, Features: 3, Hidden: 2,
				Spectra: VarIntegrated, LocalReparam: true,
				FeatureKernel: kernel, FeedForward: layers == 2, Skip: i%2 == layers%2}
			c.WCov = []string{"", Full}[(i+layers)%2]
			all = append(all, c)
			c.Model, c.Skip, c.FeedForward = DRF, false, !c.FeedForward
			c.WCov = []string{Full, ""}[(i+layers)%2]
			all = append(all, c)
		}
	}
	for _, model := range []string{GP, GPDRF} { // two targets, each with its own noise
		c := Config{Model: model, Inputs: 3, Outputs: 2, Likelihood: GaussianLikelihood, Samples: 2,
			Latents: 2, Inducing: 5,
			Lengthscales: ARD, QCov: Full, Whiten: true, LearnInducing: true}
		if model == GPDRF {
			c.Layers, c.Features, c.Hidden, c.Spectra, c.LocalReparam = 1, 3, 2, VarFixed+EachSample, true
		}
		all = append(all, c)
	}
	for i := range all {
		all[i].ClassOffsets = i%2 == 1 && all[i].hasLogits()
	}
	return all
}

func (c Config) testName() string {
	return fmt.Sprintf("%s-%s-D%d-%s-J%d-%s-%s-%s-%s-white=%v-L%d-%s%s-"+
		"local=%v-ff=%v-skip=%v-offsets=%v", c.Model, c.Likelihood, c.Inputs, strings.Join(c.Maps, "+"),
		c.Latents, c.Kernel, c.FeatureKernel, c.Lengthscales,
		c.QCov, c.Whiten, c.Layers, c.Spectra, c.WCov, c.LocalReparam, c.FeedForward, c.Skip, c.ClassOffsets)
}

// fixture is a model with random parameters on random rows.
type fixture struct {
	m     *Model
	x     func(lo, hi int) []float64
	data  *Rows
	pass  *Workspace
	rows  []int32
	step  GradientArgs
	flat  []float64
	naive *naive
}

func newFixture(t testing.TB, dev device.Device, c Config) *fixture {
	t.Helper()
	return newFixtureOf(t, dev, c, false)
}

// newFixtureOf acts as newFixture does, with weights of the rows or none.
func newFixtureOf(t testing.TB, dev device.Device, c Config, weighted bool) *fixture {
	t.Helper()
	m := must.Get(New(dev, c))(t)
	rng := rand.New(rand.NewPCG(7, uint64(c.Inputs)))
	const n, b = 9, 4
	x, y, labels := make([]float64, n*c.Width()), make([]float64, n*c.Outputs), make([]int32, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	own := distances(rng, c, x)
	for i := range y {
		if y[i] = rng.NormFloat64(); IsCountLikelihood(c.Likelihood) {
			y[i] = math.Floor(math.Exp(1 + y[i]))
		}
	}
	weight, offset := make([]float64, n), make([]float64, n)
	for i := range labels {
		labels[i] = int32(i % max(2, c.Outputs, c.Levels))
		weight[i], offset[i] = 0.5+float64(i%3), 0.1*float64(i)
	}
	if !IsCountLikelihood(c.Likelihood) {
		offset = nil
	}
	if !weighted {
		weight = nil
	}
	y = y[:n*c.targets()]
	if c.classifies() {
		y = nil
	} else {
		labels = nil
	}
	f := &fixture{m: m, rows: []int32{7, 2, 8, 2},
		step: GradientArgs{Seed: 3<<40 + 5, Step: device.StepNumber{N: 4}, KLWeight: device.Scalar{Value: 0.7}}}
	if own != nil {
		m.SetInducing(own)
	}
	width := c.Width()
	rows := HostRows{N: n, X: func(lo, hi int) []float64 { return x[lo*width : hi*width] }, Weight: weight,
		Offset: offset}
	f.x = rows.X
	f.data, f.pass = m.UploadRows(rows, y, labels), m.NewWorkspace(c.Samples, b)
	dev.UploadInts(f.pass.Rows(), f.rows)
	f.flat = make([]float64, m.params.total)
	for i := range f.flat {
		f.flat[i] = 0.3 * rng.NormFloat64()
	}
	if c.hasGP() { // inducing points apart from each other, S with a diagonal away from zero
		for i := range m.params.blocks {
			if blk := m.params.blocks[i]; blk.Name == "gp.pseudo_inputs" {
				for k := range blk.size() {
					f.flat[blk.offset+k] = 1.5 * rng.NormFloat64()
				}
			}
		}
		blk := findBlock(m, "gp.q_sqrt")
		for i := range blk.size() {
			if c.QCov == Diagonal || i/c.Inducing%c.Inducing == i%c.Inducing {
				f.flat[blk.offset+i] += 0.8
			}
		}
	}
	if c.WCov == Full {
		blk := findBlock(m, fmt.Sprintf("drf.%d.lower_w", c.Layers-1))
		for i := range blk.size() {
			if columns := 2 * c.Features; i%columns >= i/columns%columns {
				f.flat[blk.offset+i] = 0
			}
		}
	}
	dev.Upload(m.params.Value, f.flat)
	v := &naive{cfg: c, params: map[string][]float64{}, n: n, y: y, labels: labels, rows: f.rows,
		step: f.step, own: own, weight: weight, offset: offset}
	for i := range n {
		v.x = append(v.x, x[i*c.Width():(i+1)*c.Width()])
	}
	for i := range m.params.blocks {
		blk := m.params.blocks[i]
		v.params[blk.Name] = f.flat[blk.offset : blk.offset+blk.size()]
	}
	f.naive = v
	return f
}

// distances replaces the distances in rows x [N,Width] by squared distances between random unit vectors and the vectors
// of X̄. It returns the distances among X̄ [M,I·M]. The first row is the first vector of X̄.
func distances(rng *rand.Rand, c Config, x []float64) (own []float64) {
	m, width := c.Inducing, c.Width()
	own = make([]float64, m*c.distances())
	for i := range c.Maps {
		unit := func() (v [4]float64) {
			norm := 0.0
			for d := range v {
				v[d] = rng.NormFloat64()
				norm += v[d] * v[d]
			}
			for d := range v {
				v[d] /= math.Sqrt(norm)
			}
			return v
		}
		apart := func(a, b [4]float64) (d2 float64) {
			for d := range a {
				d2 += (a[d] - b[d]) * (a[d] - b[d])
			}
			return d2
		}
		xbar := make([][4]float64, m)
		for b := range xbar {
			xbar[b] = unit()
		}
		for a := range xbar {
			for b := range xbar {
				own[a*c.distances()+i*m+b] = apart(xbar[a], xbar[b])
			}
		}
		for n := range len(x) / width {
			row := unit()
			if n == 0 {
				row = xbar[0]
			}
			for b := range xbar {
				x[n*width+c.Inputs+i*m+b] = apart(row, xbar[b])
			}
		}
	}
	if c.Maps == nil {
		return nil
	}
	return own
}

func (f *fixture) value(t testing.TB) float64 {
	t.Helper()
	f.m.Gradient(f.pass, f.data, f.step)
	e := must.Get(f.m.Report(f.step.KLWeight.Value))(t)
	return e.Value
}

// The bound equals the paper's, for every kind of model. Its gradient over the whole flat vector equals central
// differences, and so does the gradient of the predictive objective.
func TestELBO(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	for i, c := range configs() {
		t.Run(c.testName(), func(t *testing.T) { testObjective(t, newFixtureOf(t, dev, c, i%3 > 0)) })
		if c.HasPredictive() {
			t.Run("predictive-"+c.testName(), func(t *testing.T) {
				f := newFixtureOf(t, dev, c, i%3 > 0)
				f.step.Predictive, f.naive.step.Predictive = true, true
				testObjective(t, f)
			})
		}
	}
}

func testObjective(t *testing.T, f *fixture) {
	t.Helper()
	dev, c := f.m.dev, f.m.cfg
	got := f.value(t)
	ell, kl := f.naive.elbo()
	want := ell - f.step.KLWeight.Value*kl
	if math.Abs(got-want) > 1e-8*math.Abs(want) {
		t.Errorf("objective %.12g, the paper's loops give %.12g", got, want)
	}

	grad := make([]float64, len(f.flat))
	dev.Download(grad, f.m.params.Grad)
	norm := 0.0
	for _, g := range grad {
		norm = max(norm, math.Abs(g))
	}
	const h = 1e-5
	point := append([]float64(nil), f.flat...)
	at := func(i int, v float64) float64 {
		point[i] = v
		dev.Upload(f.m.params.Value, point)
		return f.value(t)
	}
	for i, v := range f.flat {
		numeric := (at(i, v+h) - at(i, v-h)) / (2 * h)
		if blk := f.blockOf(i); blk.Role == Fixed || blk.Name == "gp.pseudo_inputs" && !c.LearnInducing {
			numeric = 0
		}
		point[i] = v
		if diff := math.Abs(grad[i] - numeric); diff > 1e-6*math.Abs(numeric)+2e-9*norm {
			t.Errorf("%s: gradient of element %d is %.10g, central differences %.10g",
				f.blockOf(i).Name, i, grad[i], numeric)
		}
	}
}

func (f *fixture) blockOf(i int) *block {
	for k := range f.m.params.blocks {
		if b := f.m.params.blocks[k]; i >= b.offset && i < b.offset+b.size() {
			return b
		}
	}
	return nil
}

// findBlock finds the block of parameters with a name.
func findBlock(m *Model, name string) *block {
	for _, b := range m.params.blocks {
		if b.Name == name {
			return b
		}
	}
	panic("model: no parameter block " + name)
}
