package metrics

import "math"

// Classification scores.
type Classification struct {
	Error float64 `json:"error"` // share of rows whose most probable class is wrong
	NLL   float64 `json:"nll"`   // mean of −log p(label), nats
	Brier float64 `json:"brier"` // mean of Σ_c (p_c − 1[c = label])²
	ECE   float64 `json:"ece"`   // expected calibration error of the most probable class, 15 bins
	// AUC is the area under the ROC curve of class 1 of two; nil for more classes and if a class has no row.
	AUC           *float64   `json:"auc,omitempty"`
	Bhattacharyya Separation `json:"bhattacharyya"`

	Classes   []ClassScore `json:"classes,omitempty"` // scores of each class; set once the classes are named
	predicted []int32      // class of each row
}

const eceBins = 15

// ScoreClassification scores logits [S,N,C] against N ≥ 1 labels. The class probabilities are the mean over s of
// softmax(logits); if classes are equally probable, the first counts as predicted.
func ScoreClassification(logits []float64, s, n, c int, labels []int32, w Weights) Classification {
	if len(logits) != s*n*c || len(labels) != n || n == 0 || s == 0 || c < 2 {
		panic("metrics: logits [S,N,C] and N labels are needed, and at least one row, one sample and two classes")
	}
	logp := logProbabilities(logits, s, n, c)
	var r Classification
	var bins [eceBins]struct{ confidence, correct float64 }
	right := make([]bool, n)
	r.predicted = make([]int32, n)
	for i, label := range labels {
		row := logp[i*c : (i+1)*c]
		top := Argmax(row)
		r.predicted[i] = int32(top)
		right[i] = top == int(label)
		weight := w.At(i)
		if !right[i] {
			r.Error += weight
		}
		r.NLL -= weight * row[label]
		for k, lp := range row {
			p := math.Exp(lp)
			if k == int(label) {
				p--
			}
			r.Brier += weight * (p * p)
		}
		confidence := math.Exp(row[top])
		b := 0
		if confidence > 0 { // NaN goes to bin 0
			b = min(int(confidence*eceBins), eceBins-1)
		}
		bins[b].confidence += weight * confidence
		if right[i] {
			bins[b].correct += weight
		}
	}
	for _, b := range bins {
		r.ECE += math.Abs(b.correct - b.confidence)
	}
	count := w.Sum(n)
	r.Error /= count
	r.NLL /= count
	r.Brier /= count
	r.ECE /= count
	if c == 2 {
		score, one := make([]float64, n), make([]bool, n)
		for i, label := range labels {
			// The log odds keep the order if probabilities are rounded to 0 or 1.
			score[i], one[i] = logp[2*i+1]-logp[2*i], label == 1
		}
		r.AUC = AUC(score, one, w)
	}
	r.Bhattacharyya = separation(distances(logits, s, n, c, logp), right, w)
	return r
}

// Probabilities returns the class probabilities [N,C]: the mean over s of the softmax of logits [S,N,C].
func Probabilities(logits []float64, s, n, c int) []float64 {
	p := logProbabilities(logits, s, n, c)
	for i, lp := range p {
		p[i] = math.Exp(lp)
	}
	return p
}

// LabelLogProbabilities returns log p(label), as in ClassDensities, for logits [S,N,C] times a factor. It does not copy
// the logits.
func LabelLogProbabilities(logits []float64, s, n, c int, by float64, labels []int32) []float64 {
	out := make([]float64, n)
	EachChunk(n, func(lo, hi int) {
		row, each := make([]float64, c), make([]float64, s)
		for i := lo; i < hi; i++ {
			top := math.Inf(-1)
			for k := range s {
				for j, v := range logits[(k*n+i)*c:][:c] {
					row[j] = v * by
				}
				logSoftmax(row, row)
				each[k] = row[labels[i]]
				top = math.Max(top, each[k])
			}
			sum := 0.0
			for _, l := range each {
				sum += math.Exp(l - top)
			}
			out[i] = top + math.Log(sum/float64(s))
		}
	})
	return out
}

// logProbabilities returns the log probabilities [N,C], by log-mean-exp over s of the log-softmax. So a class of
// vanishing probability still has a finite logarithm.
func logProbabilities(logits []float64, s, n, c int) []float64 {
	out := make([]float64, n*c)
	each := make([]float64, s*c) // log-softmax of one row, [S,C]
	for i := range n {
		for k := range s {
			logSoftmax(each[k*c:(k+1)*c], logits[(k*n+i)*c:(k*n+i+1)*c])
		}
		for j := range c {
			top := each[j]
			for k := 1; k < s; k++ {
				top = math.Max(top, each[k*c+j])
			}
			sum := 0.0
			for k := range s {
				sum += math.Exp(each[k*c+j] - top)
			}
			out[i*c+j] = top + math.Log(sum/float64(s))
		}
	}
	return out
}

func logSoftmax(dst, x []float64) {
	top := x[Argmax(x)]
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	norm := top + math.Log(sum)
	for i, v := range x {
		dst[i] = v - norm
	}
}

// Argmax returns the first of the largest values.
func Argmax(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
