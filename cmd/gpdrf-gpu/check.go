package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
	"github.com/gpdrf/gpdrf-gpu/model"
)

func (p *program) checkVerb() verb {
	return verb{
		name: "check", line: "compare a GPU with the CPU", run: p.check,
		about: "It computes the gradients of three tiny models on a GPU and on the CPU, in float32 and in " +
			"double. One model has vectors, one has sequences, and one has W and Ω in closed form. It exits with " +
			"0 if all gradients agree, with 1 if one does not, and with 2 if there is no GPU.",
		flags: []flagSpec{
			{group: "Check", name: "device", arg: "NAME",
				help: "which GPU, or which type of it, such as cuda:1:f64; default: the first GPU, in both types"},
			{group: "Check", name: "precision", arg: "highest|medium",
				help: "precision of the products in random-feature layers", def: "highest"},
			jsonFlag,
		},
		examples: []example{
			{"gpdrf-gpu check", "does the GPU compute what the CPU does?"},
			{"gpdrf-gpu check --device cuda:1 --precision medium", "another GPU, with its tensor cores"},
		},
	}
}

// tolerances are the permitted differences between the gradients of GPU and CPU, relative to the largest number of a
// block. A GPU adds up in another order and fuses a·b+c: there are some hundred roundings in all.
var tolerances = map[string]float64{":f32": 1e-3, ":f64": 1e-10}

// mediumTolerance is the tolerance for less exact products. TF32 has an error of 2⁻¹¹ in a factor. In a gradient that
// sums both signs it becomes some hundredths.
const mediumTolerance = 5e-2

// comparison is the result of `check` for one precision.
type comparison struct {
	Device     string  `json:"device"`
	Precision  string  `json:"precision"`
	Reference  string  `json:"reference"`
	Difference float64 `json:"difference"` // largest relative difference
	At         string  `json:"at"`         // block of parameters with this difference
	Tolerance  float64 `json:"tolerance"`
	Agrees     bool    `json:"agrees"`
}

type comparisons struct {
	About string       `json:"about"` // description of the GPU
	Check []comparison `json:"check"`
}

// Lines returns the text for people.
func (c *comparisons) Lines() []string {
	lines := []string{c.About}
	for _, x := range c.Check {
		mark, verb := "✓", "agrees with"
		if !x.Agrees {
			mark, verb = "✗", "differs from"
		}
		if x.Precision != string(device.Highest) {
			verb = "at " + x.Precision + " " + verb
		}
		lines = append(lines,
			fmt.Sprintf("%s %s %s %s: largest relative difference %.2g, of the gradient of %s; tolerance %.0e",
				mark, x.Device, verb, x.Reference, x.Difference, x.At, x.Tolerance))
	}
	return lines
}

// check compares the gradients of three models on a GPU with those on the CPU.
func (p *program) check(c *call) error {
	p.newExitGuard(p.ctx, p.nothingWritten)
	name, _ := c.text("device")
	machine, suffixes, err := p.gpuToCheck(name)
	if err != nil {
		return err
	}
	precision, err := c.precision(string(device.Highest))
	if err != nil {
		return err
	}
	if precision != string(device.Highest) && len(suffixes) > 1 {
		suffixes = suffixes[:1] // the precision is one of float32
	}
	all := &comparisons{}
	agree := true
	for _, suffix := range suffixes {
		x := comparison{Device: machine.Name + suffix, Reference: "cpu" + suffix, Tolerance: tolerances[suffix]}
		want, err := p.gradient(x.Reference, string(device.Highest))
		if err != nil {
			return err
		}
		got, err := p.gradient(x.Device, precision)
		if err != nil {
			return err
		}
		if got.precision == string(device.Medium) {
			x.Tolerance = mediumTolerance
		}
		x.Precision = got.precision
		x.compare(got.gradient, want.gradient)
		all.About = machine.Name + ": " + got.about
		all.Check = append(all.Check, x)
		agree = agree && x.Agrees
	}
	if err := p.show(all); err != nil {
		return err
	}
	if !agree {
		return fmt.Errorf("the gradients of %s differ from those of the CPU: do not train on it", machine.Name)
	}
	return nil
}

// gpuToCheck returns the GPU and the suffixes that a name stands for; without a name, the first GPU.
func (p *program) gpuToCheck(name string) (found device.Info, suffixes []string, err error) {
	suffixes = device.Suffixes[:]
	for _, suffix := range suffixes {
		if short, ok := strings.CutSuffix(name, suffix); ok {
			name, suffixes = short, []string{suffix}
			break
		}
	}
	devices, reasons := device.List()
	devices = slices.DeleteFunc(devices, func(m device.Info) bool { return m.Name == "cpu" })
	switch {
	case name == "cpu":
		return found, nil, usagef("--device cpu: check compares a GPU with the CPU: name a GPU")
	case len(devices) == 0:
		reason := "no GPU"
		for backend, err := range reasons {
			reason = fmt.Sprintf("no %s: %v", backend, err)
		}
		return found, nil, usagef("there is no GPU to check (%s)", reason)
	case name == "" || name == "auto" || name == "cuda":
		return devices[0], suffixes, nil
	}
	i := slices.IndexFunc(devices, func(m device.Info) bool { return m.Name == name })
	if i >= 0 {
		return devices[i], suffixes, nil
	}
	dev, err := p.openDevice(name) // the error explains a wrong name
	if err != nil {
		return found, nil, err
	}
	dev.Close()
	return found, nil, usagef("--device %s: is not a GPU", name)
}

