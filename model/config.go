package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// The three models.
const (
	GPDRF = "gpdrf" // GP layer, then DRF layers
	GP    = "gp"    // the first layer alone: one latent function per output (SVGP)
	DRF   = "drf"   // the random-feature layers on the input
)

// How the latent functions share their length-scales.
const (
	ARD       = "ard"       // a length-scale ℓ_jd for each latent function and dimension
	Isotropic = "isotropic" // a length-scale ℓ_j for each latent function
	Shared    = "shared"    // a length-scale ℓ_d for each dimension, for all latent functions
	Common    = "common"    // one length-scale ℓ for all
)

// Forms of the covariance of q(F̄).
const (
	Full     = "full"     // the paper's Σ_j
	Diagonal = "diagonal" // a diagonal in the coordinates of q(F̄), whitened or not
)

// The treatments of Ω: three of the paper (section "Variational Inference"), and one without draws of Ω.
const (
	PriorFixed   = "prior-fixed"   // Ω⁽ˢ⁾ = τ⁽ˢ⁾/ℓ with frozen τ, no q(Ω)
	VarFixed     = "var-fixed"     // q(Ω), standard normals drawn once: no bound
	VarResampled = "var-resampled" // q(Ω), standard normals drawn at every step
	// q(Ω) and q(W) in closed form: a layer gives the output's mean and variance
	VarIntegrated = "var-integrated"
)

// Suffixes of the names of treatments that draw Ω, in this order: see SpectraTreatment.
const (
	AllNoise   = "-all"
	EachSample = "-each"
)

// SpectraTreatments returns the treatments of Ω, with the suffixes that their names may have.
func SpectraTreatments() []string {
	return []string{
		VarIntegrated, PriorFixed, PriorFixed + EachSample,
		VarFixed, VarFixed + EachSample, VarFixed + AllNoise, VarFixed + AllNoise + EachSample,
		VarResampled, VarResampled + EachSample,
	}
}

// SpectraTreatment is a treatment of Ω. Files and options write it as one of SpectraTreatments.
type SpectraTreatment struct {
	Name       string // PriorFixed, VarFixed, VarResampled or VarIntegrated
	AllNoise   bool   // VarFixed draws e and ε once, too, as in the paper; otherwise τ alone
	EachSample bool   // each sample of a step has its own draw of Ω; otherwise all samples share one
}

// ParseSpectraTreatment reads one of SpectraTreatments.
func ParseSpectraTreatment(spectra string) (t SpectraTreatment) {
	spectra, t.EachSample = strings.CutSuffix(spectra, EachSample)
	t.Name, t.AllNoise = strings.CutSuffix(spectra, AllNoise)
	return t
}

// Likelihoods.
const (
	GaussianLikelihood        = "gaussian"        // noise of one variance for all rows
	StudentLikelihood         = "student-t"       // noise with heavy tails
	HeteroscedasticLikelihood = "heteroscedastic" // noise with a variance for each row, by further outputs
	SoftmaxLikelihood         = "softmax"         // classes
	BernoulliLikelihood       = "bernoulli"       // two classes by one output
	// counts by their log rate: the variance equals the mean, or grows with the square of the mean
	PoissonLikelihood          = "poisson"
	NegativeBinomialLikelihood = "negative-binomial"
	OrdinalLikelihood          = "ordinal" // levels in order, by one output and cut points
)

// Kernels between sequences under one feature map.
const (
	MapRBF    = "rbf"    // exp(−d²/2σ²) of the distance d of the feature vectors
	MapLinear = "linear" // inner product of the feature vectors, 1 − d²/2
)

// Config fixes a model's architecture and the meaning of its parameters. It is stored with the parameters; optimisation
// settings are not part of it.
type Config struct {
	Model  string `json:"model"`
	Inputs int    `json:"inputs"` // D; 0 where rows are sequences alone
	// number C of inputs of the likelihood: 1 for regression, otherwise the number of classes; see Targets
	Outputs    int    `json:"outputs"`
	Likelihood string `json:"likelihood"`
	// number K of levels of an ordinal likelihood; 0 for other likelihoods
	Levels int `json:"levels,omitempty"`

	// a learned constant for each output of a classifier
	ClassOffsets bool `json:"class_offsets,omitempty"`

	// temperature T of predictions, fitted to rows that training has not seen: see Prediction.Tempered; 0 is 1
	Temperature float64 `json:"temperature,omitempty"`

	// one of Kernels, or two with a + between them; "" is rbf
	Kernel        string `json:"kernel,omitempty"`
	Latents       int    `json:"latents,omitempty"`  // J; C for GP
	Inducing      int    `json:"inducing,omitempty"` // M
	Lengthscales  string `json:"lengthscales,omitempty"`
	QCov          string `json:"q_cov,omitempty"`
	Whiten        bool   `json:"whiten"`
	LearnInducing bool   `json:"learn_inducing"`

	// Maps are the kernels between sequences, MapRBF or MapLinear for each of I feature maps. It is empty if rows are
	// vectors alone.
	Maps []string `json:"maps,omitempty"`

	Layers        int    `json:"layers,omitempty"`          // L
	Features      int    `json:"features,omitempty"`        // R
	Hidden        int    `json:"hidden,omitempty"`          // d, the width between DRF layers
	FeatureKernel string `json:"features_kernel,omitempty"` // one of FeatureKernels; "" is rbf
	Spectra       string `json:"spectra,omitempty"`         // one of SpectraTreatments
	// WCov is the covariance of q(W) of the last layer, Full or Diagonal; "" is diagonal
	WCov         string `json:"w_cov,omitempty"`
	LocalReparam bool   `json:"local_reparam"`
	FeedForward  bool   `json:"feed_forward"`
	Skip         bool   `json:"skip"`

	// Samples is S in training. If noise is frozen, it is also the number of frozen draws that a prediction uses again.
	Samples int `json:"samples"`
}

