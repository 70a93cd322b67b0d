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

// fitLikelihood says what auto is for the training rows, or what is wrong with what a user asks
// for.
func (c *Config) fitLikelihood(ds *data.Dataset) error {
	c.Likelihood = c.likelihoodOf(ds.Task)
	s := Setting{"likelihood", "", c.explicit["likelihood"]}
	if fits := likelihoods(ds.Task); !slices.Contains(fits, c.Likelihood) {
		return s.errorf("%s does not fit the target %q, a %s: give %s, or leave it out", c.Likelihood, ds.Target, ds.Task, strings.Join(fits, " or "))
	}
	if c.ClassOffsets && ds.Task != data.Classification {
		return Setting{"class-offsets", "", c.explicit["class-offsets"]}.errorf("the target %q is a %s and has no classes: leave it out", ds.Target, ds.Task)
	}
	if n := len(ds.Classes); c.Likelihood == model.BernoulliLikelihood && n != 2 {
		return s.errorf("bernoulli is for two classes, and the target %q has %d: use softmax", ds.Target, n)
	}
	return nil
}

// classRows is how many rows each class has; nil where targets are numbers.
func classRows(ds *data.Dataset) []int {
	if ds.Task != data.Classification {
		return nil
	}
	rows := make([]int, len(ds.Classes))
	for _, label := range ds.Labels {
		rows[label]++
	}
	return rows
}

// Mixture is a regression's prediction of target c as one mixture for each row, in training-sd
// units.
func Mixture(p *model.Prediction, c int) metrics.Mixture {
	m := metrics.Mixture{S: p.S, N: p.N, Mean: every(p.H, p.C, c), Var: every(p.Var, p.C, c)}
	if p.DoF > 0 {
		m.Student = metrics.NewStudent(p.DoF)
	}
	return m
}

// every is column c of rows of a width; the rows themselves where there is one column.
func every(rows []float64, width, c int) []float64 {
	if width == 1 {
		return rows
	}
	column := make([]float64, 0, len(rows)/width)
	for i := c; i < len(rows); i += width {
		column = append(column, rows[i])
	}
	return column
}

// Noise is the aleatoric part of the variance of target c of row n, in training-sd units squared.
// The rest is epistemic, also where a GP's prediction is a single normal whose variance holds both.
func Noise(p *model.Prediction, m metrics.Mixture, c, n int) float64 {
	if p.Noise != nil {
		return p.Noise[c]
	}
	return m.Within(n)
}
