package train

import (
	"cmp"
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/exactgp"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// The initial factors of length-scales and the initial noise, if neither a user nor the rows decide.
const (
	gpFactorDefault  = 0.4
	drfFactorDefault = 0.5
	noiseDefault     = 0.1
)

// The initial values that rows decide. A longer length-scale has next to no slope, and noise above the variance leaves
// no signal.
const (
	startRows     = 256 // number of training rows that decide
	longestFactor = 2   // longest length-scale, in √D
	maxNoise      = 1   // largest noise variance
)

func gpFactor(c options.Config) float64 { return cmp.Or(c.GPLengthscaleFactor, gpFactorDefault) }

// startValues sets the initial length-scales and noise by an exact GP on a few training rows, unless the options do. An
// optimiser does not find the length-scale of a target that oscillates from a longer one. And if rows are noisy, an
// unfinished run that starts with little noise is too sure. The weights of rows do not count here.
func (r *run) startValues(ctx context.Context) {
	c, ds := r.config, r.train
	factor := c.GPLengthscaleFactor
	if c.Model == model.DRF {
		factor = c.DRFLengthscaleFactor
	}
	counts := model.IsCountLikelihood(c.Likelihood) // the noise of counts is no parameter
	lengths, noise := factor == 0, c.NoiseInit == 0 && ds.Task == data.Regression && !counts
	if !isTable(ds) || !lengths && !noise {
		return
	}
	sample, _ := ds.Sample(startRows, c.Seed)
	y, outputs := r.startTargets(sample)
	if outputs == 0 { // all rows have one class
		return
	}
	fit := exactgp.Maximise(ctx, exactgp.Rows{N: sample.N(), D: sample.D(), T: outputs,
		X: r.trained.ScaledColumns(sample)(0, sample.N()), Y: y})
	if lengths {
		for d, l := range fit.LengthScales {
			fit.LengthScales[d] = min(l, longestFactor*math.Sqrt(float64(sample.D())))
		}
		r.init.LengthScales = fit.LengthScales
	}
	if noise {
		r.init.NoiseVariance = min(max(fit.Noise, noiseDefault), maxNoise)
	}
}

// standardLogs returns log(y + ½) of counts [N,C] with mean 0 and variance 1.
func standardLogs(y []float64, targets int) []float64 {
	logs := make([]float64, len(y))
	for c := range targets {
		n := float64(len(y) / targets)
		sum, squares := 0.0, 0.0
		for i := c; i < len(y); i += targets {
			logs[i] = math.Log(y[i] + 0.5)
			sum += logs[i]
			squares += logs[i] * logs[i]
		}
		mean := sum / n
		sd := math.Sqrt(max(squares/n-mean*mean, 1e-12))
		for i := c; i < len(y); i += targets {
			logs[i] = (logs[i] - mean) / sd
		}
	}
	return logs
}

// startTargets returns the targets of rows for an exact GP, with mean 0 and variance 1: scaled numbers, logarithms of
// counts, or a column for each class that some rows have and others do not.
func (r *run) startTargets(ds *data.Dataset) (y []float64, outputs int) {
	if c := len(r.trained.Targets); ds.Task == data.Regression {
		if model.IsCountLikelihood(r.config.Likelihood) {
			return standardLogs(ds.Y, c), c
		}
		return scaling.Standardise(ds.Y, r.trained.Targets), c
	}
	var classes []int32
	n, counts := ds.N(), ds.ClassCounts()
	for k, count := range counts {
		if count > 0 && count < n {
			classes = append(classes, int32(k))
		}
	}
	y = make([]float64, n*len(classes))
	for c, k := range classes {
		share := float64(counts[k]) / float64(n)
		sd := math.Sqrt(share * (1 - share))
		for i, label := range ds.Labels {
			y[i*len(classes)+c] = -share / sd
			if label == k {
				y[i*len(classes)+c] = (1 - share) / sd
			}
		}
	}
	return y, len(classes)
}
