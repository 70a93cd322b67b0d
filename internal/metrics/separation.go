package metrics

import (
	"cmp"
	"math"
	"slices"
)

// Separation is the mean Bhattacharyya distance between the two most probable classes of a row, over rows predicted
// right and wrong, and how well the distance tells them apart. An undefined field is nil.
type Separation struct {
	Correct    *float64 `json:"correct"`
	Wrong      *float64 `json:"wrong"`
	AUROC      *float64 `json:"auroc"`      // area for the distance as a detector of correct rows
	Convention string   `json:"convention"` // "variance": the meaning of σ in the formula
	Space      string   `json:"space"`      // "logits": the space of the samples
}

// bhattacharyya returns the distance between N(m1, v1) and N(m2, v2) (the paper's section "Bhattacharyya Distance
// Benchmark"; its σ is a variance):
//
//	D = ¼ ln(¼ (v1/v2 + v2/v1 + 2)) + ¼ (m1 − m2)²/(v1 + v2)
//
// It is NaN unless both variances are positive.
func bhattacharyya(m1, v1, m2, v2 float64) float64 {
	if !(v1 > 0 && v2 > 0) {
		return math.NaN()
	}
	d := m1 - m2
	return 0.25*math.Log(0.25*(v1/v2+v2/v1+2)) + 0.25*d*d/(v1+v2)
}

// BhattacharyyaDistances returns the Bhattacharyya distances between the two most probable classes of each row of
// logits [S,N,C], by mean and variance (S−1 in the denominator) of their S logits. A larger distance means a more
// certain prediction. It is NaN if the logits of one class do not vary, and for a single sample.
func BhattacharyyaDistances(logits []float64, s, n, c int) []float64 {
	return distances(logits, s, n, c, logProbabilities(logits, s, n, c))
}

func distances(logits []float64, s, n, c int, logp []float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		first, second := topTwo(logp[i*c : (i+1)*c])
		m1, v1 := sampleMoments(logits, s, n*c, i*c+first)
		m2, v2 := sampleMoments(logits, s, n*c, i*c+second)
		out[i] = bhattacharyya(m1, v1, m2, v2)
	}
	return out
}

// separation returns the separation of rows with these distances. It leaves out rows whose distance is NaN.
func separation(distance []float64, right []bool, w Weights) Separation {
	var sum, of [2]float64 // wrong, right
	var score []float64
	var correct []bool
	var weights Weights
	for i, d := range distance {
		if math.IsNaN(d) {
			continue
		}
		k := 0
		if right[i] {
			k = 1
		}
		sum[k], of[k] = sum[k]+w.At(i)*d, of[k]+w.At(i)
		score, correct, weights = append(score, d), append(correct, right[i]), append(weights, w.At(i))
	}
	return Separation{Correct: ratio(sum[1], of[1]), Wrong: ratio(sum[0], of[0]), AUROC: AUC(score, correct, weights),
		Convention: "variance", Space: "logits"}
}

// ratio returns sum/of; nil if of is 0.
func ratio(sum, of float64) *float64 {
	if of == 0 {
		return nil
	}
	return new(sum / of)
}

// sampleMoments returns the mean and the variance of x[at], x[at+stride], …, s of them; the variance is NaN for s = 1,
// and 0 if all are equal.
func sampleMoments(x []float64, s, stride, at int) (mean, variance float64) {
	alike := s > 1
	for k := range s {
		mean += x[k*stride+at]
		alike = alike && x[k*stride+at] == x[at]
	}
	mean /= float64(s)
	if alike { // the mean may be rounded
		return mean, 0
	}
	for k := range s {
		d := x[k*stride+at] - mean
		variance += d * d
	}
	return mean, variance / float64(s-1)
}

func topTwo(x []float64) (first, second int) {
	first = Argmax(x)
	second = 0
	if first == 0 {
		second = 1
	}
	for i, v := range x {
		if i != first && v > x[second] {
			second = i
		}
	}
	return first, second
}

// AUC returns the probability that a positive row has a higher score than another row, ties counting half; nil if there
// are no positive or no other rows.
func AUC(score []float64, positive []bool, w Weights) *float64 {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[a], score[b]) })
	wins, below, positives := 0.0, 0.0, 0.0
	for i := 0; i < len(order); {
		hits, others := 0.0, 0.0
		for first := i; i < len(order) && (i == first || score[order[i]] == score[order[first]]); i++ {
			if k := w.At(order[i]); positive[order[i]] {
				hits += k
			} else {
				others += k
			}
		}
		wins += hits * (below + 0.5*others)
		below += others
		positives += hits
	}
	return ratio(wins, positives*below)
}
