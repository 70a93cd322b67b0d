// These tests train classifiers with offsets.

package train

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// rare returns a label that is 1 for every tenth row, whatever its inputs.
func rare(rng *rand.Rand, _, _ float64) string {
	if rng.IntN(10) == 0 {
		return "1"
	}
	return "0"
}

// Far from all training rows a classifier with offsets predicts the shares of the classes, and one without has them
// alike; and a model file brings the offsets back.
func TestClassOffsets(t *testing.T) {
	learns(t)
	set := table(t, 300, 1, rare)
	far := readText(t, "far.csv", "a,b,target\n900,30,0\n-900,30,1\n", data.ReadOptions{})
	for _, likelihood := range []string{"softmax", "bernoulli"} {
		for offsets, want := range map[string]float64{"true": 0.1, "false": 0.5} {
			out := mustFit(t, "model=gp steps=200 batch=64 inducing=20 scaling=standard likelihood="+
				likelihood+" class-offsets="+offsets, set)
			if has := bytes.Contains(bytesOf(t, out.Trained), []byte("class_offsets")); has != (offsets == "true") {
				t.Errorf("%s: a model file that says %v of offsets", likelihood, has)
			}
			p := must.Get(reread(t, out.Trained).Predict(t.Context(), openCPU(t), far, 500))(t)
			mean := 0.0
			for s := range p.S {
				mean += 1 / (1 + math.Exp(p.H[2*p.N*s]-p.H[2*p.N*s+1])) / float64(p.S)
			}
			if math.Abs(mean-want) > 0.06 {
				t.Errorf("%s, class-offsets %s: the rare class has probability %.3f far from all rows, not %.1f",
					likelihood, offsets, mean, want)
			}
		}
	}
}

// Offsets are the default for sequences with classes, and for nothing else; levels and a regression have none.
func TestClassOffsetsDefaults(t *testing.T) {
	learns(t)
	for _, c := range []struct {
		options string
		set     *data.Dataset
		want    string
	}{
		{"kernel=spectrum:2", genes(t, 30, 1), "true"},
		{"kernel=spectrum:2 class-offsets=false", genes(t, 30, 1), "false"},
		{"kernel=spectrum:2 preset=paper", genes(t, 30, 1), "false"},
		{"kernel=spectrum:2 likelihood=ordinal", genes(t, 30, 1), "false"},
		{"steps=1", table(t, 30, 1, rings), "false"},
		{"steps=1 class-offsets=true", table(t, 30, 1, rings), "true"},
		{"steps=1 kernel=rbf+spectrum:2", mixed(t, 30, 1), "false"},
	} {
		resolved, _, err := config(t, c.options).ResolveInputs(t.Context(), c.set)
		if err != nil || resolved.Text("class-offsets") != c.want {
			t.Errorf("%s: became %s, %v", c.options, resolved.Text("class-offsets"), err)
		}
	}
	var usage *usererror.Error
	_, err := fit(t, t.Context(), config(t, "steps=1 class-offsets=true"), table(t, 30, 1, wave))
	if !errors.As(err, &usage) || !strings.Contains(err.Error(),
		`--class-offsets: the target "target" is a regression and has no classes: leave it out`) {
		t.Errorf("a regression: %v", err)
	}
}
