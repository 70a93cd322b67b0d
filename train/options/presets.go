package options

import (
	"slices"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// Best is the preset whose other options are chosen by a search.
const Best = "best"

// Defaults returns the options before any preset, file or flag, and those of preset default. They train well in little
// time.
func Defaults() Config {
	return Config{
		Data: "powerplant", Fold: 1, Task: Auto,
		TableOptions: data.TableOptions{Missing: data.MissingError, Dates: Auto,
			Dialect: data.Dialect{Separator: Auto, Decimal: Auto, Thousands: Auto, Header: Auto}},
		Tokens: data.TokensAuto, Codebook: 64, Scaling: Auto, Targets: scaling.AutoTargets,
		Columns: Auto,
		Config: model.Config{
			Model: "gpdrf", Likelihood: Auto, Samples: 1,
			Inducing: 200, LearnInducing: true, Whiten: true, QCov: "diagonal", Lengthscales: Auto, Latents: 8,
			Layers: 1, Features: 100, Hidden: 8, FeatureKernel: "rbf", Spectra: model.VarIntegrated,
			WCov: Auto, LocalReparam: true, FeedForward: true, Skip: true,
		},
		KernelSpec: Auto, InducingInit: Auto, Projection: 256,
		Objective: Auto, ClassWeights: "none", DoF: 4, LearnDoF: true, KLWeight: 1,
		Steps: 15000, Batch: 256, LR: 0.02, Warmup: 100, Decay: Cosine, KLWarmup: 0.5,
		AdamBeta1: 0.9, AdamBeta2: 0.999, AdamEps: 1e-8,
		Preset: "default", Device: Auto, Precision: "highest", Seed: 1, Ensemble: 1,
		CheckpointEvery: "1m", Restore: RestoreBest, EvalSamples: 100, Level: 0.9,
		explicit: map[string]string{},
	}
}

// removedPreset is a preset of version 0.2.0 that became a config file of examples.
const removedPreset = "cutajar"

// withoutRemovedPreset replaces removedPreset by the default if the file gives the options of that preset, as the
// config.yaml of a run does.
func withoutRemovedPreset(file []Setting) []Setting {
	given := func(key, text string) int {
		return slices.IndexFunc(file, func(s Setting) bool { return s.Key == key && (text == "" || s.Text == text) })
	}
	if i := given("preset", removedPreset); i >= 0 && given("freeze-kernel", "") >= 0 {
		file = slices.Clone(file)
		file[i].Text = Defaults().Preset
	}
	return file
}

// ForOpeningOldRun replaces values of options that this version does not have, in the options of a run that has ended:
// no prediction depends on them.
func ForOpeningOldRun(file []Setting) []Setting {
	file = slices.Clone(file)
	for i, s := range file {
		if s.Key == "inducing-init" && s.Text == "greedy" {
			file[i].Text = Auto
		}
	}
	return file
}

// ForResume returns the Config of a resumed run. ResolveFor has resolved its options. In a run of version 0.2.0, newer
// options are open, and get the only value that they had then.
func (c Config) ForResume() Config {
	if c.Objective == Auto {
		c.Objective = ELBO
	}
	if c.WCov == Auto {
		c.WCov = model.Diagonal
	}
	if !c.Explicit("temperature") {
		c.Temperature = 1
	}
	return c
}

// checkPreset refuses a preset that has become a config file, and names the file.
func checkPreset(text string) (wrong string) {
	if text == removedPreset {
		return "is a config file now: give " + usererror.Flag("config") + " examples/cutajar.yaml"
	}
	return ""
}

// presetSettings returns the changes of a preset to the defaults.
func presetSettings(name string) []Setting {
	if name != "paper" {
		return nil
	}
	// The section Implementation Details gives Adam's rate, the L2 penalty, the batch of one, the epochs, M and the
	// samples. The paper leaves out J, the width, R and L: they are ours.
	pairs := [][2]string{
		{"lr", "1e-5"}, {"l2", "5e-4"}, {"batch", "1"}, {"epochs", "1000"},
		{"warmup", "0"}, {"decay", "none"}, {"kl-warmup", "0"},
		{"inducing", "200"}, {"inducing-init", "kmeans"}, {"learn-inducing", "false"},
		{"objective", ELBO}, {"w-cov", model.Diagonal},
		{"whiten", "false"}, {"q-cov", "full"}, {"lengthscales", "ard"}, {"latents", "10"},
		{"layers", "1"}, {"features", "100"}, {"hidden", "10"}, {"feed-forward", "false"}, {"skip", "false"},
		{"spectra", "var-resampled-each"},
		{"local-reparam", "false"}, {"samples", "100"}, {"eval-samples", "100"},
		{"gp-lengthscale-factor", "1"}, {"drf-lengthscale-factor", "1"}, {"noise-init", "0.1"},
	}
	settings := make([]Setting, len(pairs))
	for i, p := range pairs {
		settings[i] = Setting{p[0], p[1], "preset " + name}
	}
	return settings
}
