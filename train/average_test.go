package train

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/device"
)

// What a run with an average leaves is the average of what runs without it leave, and it is what
// was evaluated.
func TestAverage(t *testing.T) {
	set := table(t, 100, 1, wave)
	const options = "steps=9 batch=20 inducing=8 features=5 lr=0.1 warmup=0 device=cpu:f64"
	const decay = 0.7
	got := mustFit(t, options+" ema=0.7", set).Trained.Named
	want := make([][]float64, len(got))
	for i := range got {
		want[i] = make([]float64, len(got[i].Data))
	}
	total := 0.0
	for step := 1; step <= 9; step++ {
		weight := math.Pow(decay, float64(9-step))
		total += weight
		for i, n := range mustFit(t, fmt.Sprintf("%s stop-after=%d", options, step), set).Trained.Named {
			for k, v := range n.Data {
				want[i][k] += weight * v
			}
		}
	}
	for i := range got {
		for k, v := range got[i].Data {
			if w := want[i][k] / total; math.Abs(v-w) > 1e-12*(1+math.Abs(w)) {
				t.Fatalf("%s[%d] is %g, the average %g", got[i].Name, k, v, w)
			}
		}
	}

	const long = "steps=60 batch=50 inducing=10 features=8 validation=0.2 eval-every=10 ema=0.9"
	_, held, _, err := config(t, long).HoldOut(set, data.Watch{})
	if err != nil {
		t.Fatal(err)
	}
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, restore := range []string{"best", "last"} {
		out, _, _ := fitHeldOut(t, long+" restore="+restore, set)
		s, err := out.Trained.Evaluate(t.Context(), dev, held, validationSamples)
		if err != nil || out.Validation.Restored != restore || s.Regression.NLPD != *out.Validation.NLPD {
			t.Errorf("the average that is kept has NLPD %g, that of the evaluation was %g, %v", s.Regression.NLPD, *out.Validation.NLPD, err)
		}
	}
}
