package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
	"github.com/gpdrf/gpdrf-gpu/model"
)

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
	x.precision, x.about = p.setPrecision(dev, precision), about(dev, "")
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

// gradientOf returns the gradient of one model. Its parameters are moved away from their initial values, at which
// some gradients are zero.
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
		m.SetInducing(own.Own(len(c.Maps)))
		rows.Features = workload.NewSequences(r, checkRows, 40, 12).Vectors(own, len(c.Maps))
	}
	set := m.UploadRows(rows, wave(checkRows, 0.4), nil)
	batch := make([]int32, checkRows)
	for i := range batch {
		batch[i] = int32(i)
	}
	pass := m.NewPass(2, checkRows)
	dev.UploadInts(pass.Rows(), batch)
	m.Gradient(pass, set, model.GradientArgs{Seed: 1, Step: device.Count{N: 1}, KLWeight: device.Scalar{Value: 1}})
	if _, err := m.Report(1); err != nil {
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
