package gpdrf

// ModelKind names the layers of a model: Options.Model.
type ModelKind string

// The kinds of models.
const (
	ModelGPDRF ModelKind = "gpdrf" // a GP layer, followed by random-feature layers
	ModelGP    ModelKind = "gp"    // the GP layer alone: a sparse variational Gaussian process
	ModelDRF   ModelKind = "drf"   // the random-feature layers alone
)

// Preset names the values of the options that are not set: Options.Preset.
type Preset string

// The presets.
const (
	PresetDefault Preset = "default" // trains well in little time
	PresetBest    Preset = "best"    // searches models within Options.TimeLimit, and stacks them
	PresetPaper   Preset = "paper"   // the settings of the paper
)

// Likelihood names the density p(y | f) of a target y, given the outputs f of the model: Options.Likelihood.
type Likelihood string

// The likelihoods of numbers, of counts, and of classes. The model learns σ, r and the cut points b.
const (
	LikelihoodGaussian        Likelihood = "gaussian"        // N(y; f, σ²)
	LikelihoodStudentT        Likelihood = "student-t"       // Student's t around f with scale σ, for outliers
	LikelihoodHeteroscedastic Likelihood = "heteroscedastic" // N(y; f₁, exp f₂): the noise varies between rows
	LikelihoodLogNormal       Likelihood = "lognormal"       // N(log y; f, σ²), for numbers above 0

	LikelihoodPoisson          Likelihood = "poisson"           // rate exp f, which is the variance, too
	LikelihoodNegativeBinomial Likelihood = "negative-binomial" // mean μ = exp f and variance μ + μ²/r

	LikelihoodSoftmax   Likelihood = "softmax"   // p(c) ∝ exp f_c
	LikelihoodBernoulli Likelihood = "bernoulli" // two classes by one output
	LikelihoodOrdinal   Likelihood = "ordinal"   // ordered classes by one output and cut points b
)

// Objective names the function that training maximises: Options.Objective.
type Objective string

// The objectives, with the weight Options.KLWeight of the KL terms.
const (
	ObjectiveAuto       Objective = "auto"       // held-out rows choose it, with the weight
	ObjectiveELBO       Objective = "elbo"       // Σ_n E_q log p(y_n | f_n) − KL, the evidence lower bound
	ObjectivePredictive Objective = "predictive" // Σ_n log E_q p(y_n | f_n) − KL, which is no bound
)

// Acquisition names the function by which Model.Suggest chooses rows: SuggestOptions.Acquisition.
type Acquisition string

// The acquisition functions: three for a large target, or a small one, and two for a better model.
const (
	AcquisitionEI       Acquisition = "ei"       // expected improvement on the best row so far, in units of the target
	AcquisitionUCB      Acquisition = "ucb"      // mean + 2 standard deviations of the function
	AcquisitionThompson Acquisition = "thompson" // the best row of a function that is drawn, one function a row
	AcquisitionVariance Acquisition = "variance" // variance of the function; for classes, entropy in nats
	AcquisitionBALD     Acquisition = "bald"     // information of the measurement about the function, in nats
)
