package metrics

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestBhattacharyyaConvention: gonum takes standard deviations, and its distance of N(m, √v) is ours of (m, v). Putting
// deviations where the variances belong differs.
func TestBhattacharyyaConvention(t *testing.T) {
	for _, c := range [][4]float64{{0, 1, 0, 1}, {1, 0.5, -2, 3}, {5, 1e-4, 5, 1e4}, {100, 2, -100, 2}} {
		want := distuv.Bhattacharyya{}.DistNormal(distuv.Normal{Mu: c[0], Sigma: math.Sqrt(c[1])},
			distuv.Normal{Mu: c[2], Sigma: math.Sqrt(c[3])})
		check(t, "distance", bhattacharyya(c[0], c[1], c[2], c[3]), want, 1e-13)
		check(t, "other order", bhattacharyya(c[2], c[3], c[0], c[1]), want, 1e-13)
	}
	if d := bhattacharyya(1, 0.5, -2, 3); math.Abs(d-bhattacharyya(1, math.Sqrt(0.5), -2, math.Sqrt(3))) < 0.01 {
		t.Error("the example does not tell the conventions apart")
	}
	for _, v := range []float64{0, -1, math.NaN()} {
		if d := bhattacharyya(0, v, 1, 1); !math.IsNaN(d) {
			t.Errorf("variance %g: distance %g", v, d)
		}
	}
}

// TestAUC against gonum's ROC curve and against counting pairs, with many ties.
func TestAUC(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 50 {
		n := 2 + rng.IntN(30)
		score, positive := make([]float64, n), make([]bool, n)
		for i := range score {
			score[i], positive[i] = float64(rng.IntN(8)), rng.IntN(2) == 0
		}
		positive[0], positive[1] = true, false
		wins, pairs := 0.0, 0.0
		for i := range n {
			for j := range n {
				if positive[i] && !positive[j] {
					pairs++
					switch {
					case score[i] > score[j]:
						wins++
					case score[i] == score[j]:
						wins += 0.5
					}
				}
			}
		}
		got := *AUC(score, positive, nil)
		check(t, "AUC by pairs", got, wins/pairs, 1e-14)

		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return int(score[a] - score[b]) })
		sorted, classes := make([]float64, n), make([]bool, n)
		for i, k := range order {
			sorted[i], classes[i] = score[k], positive[k]
		}
		tpr, fpr, _ := stat.ROC(nil, sorted, classes, nil)
		check(t, "AUC by gonum", got, integrate.Trapezoidal(fpr, tpr), 1e-13)
	}
	for _, same := range [][]bool{{}, {true}, {false, false}} {
		if a := AUC(make([]float64, len(same)), same, nil); a != nil {
			t.Errorf("AUC %g of one class", *a)
		}
	}
}

// TestSingleSample: nothing is known of the spread of one sample, so its distances are null; the other scores are
// there.
func TestSingleSample(t *testing.T) {
	r := ScoreClassification([]float64{2, 0, 0, 1}, 1, 2, 2, []int32{0, 0}, nil)
	check(t, "error", r.Error, 0.5, 0)
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text),
		`"bhattacharyya":{"correct":null,"wrong":null,"auroc":null,"convention":"variance","space":"logits"}`) {
		t.Errorf("%s, %v", text, err)
	}
	if strings.Contains(string(text), "auc\"") {
		t.Errorf("an AUC without a row of class 1: %s", text)
	}
}

// TestAllCorrect: a mean over no wrong rows is null, not 0.
func TestAllCorrect(t *testing.T) {
	r := ScoreClassification([]float64{3, 0, 2.5, 0.5, 0, 3, 1, 4}, 2, 2, 2, []int32{0, 0}, nil)
	if r.Error != 0.5 {
		t.Fatalf("%+v", r)
	}
	r = ScoreClassification([]float64{3, 0, 0, 2.5, 2, 0.5, -1, 4}, 2, 2, 2, []int32{0, 1}, nil)
	if b := r.Bhattacharyya; r.Error != 0 || b.Correct == nil || b.Wrong != nil || b.AUROC != nil || *r.AUC != 1 {
		t.Errorf("%+v", r)
	}
}

// TestConstantClass: a row whose samples do not vary has no distance and is left out.
func TestConstantClass(t *testing.T) {
	// Row 0 varies, row 1 is the same in both samples.
	r := ScoreClassification([]float64{3, 0, 1, 0, 2, 0.5, 1, 0}, 2, 2, 2, []int32{0, 0}, nil)
	alone := ScoreClassification([]float64{3, 0, 2, 0.5}, 2, 1, 2, []int32{0}, nil)
	check(t, "correct", *r.Bhattacharyya.Correct, *alone.Bhattacharyya.Correct, 0)
}

// TestAlikeSamples: samples that are alike have no distance, also where their mean is rounded.
func TestAlikeSamples(t *testing.T) {
	for _, s := range []int{3, 7, 100} {
		logits := slices.Repeat([]float64{0.7, 0.1}, s)
		if b := ScoreClassification(logits, s, 1, 2, []int32{0}, nil).Bhattacharyya; b.Correct != nil ||
			b.Wrong != nil {
			t.Errorf("%d samples: %g", s, *b.Correct)
		}
	}
}

// TestExtremeLogits: the NLL of a hopeless prediction is large and finite.
func TestExtremeLogits(t *testing.T) {
	r := ScoreClassification([]float64{5000, 0, 0, 5000}, 1, 2, 2, []int32{1, 1}, nil)
	check(t, "NLL", r.NLL, 2500, 1e-12)
	check(t, "Brier", r.Brier, 1, 1e-12)
	check(t, "ECE", r.ECE, 0.5, 1e-12)
	// One sample in two that finds the label probable is enough for −log ½.
	r = ScoreClassification([]float64{5000, 0, 0, 5000}, 2, 1, 2, []int32{1}, nil)
	check(t, "NLL of the mean", r.NLL, math.Ln2, 1e-12)
}

// TestUniform: equal logits are 1/C everywhere, and the first class is the prediction.
func TestUniform(t *testing.T) {
	const s, n, c = 2, 6, 3
	r := ScoreClassification(make([]float64, s*n*c), s, n, c, []int32{0, 1, 2, 0, 1, 2}, nil)
	check(t, "error", r.Error, 2.0/3, 1e-15)
	check(t, "NLL", r.NLL, math.Log(3), 1e-14)
	check(t, "Brier", r.Brier, 2.0/3, 1e-14)
	check(t, "ECE", r.ECE, 0, 1e-14)
}
