package model

import (
	"fmt"
	"math"
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

// testedLikelihood is a likelihood with a number of outputs.
type testedLikelihood struct {
	name            string
	outputs, levels int
}

var likelihoods = []testedLikelihood{{GaussianLikelihood, 1, 0}, {SoftmaxLikelihood, 3, 0}, {StudentLikelihood, 2, 0},
	{HeteroscedasticLikelihood, 4, 0}, {BernoulliLikelihood, 1, 0}, {PoissonLikelihood, 1, 0},
	{NegativeBinomialLikelihood, 2, 0}, {OrdinalLikelihood, 1, 4}}

// of gives a config the likelihood, three samples and, unless it is of sequences, three inputs.
func (l testedLikelihood) of(c Config) Config {
	c.Likelihood, c.Outputs, c.Levels, c.Samples = l.name, l.outputs, l.levels, 3
	if len(c.Maps) == 0 {
		c.Inputs = 3
	}
	return c
}

// gp makes a GP of a config.
func (l testedLikelihood) gp(c Config) Config {
	c.Model, c.Latents, c.Inducing = GP, l.outputs, 5
	return l.of(c)
}

// drf makes a DRF of a config.
func (l testedLikelihood) drf(c Config) Config {
	c.Model, c.Features, c.Hidden = DRF, 4, 3
	return l.of(c)
}

// gpdrf makes a GP-DRF of a config.
func (l testedLikelihood) gpdrf(c Config) Config {
	c.Model, c.Latents, c.Inducing, c.Features, c.Hidden = GPDRF, 4, 5, 3, 2
	return l.of(c)
}

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
		for _, whiten := range []bool{true, false} {
			for _, cov := range covs {
				for _, length := range lengths {
					c := Config{Lengthscales: length, QCov: cov, Whiten: whiten, LearnInducing: true}
					all = append(all, lik.gp(c))
				}
			}
		}
		for _, c := range otherKernels {
			all = append(all, lik.gp(c))
		}
		for _, c := range sequences {
			alone := c
			alone.Skip = false // a GP has no layers to skip
			c.Layers, c.FeedForward, c.Spectra, c.LocalReparam = 2, true, VarResampled+EachSample, true
			all = append(all, lik.gp(alone), lik.gpdrf(c))
		}
		for _, c := range drawn {
			if c.Model == GPDRF {
				all = append(all, lik.gpdrf(c))
			} else {
				all = append(all, lik.drf(c))
			}
		}
	}
	// W and Ω integrated
	for i, lik := range likelihoods {
		for layers := 1; layers <= 2; layers++ {
			c := lik.gpdrf(Config{Lengthscales: lengths[i%3], QCov: covs[i%2], Whiten: true, LearnInducing: true,
				Spectra: VarIntegrated, LocalReparam: true, Layers: layers,
				FeatureKernel: []string{"", "matern32", "rbf", "matern12", "matern52"}[i%5],
				WCov:          []string{"", Full}[(i+layers)%2], FeedForward: layers == 2, Skip: i%2 == layers%2})
			all = append(all, c)
			c.Model, c.Skip, c.FeedForward = DRF, false, !c.FeedForward
			c.WCov = []string{Full, ""}[(i+layers)%2]
			all = append(all, c)
		}
	}
	for _, model := range []string{GP, GPDRF} { // two targets, each with its own noise
		c := Config{Model: model, Inputs: 3, Outputs: 2, Likelihood: GaussianLikelihood, Samples: 2, Latents: 2,
			Inducing: 5, Lengthscales: ARD, QCov: Full, Whiten: true, LearnInducing: true}
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
