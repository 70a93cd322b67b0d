package train

import (
	"cmp"
	"context"
	"math"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/exactgp"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Where length-scales and noise start that neither a user nor the rows decide.
const (
	gpFactorElse = 0.4
	drfFactor    = 0.5
	noiseElse    = 0.1
)

// startRows is the number of training rows that decide; the others bound their choice: a longer
// length-scale has next to no slope, and noise above the variance leaves no signal.
const (
	startRows     = 256
	longestFactor = 2 // of √D, as factors are
	mostNoise     = 1
)

func gpFactor(c *options.Config) float64 { return cmp.Or(c.GPLengthscaleFactor, gpFactorElse) }

// startValues decides where length-scales and noise start, by an exact GP on a few training rows,
// unless the options do. An optimiser does not find the length-scale of a target that oscillates
// from a longer one. And where rows are noisy, an unfinished run that starts with little noise is
// too sure.
// Rows count alike here, whatever their weights.
func (r *run) startValues(ctx context.Context) {
	c, ds := r.job.Config, r.job.Train
	factor := c.GPLengthscaleFactor
	if c.Model == model.DRF {
		factor = c.DRFLengthscaleFactor
	}
	counts := model.Counts(c.Likelihood) // whose noise is no parameter
	lengths, noise := factor == 0, c.NoiseInit == 0 && ds.Task == data.Regression && !counts
	if ds.X == nil || ds.Sequences != nil || ds.Kernel != nil || !lengths && !noise {
		return
	}
	sample, _ := ds.Sample(startRows, c.Seed)
	y, outputs := r.startTargets(sample)
	if outputs == 0 { // rows of one class
		return
	}
	fit := exactgp.Maximise(ctx, exactgp.Rows{N: sample.N(), D: sample.D(), C: outputs,
		X: r.trained.Numbers(sample)(0, sample.N()), Y: y})
	if lengths {
		for d, l := range fit.Lengths {
			fit.Lengths[d] = min(l, longestFactor*math.Sqrt(float64(sample.D())))
		}
		r.init.Lengths = fit.Lengths
	}
	if noise {
		r.init.NoiseVariance = min(max(fit.Noise, noiseElse), mostNoise)
	}
}

// standardLogs are log(y + ½) of counts [N,C] with mean 0 and variance 1.
func standardLogs(y []float64, targets int) []float64 {
	logs := make([]float64, len(y))
	for c := range targets {
		n, sum, squares := float64(len(y)/targets), 0.0, 0.0
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

// startTargets are the targets of rows as an exact GP takes them: numbers as the model reads them, logarithms
// of counts, or a column for each class that some rows have, with mean 0 and variance 1.
func (r *run) startTargets(ds *data.Dataset) (y []float64, outputs int) {
	if c := len(r.trained.Targets); ds.Task == data.Regression {
		if model.Counts(r.job.Config.Likelihood) {
			return standardLogs(ds.Y, c), c
		}
		return data.Standardise(ds.Y, r.trained.Targets), c
	}
	var some []int32
	n, rows := ds.N(), ds.ClassCounts()
	for k, of := range rows {
		if of > 0 && of < n {
			some = append(some, int32(k))
		}
	}
	y = make([]float64, n*len(some))
	for c, k := range some {
		share := float64(rows[k]) / float64(n)
		sd := math.Sqrt(share * (1 - share))
		for i, label := range ds.Labels {
			y[i*len(some)+c] = -share / sd
			if label == k {
				y[i*len(some)+c] = (1 - share) / sd
			}
		}
	}
	return y, len(some)
}
