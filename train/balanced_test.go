// These tests train on rows with class weights.

package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// seldom returns the label of a row: 1 for a tenth of the rows, which lie among the others.
func seldom(rng *rand.Rand, a, _ float64) string {
	if a > 0.5 && rng.Float64() < 0.3 {
		return "1"
	}
	return "0"
}

// Balanced classes have the same share of the weights, and balanced twice is balanced once.
func TestBalancedClassWeights(t *testing.T) {
	set := weighted(table(t, 60, 1, seldom), false)
	set.Classes = append(slices.Clone(set.Classes), "unseen")
	total := metrics.Weights(set.Weights).Sum(set.N())
	for range 2 {
		set = set.WithClassWeights(set.BalancedClassWeights())
		sums := make([]float64, 3)
		for i, label := range set.Labels {
			sums[label] += set.Weights[i]
		}
		if math.Abs(sums[0]-total/2) > 1e-12*total || math.Abs(sums[1]-total/2) > 1e-12*total {
			t.Errorf("the classes have weights %v of %g", sums, total)
		}
	}
}

// A run with class weights equals a run of rows with these weights, to the bit. It finds more of the rare class, and
// its probabilities are for equally frequent classes. The test rows keep their weights.
func TestClassWeights(t *testing.T) {
	learns(t)
	set := table(t, 200, 1, seldom)
	const words = "steps=120 batch=50 inducing=15 features=10 objective=elbo"
	plain := mustFit(t, words, set)
	balanced := mustFit(t, words+" class-weights=balanced", set)
	by := mustFit(t, words, set.WithClassWeights(set.BalancedClassWeights()))
	same(t, "class weights", balanced.Trained.Parameters, by.Trained.Parameters)
	recall := func(out *Outcome) float64 {
		s := evaluate(t, out, set)
		if s.Weight != 0 {
			t.Errorf("the test rows got weights, in all %g", s.Weight)
		}
		return *s.Classification.Classes[1].Recall
	}
	if before, after := recall(plain), recall(balanced); after < before+0.3 {
		t.Errorf("recall of the rare class: %g, and %g with balanced classes", before, after)
	}
	if _, err := fit(t, context.Background(), config(t, "class-weights=balanced"), table(t, 30, 1, wave)); err == nil ||
		!strings.Contains(err.Error(), "has no classes") {
		t.Errorf("class weights of numbers: %v", err)
	}
}

// Attempts, the temperature and scores take a row of weight 2 as two rows.
func TestScoresOfCopies(t *testing.T) {
	set := table(t, 40, 1, rings)
	out := mustFit(t, "steps=30 batch=20 inducing=5 features=5 objective=elbo", set)
	twice, rows := *set, []int(nil)
	twice.Weights = make([]float64, set.N())
	for i := range twice.Weights {
		twice.Weights[i] = float64(1 + i%2)
		rows = append(rows, slices.Repeat([]int{i}, 1+i%2)...)
	}
	copies := set.Subset(rows)
	a, b := evaluate(t, out, &twice).Classification, evaluate(t, out, copies).Classification
	if math.Abs(a.NLL-b.NLL) > 1e-12 || math.Abs(a.Error-b.Error) > 1e-12 || math.Abs(a.ECE-b.ECE) > 1e-12 {
		t.Errorf("weights: %+v, copies: %+v", a, b)
	}
	fitted := func(ds *data.Dataset) float64 {
		p := must.Get(out.Trained.Predict(context.Background(), openCPU(t), ds, 9))(t)
		found, _, _ := Scored{{out.Trained, p, ds}}.FitTemperature()
		return found
	}
	if a, b := fitted(&twice), fitted(copies); math.Abs(a-b) > 1e-9 {
		t.Errorf("temperature %g of weights, %g of copies", a, b)
	}
}
