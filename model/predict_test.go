package model

import (
	"math"
	"reflect"
	"runtime"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func gpdrfConfig() Config {
	return Config{
		Model: GPDRF, Inputs: 3, Outputs: 1, Likelihood: GaussianLikelihood, Samples: 2,
		Latents: 4, Inducing: 5, Lengthscales: ARD, QCov: Full, Whiten: true, LearnInducing: true,
		Layers: 2, Features: 6, Hidden: 3, Spectra: VarResampled + EachSample, FeedForward: true, LocalReparam: true,
	}
}

// Rows that come in batches lie on the device as they came.
func TestUploadInPieces(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	c := gpdrfConfig()
	c.Inputs = 1 << 15
	m := must.Get(New(dev, c))(t)
	const n = 70 // two batches of 32 rows and one of 6
	batches := 0
	data := m.UploadRows(HostRows{N: n, X: func(lo, hi int) []float64 {
		batches++
		x := make([]float64, (hi-lo)*c.Inputs)
		for i := range x {
			x[i] = float64(lo*c.Inputs + i)
		}
		return x
	}}, nil, nil)
	got := make([]float64, n*c.Inputs)
	dev.Download(got, data.x)
	for i, v := range got {
		if v != float64(i) {
			t.Fatalf("number %d is %g", i, v)
		}
	}
	if batches != 3 {
		t.Errorf("%d batches", batches)
	}
}

// A prediction in chunks of samples and of rows is the prediction of the whole.
func TestPredictChunks(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	f := newFixture(t, dev, gpdrfConfig())
	const n, samples = 300, 70 // two row batches (256 + 44), three chunks of samples
	x := make([]float64, n*3)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	whole := must.Get(f.m.Predict(f.m.Upload(n, x, nil, nil), samples, 9))(t)
	if len(whole.H) != n*samples || len(whole.Var) != n {
		t.Fatalf("shape %d, %d", len(whole.H), len(whole.Var))
	}
	fewRows := must.Get(f.m.Predict(f.m.Upload(50, x[:150], nil, nil), samples, 9))(t)
	fewSamples := must.Get(f.m.Predict(f.m.Upload(n, x, nil, nil), 33, 9))(t)
	there := f.m.StreamForPrediction(n, func(lo, hi int) []float64 { return x[lo*3 : hi*3] })
	stream, err := f.m.Predict(there, samples, 9)
	if err != nil || !reflect.DeepEqual(stream, whole) {
		t.Errorf("rows that are uploaded a batch at a time have another prediction, or %v", err)
	}
	for s := range samples {
		for i := range n {
			v := whole.H[s*n+i]
			if i < 50 && math.Abs(fewRows.H[s*50+i]-v) > 1e-12 {
				t.Fatalf("sample %d row %d: %g with 50 rows, %g with all", s, i, fewRows.H[s*50+i], v)
			}
			if s < 33 && math.Abs(fewSamples.H[s*n+i]-v) > 1e-12 {
				t.Fatalf("sample %d row %d: %g with 33 samples, %g with all", s, i, fewSamples.H[s*n+i], v)
			}
		}
	}
}

// The prediction of a row does not depend on its place: rows are compared by their inputs, not by their draws.
func TestPredictWhereARowStands(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	for _, local := range []bool{true, false} {
		c := gpdrfConfig()
		c.LocalReparam = local
		f := newFixture(t, dev, c)
		const n, samples = 300, 7
		x := make([]float64, n*3)
		for i := range x {
			x[i] = math.Sin(float64(i))
		}
		copy(x[280*3:], x[:3]) // row 280, in the second batch, is row 0
		p := must.Get(f.m.Predict(f.m.Upload(n, x, nil, nil), samples, 9))(t)
		spread := 0.0
		for s := range samples {
			first, again := p.H[s*n], p.H[s*n+280]
			if math.Abs(first-again) > 1e-12 {
				t.Fatalf("local %v: sample %d of one row is %g, and %g further down", local, s, first, again)
			}
			spread = max(spread, math.Abs(first-p.H[0]))
		}
		if spread == 0 {
			t.Errorf("local %v: all samples are the same", local)
		}
	}
}

// A noise variance too small for a double is still a variance: the prediction keeps its shape.
func TestPredictWithoutNoise(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	f := newFixture(t, dev, gpdrfConfig())
	named := f.m.Export()
	for i := range named {
		if named[i].Name == "likelihood.log_variance" {
			named[i].Data[0] = -1000
		}
	}
	must.OK(t, f.m.Import(named))
	p, err := f.m.Predict(f.m.Upload(2, make([]float64, 6), nil, nil), 3, 1)
	if err != nil || len(p.Var) != 2 || p.Var[0] != 0 {
		t.Errorf("variances %v, %v", p.Var, err)
	}
}

// With frozen spectra, a prediction has the draws of training; otherwise every sample has new draws.
func TestPredictFrozenDraws(t *testing.T) {
	c := gpdrfConfig()
	d := draw{seed: 1, step: device.StepNumber{N: predictStep}}
	c.Spectra = PriorFixed + EachSample
	if n := c.features(d, 0); n.Frequencies.Step.N != frozenStep || n.FrequencyDraws != c.Samples {
		t.Errorf("prior-fixed: %+v", n)
	}
	c.Spectra = PriorFixed
	if n := c.features(d, 0); n.FrequencyDraws != 1 {
		t.Errorf("shared: %+v", n)
	}
	c.Spectra = VarResampled + EachSample
	if n := c.features(d, 0); n.Frequencies.Step.N != predictStep || n.FrequencyDraws != 0 {
		t.Errorf("var-resampled: %+v", n)
	}
	c.Spectra, c.LocalReparam = VarFixed+AllNoise+EachSample, false
	if n := c.features(d, 0); n.Weights.Step.N != frozenStep || n.WeightDraws != c.Samples {
		t.Errorf("var-fixed with sampled weights: %+v", n)
	}
	if k := c.latents(draw{seed: 1, step: device.StepNumber{N: 5}}); k.Step.N != frozenStep {
		t.Errorf("var-fixed must freeze ε in training: %+v", k)
	}
	if k := c.latents(d); k.Step.N != predictStep {
		t.Errorf("prediction draws its own ε: %+v", k)
	}
}

// The gradient is the same, bit for bit, whatever the number of threads, and evaluating it allocates nothing.
func TestGradientDeterministicWithoutAllocation(t *testing.T) {
	for _, name := range []string{"cpu:f32", "cpu:f64"} {
		sum := gpdrfConfig()
		sum.Kernel = "rbf+matern12"
		integrated, drawn := gpdrfConfig(), gpdrfConfig()
		integrated.Spectra, drawn.Spectra, drawn.Likelihood = VarIntegrated, VarIntegrated, StudentLikelihood
		for _, c := range []Config{gpdrfConfig(), sum, integrated, drawn, configs()[0], configs()[len(configs())-1]} {
			var first []float64
			for _, procs := range []int{1, 2, 3} {
				old := runtime.GOMAXPROCS(procs)
				dev := openDevice(t, name)
				f := newFixture(t, dev, c)
				f.value(t)
				grad := make([]float64, len(f.flat))
				dev.Download(grad, f.m.params.Grad)
				if first == nil {
					first = grad
				}
				for i, g := range grad {
					if g != first[i] {
						t.Fatalf("%s %s: element %d of the gradient is %g with %d threads, %g with 1", name,
							c.testName(), i, g, procs, first[i])
					}
				}
				if n := must.AllocsPerRun(10, func() { f.m.Gradient(f.pass, f.data, f.step) }); n > 0 {
					t.Errorf("%s %s: a step allocates %g times", name, c.testName(), n)
				}
				runtime.GOMAXPROCS(old)
			}
		}
	}
}

// Parameters go out and come back; wrong ones are refused.
func TestExportImport(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	f := newFixture(t, dev, gpdrfConfig())
	named := f.m.Export()
	other := must.Get(New(dev, gpdrfConfig()))(t)
	must.OK(t, other.Import(named))
	for i, n := range other.Export() {
		for k, v := range n.Data {
			if v != named[i].Data[k] {
				t.Fatalf("%s[%d] = %g, exported as %g", n.Name, k, v, named[i].Data[k])
			}
		}
	}
	if err := other.Import(named[1:]); err == nil {
		t.Error("a missing tensor is accepted")
	}
	if err := other.Import(append(named, Parameter{Name: "extra"})); err == nil {
		t.Error("an unknown tensor is accepted")
	}
	named[0].Shape = []int{99}
	if err := other.Import(named); err == nil {
		t.Error("a wrong shape is accepted")
	}
}

// At the start of a whitened model with q = prior the KL of q(F̄) is zero, and never negative.
func TestKLAtPrior(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	for _, c := range configs() {
		f := newFixture(t, dev, c)
		for i := range f.m.params.blocks {
			b := f.m.params.blocks[i]
			v := f.flat[b.offset : b.offset+b.size()]
			switch {
			case b.Name == "gp.q_sqrt" && c.Whiten && c.QCov == Full:
				clear(v)
				for k := 0; k < len(v); k += c.Inducing * c.Inducing {
					for r := range c.Inducing {
						v[k+r*c.Inducing+r] = 1
					}
				}
			case b.Name == "gp.q_sqrt" && c.Whiten:
				fill(v, 1)
			case b.Role == Kernel, b.Role == InducingPoints, b.Name == "gp.q_sqrt":
			default:
				clear(v) // means 0, log-variances 0
			}
			if len(b.Name) > 16 && b.Name[len(b.Name)-11:] == "lengthscale" && b.Name[:3] == "drf" {
				clear(v) // prior variance 1, like q(Ω)'s
			}
		}
		dev.Upload(f.m.params.Value, f.flat)
		f.m.Gradient(f.pass, f.data, f.step)
		e := must.Get(f.m.ReadELBO(1))(t)
		if c.Whiten || c.Model == DRF {
			if math.Abs(e.KL) > 1e-10 {
				t.Errorf("%s: KL of the prior is %g", c.testName(), e.KL)
			}
		} else if !(e.KL > 0) {
			t.Errorf("%s: KL is %g", c.testName(), e.KL)
		}
	}
}

// Logits of many classes fill the memory: they are tempered in place, and picked without a copy of all.
func TestPredictionOnce(t *testing.T) {
	p := &Prediction{S: 1 << 8, N: 1 << 4, C: 1 << 4, H: make([]float64, 1<<16)}
	all := make([]int, p.N)
	for i := range all {
		all[i] = i
	}
	p.H[1<<16-1] = 3
	if other := p.Tempered(2); p.H[1<<16-1] != 3 || other.H[1<<16-1] != 1.5 {
		t.Errorf("%g, tempered %g", p.H[1<<16-1], other.H[1<<16-1])
	}
	for what, limit := range map[string]struct {
		most float64
		do   func()
	}{
		"temper": {0, func() { p.temper(2) }}, "all rows": {0, func() { p.SelectRows(all) }},
		"some rows": {2, func() { p.SelectRows(all[1:]) }}, "Tempered": {2, func() { p.Tempered(2) }},
	} {
		if n := testing.AllocsPerRun(3, limit.do); n > limit.most {
			t.Errorf("%s: %g allocations", what, n)
		}
	}
}
