// This test trains with natural gradients.

package train

import (
	"testing"
)

// With natural gradients, the bound after the same number of steps is higher than with Adam alone, for a Gaussian
// likelihood. All steps of a run in parts equal the steps of the whole run.
func TestNaturalGradients(t *testing.T) {
	learns(t)
	set := table(t, 200, 1, wave)
	const options = "model=gp q-cov=full inducing=20 steps=40 batch=200 kl-warmup=0 warmup=5 decay=none device=cpu:f64"
	adam, natural := mustFit(t, options, set), mustFit(t, options+" natgrad=0.5", set)
	if !(natural.Objective.Value > adam.Objective.Value+10) {
		t.Errorf("the bound is %g, and %g by Adam alone", natural.Objective.Value, adam.Objective.Value)
	}
	parts := mustFit(t, options+" natgrad=0.5 chunk=70", set)
	if d := parts.Objective.Value - natural.Objective.Value; d > 1e-6 || d < -1e-6 {
		t.Errorf("in parts the bound is %g, of the whole %g", parts.Objective.Value, natural.Objective.Value)
	}
}
