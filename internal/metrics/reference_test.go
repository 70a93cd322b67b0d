package metrics

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// reference holds the results of testdata/gen.py with scipy.
type reference struct {
	Regression []struct {
		S, N                     int
		Mean, Var, Y, Total, CDF []float64
		LogDensity               []float64 `json:"log_density"`
		Levels                   []float64
		Quantiles                [][]float64
		CRPS                     []float64
		Score                    Regression
	}
	Classification []struct {
		S, N, C       int
		Logits        []float64
		Labels        []int32
		Probabilities []float64
		Score         Classification
	}
}

func readReference(t *testing.T) (r reference) {
	text, err := os.ReadFile("testdata/reference.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil || len(r.Regression) == 0 || len(r.Classification) == 0 {
		t.Fatalf("testdata/reference.json has %d and %d cases, %v", len(r.Regression), len(r.Classification), err)
	}
	return r
}

func check(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

func TestRegressionReference(t *testing.T) {
	for _, r := range readReference(t).Regression {
		m := Mixture{S: r.S, N: r.N, Mean: r.Mean, Var: r.Var}
		for n, y := range r.Y {
			_, variance := m.Moments(n)
			check(t, "variance", variance, r.Total[n], 1e-13)
			check(t, "log density", m.LogDensity(n, y), r.LogDensity[n], 1e-12)
			check(t, "CDF", m.CDF(n, y), r.CDF[n], 1e-13)
			check(t, "CRPS", m.CRPS(n, y), r.CRPS[n], 1e-9)
			for i, p := range r.Levels {
				check(t, "quantile", m.QuantileFunc(n)(p), r.Quantiles[n][i], 1e-9)
			}
		}
		checkRegression(t, ScoreRegression(m, r.Y, nil), r.Score)
	}
}

func checkRegression(t *testing.T, got, want Regression) {
	t.Helper()
	check(t, "RMSE", got.RMSE, want.RMSE, 1e-12)
	check(t, "MAE", got.MAE, want.MAE, 1e-12)
	check(t, "NLPD", got.NLPD, want.NLPD, 1e-12)
	check(t, "mean CRPS", got.CRPS, want.CRPS, 1e-9)
	check(t, "coverage 50", got.Coverage50, want.Coverage50, 1e-15)
	check(t, "coverage 90", got.Coverage90, want.Coverage90, 1e-15)
	check(t, "coverage 95", got.Coverage95, want.Coverage95, 1e-15)
}

func TestClassificationReference(t *testing.T) {
	for _, r := range readReference(t).Classification {
		for i, p := range Probabilities(r.Logits, r.S, r.N, r.C) {
			check(t, "probability", p, r.Probabilities[i], 1e-13)
		}
		got, want := ScoreClassification(r.Logits, r.S, r.N, r.C, r.Labels, nil), r.Score
		check(t, "error", got.Error, want.Error, 1e-14)
		check(t, "NLL", got.NLL, want.NLL, 1e-12)
		check(t, "Brier", got.Brier, want.Brier, 1e-12)
		check(t, "ECE", got.ECE, want.ECE, 1e-12)
		if (got.AUC == nil) != (r.C != 2) {
			t.Errorf("AUC %v of %d classes", got.AUC, r.C)
		} else if got.AUC != nil {
			check(t, "AUC", *got.AUC, *want.AUC, 1e-13)
		}
		b, w := got.Bhattacharyya, want.Bhattacharyya
		check(t, "Bhattacharyya, correct", *b.Correct, *w.Correct, 1e-9)
		check(t, "Bhattacharyya, wrong", *b.Wrong, *w.Wrong, 1e-9)
		check(t, "Bhattacharyya, AUROC", *b.AUROC, *w.AUROC, 1e-13)
		if b.Convention != w.Convention || b.Space != w.Space {
			t.Errorf("%+v", b)
		}
	}
}
