package main

import (
	"fmt"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/workload"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// fewDoubles suggests one kernel for all latent functions where a device has few units for doubles
// and each function has length-scales of its own; "" is no suggestion.
func fewDoubles(dev device.Device, cfg *options.Config, rows *data.Dataset) string {
	if cfg.Lengthscales != model.ARD || cfg.Latents < 2 || !device.FewDoubles(dev) {
		return ""
	}
	why := dev.Name() + " has few units for doubles, in which the GP layer computes: "
	peak := workload.PeakOf(aboutDevice(dev.Name()))
	if _, maps := cfg.Kernels(); peak == nil || maps != nil || rows.Sequences != nil || rows.Kernel != nil {
		return why + fmt.Sprintf("--set lengthscales=shared takes about 1/%d of that work", cfg.Latents)
	}
	own, shared, err := leastDoubles(peak, layerOf(cfg, rows), min(cfg.Batch, rows.N()))
	if err != nil || own < time.Millisecond {
		return "" // the training refuses the model, or launches take longer
	}
	return why + leastText(own, shared)
}

func leastText(own, shared time.Duration) string {
	return fmt.Sprintf("by its data sheet %.2g ms of a step or more, with --set lengthscales=shared %.2g ms",
		own.Seconds()*1e3, shared.Seconds()*1e3)
}

// layerOf is the GP layer of a model of vectors, as a model of its own.
func layerOf(cfg *options.Config, rows *data.Dataset) model.Config {
	c := model.Config{Model: model.GP, Inputs: rows.D(), Outputs: cfg.Latents, Likelihood: model.GaussianLikelihood,
		Latents: cfg.Latents, Inducing: min(cfg.Inducing, rows.N()), Kernel: cfg.Kernel, QCov: cfg.QCov,
		Whiten: cfg.Whiten, LearnInducing: cfg.LearnInducing, Samples: cfg.Samples}
	if shapes, _ := cfg.Kernels(); shapes == nil {
		c.Kernel = model.Kernels()[0]
	}
	return c
}

// leastDoubles are the least times of a step of a GP layer at a GPU's peak: with length-scales of
// its own for each latent function, and with shared ones.
func leastDoubles(peak *workload.Peak, c model.Config, batch int) (own, shared time.Duration, err error) {
	c.Lengthscales = model.ARD
	cost, err := workload.CostOfGP(c, batch)
	if err != nil {
		return 0, 0, err
	}
	own, _ = peak.Floor(cost, "f32")
	c.Lengthscales = model.Shared
	cost, err = workload.CostOfGP(c, batch)
	shared, _ = peak.Floor(cost, "f32")
	return own, shared, err
}