// compare fills in the largest difference of two gradients. NaN is the largest difference possible.
func (c *comparison) compare(got, want []model.Parameter) {
	for i, block := range want {
		size := math.SmallestNonzeroFloat64
		for _, v := range block.Data {
			size = max(size, math.Abs(v))
		}
		for k, v := range block.Data {
			d := min(math.Abs(got[i].Data[k]-v)/size, math.MaxFloat64)
			if math.IsNaN(d) {
				d = math.MaxFloat64
			}
			if c.At == "" || d > c.Difference {
				c.Difference, c.At = d, block.Name
			}
		}
	}
	c.Agrees = c.Difference <= c.Tolerance
}

// The sizes of the models that `check` compares.
const checkRows, checkInputs, checkInducing = 33, 3, 17

// checkedModels are small models that together use most operations: one of vectors, one of sequences and vectors, and
// one with W and Ω in closed form. In the last one, the upper layer takes moments and the lower one draws from them.
var checkedModels = []struct {
	what   string // the prefix of the names of its parameters
	config model.Config
}{
	{"", model.Config{
		Model: model.GPDRF, Inputs: checkInputs, Outputs: 1, Likelihood: model.GaussianLikelihood, Samples: 2,
		Latents: 3, Inducing: checkInducing, Kernel: "rbf+matern32", Lengthscales: model.ARD,
		QCov: model.Full, Whiten: true, LearnInducing: true,
		Layers: 2, Features: 9, Hidden: 3, Spectra: model.VarResampled + model.EachSample,
		LocalReparam: true, FeedForward: true,
	}},
	{"sequences: ", model.Config{
		Model: model.GPDRF, Inputs: checkInputs, Outputs: 1, Likelihood: model.GaussianLikelihood, Samples: 2,
		Latents: 3, Inducing: checkInducing, Maps: []string{model.MapRBF, model.MapLinear},
		Lengthscales: model.ARD, QCov: model.Full, Whiten: true,
		Layers: 1, Features: 9, Hidden: 3, Spectra: model.VarResampled + model.EachSample, LocalReparam: true,
	}},
	{"integrated: ", model.Config{
		Model: model.DRF, Inputs: checkInputs, Outputs: 1, Likelihood: model.GaussianLikelihood, Samples: 2,
		Layers: 2, Features: 9, Hidden: 3, Spectra: model.VarIntegrated, FeedForward: true,
	}},
}

// deviceGradient is the gradient of the checked models on one device. Rows and parameters are the same on all devices.
type deviceGradient struct {
	gradient  []model.Parameter
	precision string // the precision at which the device computed
	about     string // the description of the device
}

// gradient computes the gradient of the checked models on a device.
func (p *program) gradient(name, precision string) (x deviceGradient, err error) {
	dev, err := p.openDevice(name)
	if err != nil {
		return x, err
	}
	x.precision = p.setPrecision(dev, precision)
	x.about = dev.About()
	defer func() { err = errors.Join(err, dev.Close()) }()
	for _, c := range checkedModels {
		blocks, err := gradientOf(dev, c.config)
		if err != nil {
			return x, fmt.Errorf("%s: %w", name, err)
		}
		for _, b := range blocks {
			b.Name = c.what + b.Name
			x.gradient = append(x.gradient, b)
		}
	}
	return x, nil
}

// gradientOf returns the gradient of one model. Its parameters are moved away from their initial values, at which some
// gradients are zero.
func gradientOf(dev device.Device, c model.Config) ([]model.Parameter, error) {
	m, err := model.New(dev, c)
	if err != nil {
		return nil, err
	}
	m.Init(model.Init{Seed: 1, InducingPoints: wave(checkInducing*checkInputs, 1.7),
		Sigma: []float64{0.8}, GPLengthscaleFactor: 1, DRFLengthscaleFactor: 1, NoiseVariance: 0.1})
	parameters := m.Export()
	for _, block := range parameters {
		for i, move := range wave(len(block.Data), 2.3) {
			block.Data[i] += 0.05 * move
		}
	}
	if err := m.Import(parameters); err != nil {
		return nil, err
	}
	x := wave(checkRows*checkInputs, 0.9)
	rows := model.HostRows{N: checkRows, X: func(lo, hi int) []float64 { return x[lo*checkInputs : hi*checkInputs] }}
	if c.Maps != nil {
		r := rand.New(rand.NewPCG(1, 2))
		own := workload.NewSequences(r, checkInducing, 40, 12)
		m.SetInducing(own.SelfDistances(len(c.Maps)))
		rows.Features = workload.NewSequences(r, checkRows, 40, 12).Vectors(own, len(c.Maps))
	}
	set := m.UploadRows(rows, wave(checkRows, 0.4), nil)
	batch := make([]int32, checkRows)
	for i := range batch {
		batch[i] = int32(i)
	}
	pass := m.NewWorkspace(2, checkRows)
	dev.UploadInts(pass.Rows(), batch)
	m.Gradient(pass, set, model.GradientArgs{Seed: 1, Step: device.StepNumber{N: 1}, KLWeight: device.Scalar{Value: 1}})
	if _, err := m.ReadELBO(1); err != nil {
		return nil, err
	}
	flat := make([]float64, m.Params().Len())
	dev.Download(flat, m.Params().Grad)
	for i, block := range parameters {
		parameters[i].Data, flat = flat[:len(block.Data)], flat[len(block.Data):]
	}
	return parameters, nil
}

// wave returns n numbers that do not repeat.
func wave(n int, frequency float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(frequency * float64(i+1))
	}
	return x
}
