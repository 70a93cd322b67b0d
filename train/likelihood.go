package train

import (
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// likelihoods are those of a task; the first is what auto means.
func likelihoods(task data.Task) []string {
	if task == data.Classification {
		return []string{model.SoftmaxLikelihood, model.BernoulliLikelihood}
	}
	return []string{model.GaussianLikelihood, model.StudentLikelihood, model.HeteroscedasticLikelihood}
}

// likelihoodOf is the likelihood for a task.
func (c *Config) likelihoodOf(task data.Task) string {
	if c.Likelihood == "auto" {
		return likelihoods(task)[0]
	}
	return c.Likelihood
}

// fitLikelihood says what auto is for the training rows, or what is wrong with what a user asks for.
func (c *Config) fitLikelihood(ds *data.Dataset) error {
	c.Likelihood = c.likelihoodOf(ds.Task)
	s := Setting{"likelihood", "", c.explicit["likelihood"]}
	if fits := likelihoods(ds.Task); !slices.Contains(fits, c.Likelihood) {
		return s.errorf("%s does not fit the target %q, a %s: give %s, or leave it out", c.Likelihood, ds.Target, ds.Task, strings.Join(fits, " or "))
	}
	if n := len(ds.Classes); c.Likelihood == model.BernoulliLikelihood && n != 2 {
		return s.errorf("bernoulli is for two classes, and the target %q has %d: use softmax", ds.Target, n)
	}
	return nil
}

// Mixture is a regression's prediction as one mixture for each row, in training-sd units.
func Mixture(p *model.Prediction) metrics.Mixture {
	m := metrics.Mixture{S: p.S, N: p.N, Mean: p.H, Var: p.Var}
	if p.DoF > 0 {
		m.Student = metrics.NewStudent(p.DoF)
	}
	return m
}

// Noise is the aleatoric part of the variance of row n, in training-sd units squared. The rest is epistemic, also where a
// GP's prediction is a single normal whose variance holds both.
func Noise(p *model.Prediction, m metrics.Mixture, n int) float64 {
	if p.Noise > 0 {
		return p.Noise
	}
	return m.Within(n)
}
