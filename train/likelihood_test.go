// These tests train with each likelihood.

package train

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// Data that a Gaussian with one variance does not fit are predicted better by the likelihood that does, in each model;
// and a model file brings the prediction back.
func TestLikelihoodsFit(t *testing.T) {
	learns(t)
	outliers := func(rng *rand.Rand, a, b float64) string {
		noise := 0.05 * rng.NormFloat64()
		if rng.IntN(12) == 0 {
			noise *= 40
		}
		return fmt.Sprint(200 + 10*(math.Sin(2*a)+0.5*b+noise))
	}
	fan := func(rng *rand.Rand, a, b float64) string {
		return fmt.Sprint(200 + 10*(math.Sin(2*a)+0.5*b+math.Exp(1.5*a-2.5)*rng.NormFloat64()))
	}
	for likelihood, target := range map[string]func(*rand.Rand, float64,
		float64) string{"student-t": outliers, "heteroscedastic": fan} {
		set, test := table(t, 600, 1, target), table(t, 300, 2, target)
		for _, options := range []string{startGiven + " model=gpdrf steps=500 inducing=30 features=50",
			startGiven + " model=gp steps=200 inducing=30", "model=drf steps=500 features=50"} {
			options += " batch=64"
			plain := evaluate(t, mustFit(t, options+" objective=elbo", set), test).Regression
			out := mustFit(t, options+" likelihood="+likelihood, set)
			better := evaluate(t, out, test).Regression
			if better.NLPD > plain.NLPD-0.15 || better.Coverage90 < 0.8 || better.Coverage90 > 0.985 {
				t.Errorf("%s, %s: NLPD %.3f coverage %.2f, Gaussian %.3f and %.2f", options, likelihood,
					better.NLPD, better.Coverage90, plain.NLPD, plain.Coverage90)
			}
			out.Trained = reread(t, out.Trained)
			if again := evaluate(t, out, test).Regression; again.NLPD != better.NLPD {
				t.Errorf("%s, %s: from the model file %g, not %g", options, likelihood, again.NLPD, better.NLPD)
			}
		}
	}
}

func disc(_ *rand.Rand, a, b float64) string {
	if a*a+b*b > 1.5 {
		return "1"
	}
	return "0"
}

// One output for two classes does what two do.
func TestBernoulliClassifies(t *testing.T) {
	learns(t)
	set, test := table(t, 600, 3, disc), table(t, 200, 4, disc)
	for _, m := range []string{"gpdrf", "gp", "drf"} {
		out := mustFit(t, "steps=300 batch=64 likelihood=bernoulli model="+m, set)
		c := evaluate(t, out, test).Classification
		if c.Error > 0.1 || c.NLL > 0.3 || c.AUC == nil || *c.AUC < 0.95 {
			t.Errorf("%s: %+v", m, c)
		}
	}
}

// Degrees of freedom are what was asked for where they do not learn, and change where they do.
func TestDegreesOfFreedom(t *testing.T) {
	learns(t)
	set := table(t, 200, 1, wave)
	for options, held := range map[string]bool{"dof=3 learn-dof=false l2=0.1": true, "dof=3": false} {
		out := mustFit(t, "steps=50 batch=50 inducing=10 features=8 likelihood=student-t device=cpu:f64 "+options, set)
		tail := out.Trained.Parameters[len(out.Trained.Parameters)-1]
		if dof := 2 + math.Exp(tail.Data[0]); tail.Name != "likelihood.log_tail" || (math.Abs(dof-3) < 1e-12) != held {
			t.Errorf("%s: %s says ν = %g", options, tail.Name, dof)
		}
	}
}

func TestLikelihoodUsage(t *testing.T) {
	cls := table(t, 100, 1, rings)
	signed := table(t, 100, 1, func(rng *rand.Rand, _, _ float64) string { return fmt.Sprint(rng.NormFloat64()) })
	numbers, positive := "give gaussian or student-t or heteroscedastic", table(t, 100, 1, wave)
	for _, c := range []struct {
		likelihood, want string
		set              *data.Dataset
	}{
		{"softmax", numbers + " or lognormal, or leave", positive}, {"bernoulli", numbers + ", or leave", signed},
		{"student-t", "give softmax or ordinal, or leave", cls}, {"bernoulli", "has 3: use softmax", cls},
	} {
		_, err := fit(t, t.Context(), config(t, "steps=1 likelihood="+c.likelihood), c.set)
		var usage *usererror.Error
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), "--likelihood: ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.likelihood, err)
		}
	}
	if c := mustFit(t, "steps=1 inducing=5 features=4", cls).Config; c.Likelihood != "softmax" {
		t.Errorf("auto became %q", c.Likelihood)
	}
}

// Draws of any mixture have its moments.
func TestDrawsOfLikelihoods(t *testing.T) {
	learns(t)
	set, test := table(t, 200, 1, wave), table(t, 40, 2, wave)
	for _, likelihood := range []string{"student-t dof=12 learn-dof=false", "heteroscedastic"} {
		out := mustFit(t, "steps=60 batch=50 inducing=10 features=8 likelihood="+likelihood, set)
		closed := evaluate(t, out, test).Regression
		drawn := evaluateDraws(t, out, test, 4000).Regression
		if math.Abs(closed.RMSE-drawn.RMSE) > 0.03 || math.Abs(closed.NLPD-drawn.NLPD) > 0.1 {
			t.Errorf("%s: %+v, by draws %+v", likelihood, closed, drawn)
		}
	}
}
