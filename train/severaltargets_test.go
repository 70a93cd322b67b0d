package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// Of two targets with different units and noise, each gets the noise variance and the scores that
// are its own, as in the model file.
func TestSeveralTargets(t *testing.T) {
	learns(t)
	rng := rand.New(rand.NewPCG(3, 1))
	var b strings.Builder
	b.WriteString("a,quiet,loud\n")
	for range 300 {
		a := 4*rng.Float64() - 2
		fmt.Fprintf(&b, "%g,%g,%g\n", a, 1000*math.Sin(2*a)+20*rng.NormFloat64(), math.Cos(2*a)+0.7*rng.NormFloat64())
	}
	set := readText(t, "two.csv", b.String(), data.ReadOptions{Target: "loud,quiet"})
	dev := openCPU(t)
	for _, options := range []string{"model=gp inducing=20 natgrad=0.1",
		"model=gpdrf inducing=20 features=30", "model=gp inducing=20 likelihood=heteroscedastic"} {
		out := mustFit(t, options+" steps=400 batch=100 noise-init=0.3", set)
		for _, n := range out.Trained.Parameters {
			if n.Name == "likelihood.log_variance" && !(len(n.Data) == 2 && n.Data[0] > n.Data[1]+0.5) {
				t.Errorf("%s: the noise has log-variances %v", options, n.Data)
			}
		}
		s := must.Get(out.Trained.Evaluate(t.Context(), dev, set, fitted.Evaluation{Samples: 20}))(t)
		loud, quiet := s.Outputs[0], s.Outputs[1]
		if s.Raw != nil || loud.Target != "loud" || quiet.Target != "quiet" ||
			math.Abs(loud.Raw.RMSE-0.7) > 0.1 || quiet.Raw.RMSE > 100 {
			t.Errorf("%s: %+v", options, s.Outputs)
		}
		if mean := (loud.Test.NLPD + quiet.Test.NLPD) / 2; math.Abs(s.Regression.NLPD-mean) > 1e-12 {
			t.Errorf("%s: NLPD is %g, the mean %g", options, s.Regression.NLPD, mean)
		}
	}
}
