package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A row of weight w scores as w copies of it, and weights of 1 as none.
func TestWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n, s, c = 40, 5, 2
	weights, ones, from := make(Weights, n), make(Weights, n), []int(nil)
	for i := range weights {
		weights[i], ones[i] = float64(1+i%3), 1
		for range 1 + i%3 {
			from = append(from, i)
		}
	}
	logits, y, labels := make([]float64, s*n*c), make([]float64, n), make([]int32, n)
	for i := range logits {
		logits[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i], labels[i] = rng.NormFloat64(), rng.Int32N(c)
	}
	m := Mixture{S: s, N: n, Mean: logits[:s*n], Var: slices.Repeat([]float64{0.5}, n)}
	copied := Mixture{S: s, N: len(from), Mean: copies(m.Mean, n, 1, from), Var: copies(m.Var, n, 1, from)}
	copiedLabels := copies(labels, n, 1, from)
	checkRegression(t, ScoreRegression(m, y, weights), ScoreRegression(copied, copies(y, n, 1, from), nil))

	got := ScoreClassification(logits, s, n, c, labels, weights)
	want := ScoreClassification(copies(logits, n, c, from), s, len(from), c, copiedLabels, nil)
	for name, pair := range map[string][2]float64{
		"error": {got.Error, want.Error}, "NLL": {got.NLL, want.NLL}, "Brier": {got.Brier, want.Brier},
		"ECE": {got.ECE, want.ECE}, "AUC": {*got.AUC, *want.AUC},
		"right": {*got.Bhattacharyya.Correct, *want.Bhattacharyya.Correct},
		"wrong": {*got.Bhattacharyya.Wrong, *want.Bhattacharyya.Wrong},
		"AUROC": {*got.Bhattacharyya.AUROC, *want.Bhattacharyya.AUROC},
	} {
		check(t, name, pair[0], pair[1], 1e-12)
	}
	classes := []string{"a", "b"}
	got.AddClassScores(labels, classes, weights)
	want.AddClassScores(copiedLabels, classes, nil)
	for k := range classes {
		if a, b := got.Classes[k], want.Classes[k]; a.Support != b.Support || *a.F1 != *b.F1 {
			t.Errorf("class %s: %+v, want %+v", classes[k], a, b)
		}
	}
	if ScoreRegression(m, y, ones) != ScoreRegression(m, y, nil) {
		t.Error("weights of 1 change the bits")
	}
	a, b := ScoreClassification(logits, s, n, c, labels, ones), ScoreClassification(logits, s, n, c, labels, nil)
	if a.NLL != b.NLL || a.ECE != b.ECE || *a.AUC != *b.AUC {
		t.Error("weights of 1 change the bits of classes")
	}
}

// copies takes rows out of each block of x [blocks,n,width].
func copies[T any](x []T, n, width int, rows []int) (out []T) {
	for lo := 0; lo < len(x); lo += n * width {
		for _, r := range rows {
			out = append(out, x[lo+r*width:lo+(r+1)*width]...)
		}
	}
	return out
}

// The mean equals the mean of copies of the rows. Its standard error does not depend on the unit of weights.
func TestWeightedMean(t *testing.T) {
	x := []float64{1, 4, 2}
	mean, se := Weights{1, 2, 3}.MeanStdErr(x)
	if want, _ := MeanStdErr([]float64{1, 4, 4, 2, 2, 2}); math.Abs(mean-want) > 1e-15 {
		t.Errorf("mean %g, want %g", mean, want)
	}
	if _, again := (Weights{10, 20, 30}).MeanStdErr(x); math.Abs(again-se) > 1e-15 {
		t.Errorf("standard error %g, want %g", again, se)
	}
	if _, plain := MeanStdErr(x); plain != func() float64 { _, s := (Weights{5, 5, 5}).MeanStdErr(x); return s }() {
		t.Error("equal weights change the standard error")
	}
	if got := (Weights{2, 2}).effectiveSize(2); got != 2 {
		t.Errorf("size %g, want 2", got)
	}
}