// OutputsFor returns the number of outputs that a likelihood needs for a number of targets, or classes.
func OutputsFor(likelihood string, targets int) int {
	switch likelihood {
	case HeteroscedasticLikelihood:
		return 2 * targets // means, then log-variances
	case BernoulliLikelihood, OrdinalLikelihood:
		return 1
	}
	return targets
}

// IsCountLikelihood reports whether targets are counts, whose log rates are the outputs.
func IsCountLikelihood(likelihood string) bool {
	return likelihood == PoissonLikelihood || likelihood == NegativeBinomialLikelihood
}

// classifies reports whether targets are labels.
func (c *Config) classifies() bool { return c.hasLogits() || c.Likelihood == OrdinalLikelihood }

// hasLogits reports whether outputs are logits of classes.
func (c *Config) hasLogits() bool {
	return c.Likelihood == SoftmaxLikelihood || c.Likelihood == BernoulliLikelihood
}

// takesMoments reports whether the likelihood has a closed form over the moments of the outputs, and the model gives
// them.
func (c *Config) takesMoments() bool {
	return (c.Likelihood == GaussianLikelihood || c.Likelihood == PoissonLikelihood) &&
		(c.Model == GP || c.integrates())
}

// targets returns the count of numbers in the target of a row, if it has numbers.
func (c *Config) targets() int {
	if c.Likelihood == HeteroscedasticLikelihood {
		return c.Outputs / 2
	}
	return c.Outputs
}

func (c *Config) hasGP() bool  { return c.Model != DRF }
func (c *Config) hasDRF() bool { return c.Model != GP }

// treatment returns the treatment of Ω.
func (c *Config) treatment() SpectraTreatment { return ParseSpectraTreatment(c.Spectra) }

// integrates reports whether W and Ω are integrated in closed form.
func (c *Config) integrates() bool { return c.hasDRF() && c.Spectra == VarIntegrated }

// Components returns the count of numbers that a prediction of some samples holds for each output of a row: a mean and,
// if the likelihood takes moments, a variance. They are of each sample, or of the one Gaussian that is the prediction.
func (c *Config) Components(samples int) int {
	switch {
	case c.Likelihood == OrdinalLikelihood:
		return samples * c.Levels
	case c.Likelihood == BernoulliLikelihood:
		return 2 * samples // logits of both classes, of one output
	case !c.takesMoments():
		return samples
	}
	if c.hasFixedMoments() {
		samples = 1
	}
	if c.Likelihood == PoissonLikelihood {
		return samples * max(2, gaussHermiteNodes(samples))
	}
	return 2 * samples
}

// hasFixedMoments reports whether the moments of the last layer's outputs do not depend on draws.
func (c *Config) hasFixedMoments() bool {
	return c.Model == GP || c.integrates() && c.Model == DRF && c.Layers == 1
}

// Width returns the count of numbers of a row that the model reads: D, and after them the squared distances to X̄ under
// each map, I·M.
func (c *Config) Width() int { return c.Inputs + c.distances() }

// distances returns I·M.
func (c *Config) distances() int { return len(c.Maps) * c.Inducing }

// kernels returns K, the number of distinct correlation kernels.
func (c *Config) kernels() int {
	if c.Lengthscales == Shared || c.Lengthscales == Common {
		return 1
	}
	return c.Latents
}

const (
	huge      = 1 << 24 // larger than any real model; keeps products of two sizes within an int
	maxMaps   = device.MaxMaps
	maxLayers = 255 // largest number of a layer, which is a byte of the keys of its noise

	// bounds of Temperature, whose square multiplies variances
	minTemperature, maxTemperature = 1e-3, 1e3
)

// checkInputs returns the first error in the inputs.
func (c *Config) checkInputs() error {
	switch {
	case c.Inputs < 0 || c.Inputs > huge || c.Inputs == 0 && len(c.Maps) == 0:
		return fmt.Errorf("model: inputs is %d: expected 1 to %d", c.Inputs, huge)
	case len(c.Maps) == 0:
		return nil
	case !c.hasGP() || len(c.Maps) > maxMaps:
		return fmt.Errorf("model: %d kernels between sequences in a model %s: expected at most %d, in a "+
			"GP layer", len(c.Maps), c.Model, maxMaps)
	case c.LearnInducing:
		return fmt.Errorf("model: sequences cannot learn as inducing points")
	}
	for _, m := range c.Maps {
		if err := oneOf("a kernel between sequences", m, MapRBF, MapLinear); err != nil {
			return err
		}
	}
	if kernels, _ := c.vectorKernels(); len(kernels) > 1 {
		return fmt.Errorf("model: kernel is %q: beside sequences, vectors have one of %s", c.Kernel,
			strings.Join(Kernels(), ", "))
	}
	return nil
}

