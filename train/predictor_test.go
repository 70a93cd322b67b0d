// This test predicts with a Predictor in batches of any size.

package train

import (
	"math"
	"reflect"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// A row's prediction has the same bits in a file and in any batch of a Predictor, for every kind of model and of
// randomness.
func TestPredictorOfAnyBatch(t *testing.T) {
	numbers := table(t, 60, 1, wave)
	counts := weighted(numbers, true) // with offsets
	for _, c := range append(resumes(t),
		testRun{options: "model=gpdrf inducing=9 latents=3 features=7 likelihood=student-t", rows: numbers},
		testRun{options: "model=gpdrf inducing=9 latents=3 features=7 likelihood=heteroscedastic " +
			"spectra=var-fixed-each samples=3", rows: numbers},
		testRun{options: "model=gp inducing=9 whiten=false", rows: numbers},
		testRun{options: "model=gp inducing=9 likelihood=poisson", rows: counts},
		testRun{options: "model=gpdrf inducing=9 latents=3 features=7 likelihood=poisson", rows: counts},
		testRun{options: "model=gpdrf inducing=9 latents=3 features=7 likelihood=negative-binomial", rows: counts},
	) {
		t.Run(c.options, func(t *testing.T) {
			testPredictor(t, c.options+" device=cpu:f32 steps=5 eval-samples=13", c.rows)
		})
	}
}

func testPredictor(t *testing.T, options string, set *data.Dataset) {
	c := config(t, options)
	dev := mustOpen(t, c.Device)
	t.Cleanup(func() { dev.Close() })
	out := must.Get((&Job{Config: c, Device: dev, Train: set, Reporter: &quiet{}}).Run(t.Context()))(t)
	trained := out.Trained
	whole, distances, err := trained.PredictSet(t.Context(), dev, set, c.EvalSamples,
		fitted.PredictOptions{Distances: true})
	must.OK(t, err)
	if parts := []*model.Prediction{whole.Slice(0, 1), whole.Slice(1, 2), whole.Slice(2, 5)}; !reflect.DeepEqual(
		model.JoinPredictions(parts), whole.Slice(0, 5)) || !reflect.DeepEqual(parts[1].Slice(0, 1), parts[1]) {
		t.Error("parts of one row do not join")
	}
	p := must.Get(trained.NewPredictor(dev, 16, c.EvalSamples))(t)
	for first, n := 0, 1; first < set.N(); first, n = first+n, n+1 {
		n = min(n, set.N()-first)
		rows := make([]int, n)
		for i := range rows {
			rows[i] = first + i
		}
		x, far, err := trained.Rows(t.Context(), set.Subset(rows))
		must.OK(t, err)
		part, want := must.Get(p.Predict(t.Context(), n, x))(t), whole.Slice(first, first+n)
		sameBits(t, "mean or logit", part.H, want.H)
		sameBits(t, "variance", part.Var, want.Var)
		sameBits(t, "dispersion", part.Dispersion, want.Dispersion)
		sameBits(t, "noise", part.Noise, want.Noise)
		sameBits(t, "distance", far, distances[first:first+n])
	}
}

func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, expected %d", what, len(got), len(want))
	}
	for i, v := range got {
		if math.Float64bits(v) != math.Float64bits(want[i]) {
			t.Fatalf("%s %d is %v, in a file %v", what, i, v, want[i])
		}
	}
}
