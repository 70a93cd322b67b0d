package model

import "github.com/gpdrf/gpdrf-gpu/device"

// Steps of training count from 1. Step 0 is the frozen draw of PRIOR-FIXED and VAR-FIXED, and the last step number
// stands for prediction.
const (
	frozenStep  = 0
	predictStep = 1<<32 - 1
)

// draw is the purpose of a draw of standard normals.
type draw struct {
	seed   uint64
	step   device.StepNumber
	sample uint32 // number of the first Monte-Carlo sample of the pass
}

func (d draw) predicting() bool { return d.step.N == predictStep }

func (d draw) key(site device.Site, layer int, frozen bool) device.Key {
	step := d.step
	if frozen {
		step = device.StepNumber{N: frozenStep}
	}
	return device.Key{Seed: d.seed, Step: step, Sample: d.sample, Site: site, Layer: uint8(layer)}
}

// freezesAll reports whether Ω is treated as in the paper's VAR-FIXED: e, τ and ε are sampled once and fixed throughout
// the optimisation.
func (c *Config) freezesAll() bool {
	return c.hasDRF() && c.treatment().AllNoise
}

// latents returns the key of ε in reparam_F. Rows to predict were never drawn in training, so that a prediction always
// has new draws.
func (c *Config) latents(d draw) device.Key {
	return stratified(d.key(device.SiteLatents, 0, c.freezesAll() && !d.predicting()))
}

// predictStrata is the number of samples of a prediction in one Latin hypercube. Rows share their noise, so that the
// mean of the noise shifts all scores by the same amount. With 100 independent samples it is a tenth of the noise's
// standard deviation, with ten hypercubes a fiftieth.
const predictStrata = 10

// stratified makes the samples of a prediction points of Latin hypercubes. The samples of training are independent.
func stratified(k device.Key) device.Key {
	if k.Step.N == predictStep {
		k.Strata = predictStrata
	}
	return k
}

// features returns the noise of DRF layer l. If variables are frozen, q was fitted to the S draws of training alone. So
// sample s of a prediction uses draw s mod S again.
func (c *Config) features(d draw, layer int) device.FeatureNoise {
	n := device.FeatureNoise{Local: c.LocalReparam}
	t := c.treatment()
	frozenSpectra := t.Name != VarResampled
	n.Frequencies = stratified(d.key(device.SiteFrequencies, layer, frozenSpectra))
	switch {
	case !t.EachSample && (frozenSpectra || !d.predicting()):
		n.FrequencyDraws = 1
	case frozenSpectra:
		n.FrequencyDraws = c.Samples
	}
	frozenWeights := c.freezesAll() && (!c.LocalReparam || !d.predicting())
	n.Weights = stratified(d.key(device.SiteWeights, layer, frozenWeights))
	if frozenWeights && !c.LocalReparam {
		n.WeightDraws = c.Samples
	}
	return n
}