// oneOf returns an error unless a setting has one of the allowed values.
func oneOf(what, v string, allowed ...string) error {
	if slices.Contains(allowed, v) {
		return nil
	}
	return fmt.Errorf("model: %s is %q: expected one of %s", what, v, strings.Join(allowed, ", "))
}

// positive returns an error unless a size is from 1 to most.
func positive(what string, v, most int) error {
	if v >= 1 && v <= most {
		return nil
	}
	return fmt.Errorf("model: %s is %d: expected 1 to %d", what, v, most)
}

// MaxLevels is the largest number of levels of an ordinal likelihood. MaxSamples is the largest number of samples that
// a device.Key tells apart.
const (
	MaxLevels  = 1 << 10
	MaxSamples = 1<<16 - 1
)

// Validate returns the first error in a configuration, such as one read from a file.
func (c *Config) Validate() error {
	err := cmp.Or(
		oneOf("model", c.Model, GPDRF, GP, DRF),
		oneOf("likelihood", c.Likelihood, GaussianLikelihood, StudentLikelihood,
			HeteroscedasticLikelihood, SoftmaxLikelihood, BernoulliLikelihood, PoissonLikelihood,
			NegativeBinomialLikelihood, OrdinalLikelihood),
		c.checkInputs(), positive("outputs", c.Outputs, huge), positive("samples", c.Samples, huge),
	)
	switch {
	case err != nil:
		return err
	case c.Likelihood == HeteroscedasticLikelihood && c.Outputs%2 != 0,
		c.classifies() && c.Likelihood != SoftmaxLikelihood && c.Outputs != 1:
		return fmt.Errorf("model: a %s likelihood with %d outputs", c.Likelihood, c.Outputs)
	case c.Likelihood == OrdinalLikelihood && (c.Levels < 2 || c.Levels > MaxLevels),
		c.Likelihood != OrdinalLikelihood && c.Levels != 0:
		return fmt.Errorf("model: a %s likelihood with %d levels", c.Likelihood, c.Levels)
	case c.ClassOffsets && !c.hasLogits():
		return fmt.Errorf("model: offsets of classes with a %s likelihood", c.Likelihood)
	case c.Temperature != 0 && !(c.Temperature >= minTemperature && c.Temperature <= maxTemperature):
		return fmt.Errorf("model: temperature is %g: expected 0, or %g to %g", c.Temperature,
			float64(minTemperature), float64(maxTemperature))
	}
	if err := cmp.Or(c.checkGP(), c.checkDRF()); err != nil {
		return err
	}
	if c.Skip && (c.Model != GPDRF || c.Latents < c.Outputs) {
		return fmt.Errorf("model: skip needs a gpdrf model with at least as many latents (%d) as outputs (%d)",
			c.Latents, c.Outputs)
	}
	return nil
}

// checkGP returns the first error in the settings of the GP layer.
func (c *Config) checkGP() error {
	if !c.hasGP() {
		return nil
	}
	_, kernels := c.vectorKernels()
	err := cmp.Or(oneOf("lengthscales", c.Lengthscales, ARD, Isotropic, Shared, Common),
		oneOf("q_cov", c.QCov, Full, Diagonal), positive("latents", c.Latents, huge),
		positive("inducing", c.Inducing, huge), kernels)
	if err != nil {
		return err
	}
	if c.Model == GP && c.Latents != c.Outputs {
		return fmt.Errorf("model: gp has %d latent functions for %d outputs", c.Latents, c.Outputs)
	}
	return nil
}

// checkDRF returns the first error in the settings of the DRF layers.
func (c *Config) checkDRF() error {
	if !c.hasDRF() {
		return nil
	}
	err := cmp.Or(oneOf("features_kernel", cmp.Or(c.FeatureKernel, "rbf"), FeatureKernels()...),
		oneOf("spectra", c.Spectra, SpectraTreatments()...),
		oneOf("w_cov", cmp.Or(c.WCov, Diagonal), Full, Diagonal), positive("layers", c.Layers, maxLayers),
		positive("features", c.Features, huge), positive("hidden", c.Hidden, huge))
	switch {
	case err != nil:
		return err
	case c.WCov == Full && c.Spectra != VarIntegrated:
		return fmt.Errorf("model: w_cov %s with spectra %s: expected %s", Full, c.Spectra, VarIntegrated)
	case c.Spectra == VarIntegrated && c.activation() != device.Fourier:
		return fmt.Errorf("model: spectra %s with features of %s: only cosines and sines are integrated",
			VarIntegrated, c.FeatureKernel)
	}
	return nil
}
