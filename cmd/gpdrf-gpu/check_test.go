package main

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// The check covers the parameters of vectors, of sequences and of layers in closed form: none of its gradients is zero
// but those of what does not move: inducing points beside sequences, and τ.
func TestCheckedGradient(t *testing.T) {
	p := &program{ctx: t.Context(), console: console{err: io.Discard}}
	computed := must.Get(p.gradient("cpu:f64", string(device.Highest)))(t)
	names := map[string]bool{}
	for _, block := range computed.gradient {
		names[block.Name] = true
		still := block.Name == "sequences: gp.pseudo_inputs" || strings.HasSuffix(block.Name, ".tau")
		if !still && !slices.ContainsFunc(block.Data, func(v float64) bool { return v != 0 }) {
			t.Errorf("the gradient of %s is zero", block.Name)
		}
	}
	for _, name := range []string{"gp.mix_logit", "gp.pseudo_inputs", "drf.1.mean_w",
		"sequences: gp.map_logit", "sequences: gp.log_sigma", "sequences: gp.q_mu",
		"integrated: drf.0.logvar_omega", "integrated: drf.0.log_rho", "integrated: drf.1.mean_w"} {
		if !names[name] {
			t.Errorf("no gradient of %s", name)
		}
	}
}

// The check finds one wrong number in a small block beside a large one, and one that is not a number.
func TestCompare(t *testing.T) {
	want := []model.Parameter{{Name: "large", Data: []float64{1e6, -2e6}},
		{Name: "small", Data: []float64{1e-3, 0, 2e-3}}, {Name: "zero", Data: []float64{0}}}
	for _, test := range []struct {
		wrong  float64
		agrees bool
		line   string
	}{
		{wrong: 0, agrees: true, line: "✓ cuda:0:f64 agrees with cpu:f64: largest relative difference 0, "},
		{wrong: 1e-14, agrees: true, line: "✓ cuda:0:f64 agrees with cpu:f64: largest relative difference 5e-12, " +
			"of the gradient of small; tolerance 1e-10"},
		{wrong: 1e-12, agrees: false, line: "✗ cuda:0:f64 differs from cpu:f64: largest relative difference 5e-10, " +
			"of the gradient of small; tolerance 1e-10"},
		{wrong: math.NaN(), agrees: false, line: "✗ "},
		{wrong: math.Inf(1), agrees: false, line: "✗ "},
	} {
		got := []model.Parameter{want[0], {Name: "small", Data: []float64{1e-3, test.wrong, 2e-3}}, want[2]}
		x := comparison{Device: "cuda:0:f64", Precision: string(device.Highest), Reference: "cpu:f64",
			Tolerance: tolerances[":f64"]}
		x.compare(got, want)
		c := comparisons{Check: []comparison{x}}
		if line := c.Lines()[1]; x.Agrees != test.agrees || !strings.HasPrefix(line, test.line) {
			t.Errorf("off by %g: %s", test.wrong, line)
		}
	}
}
