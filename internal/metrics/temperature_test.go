package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// labelLogs returns the log likelihoods of labels [N] under the softmax of logits/t.
func labelLogs(logits []float64, c int, labels []int32) func(t float64) []float64 {
	return func(t float64) (logs []float64) {
		row := make([]float64, c)
		for i, label := range labels {
			for k := range row {
				row[k] = logits[i*c+k] / t
			}
			logSoftmax(row, row)
			logs = append(logs, row[label])
		}
		return logs
	}
}

// Labels that are drawn with a temperature give it back, and their likelihood is the largest there.
func TestTemperature(t *testing.T) {
	const n, c = 4000, 3
	for _, want := range []float64{0.4, 1, 2.5} {
		rng := rand.New(rand.NewPCG(1, 2))
		logits, labels := make([]float64, n*c), make([]int32, n)
		for i := range labels {
			row, sum := logits[i*c:][:c], 0.0
			for k := range row {
				row[k] = 2 * rng.NormFloat64()
				sum += math.Exp(row[k] / want)
			}
			left := rng.Float64() * sum
			for k := range row {
				if left -= math.Exp(row[k] / want); left <= 0 {
					labels[i] = int32(k)
					break
				}
			}
		}
		got, as, with := FitTemperature(labelLogs(logits, c, labels), nil)
		if math.Abs(math.Log(got/want)) > 0.1 {
			t.Errorf("temperature %.3f, want %.3f", got, want)
		}
		before, _ := MeanStdErr(as)
		after, _ := MeanStdErr(with)
		if plain := ScoreClassification(logits, 1, n, c, labels, nil).NLL; math.Abs(plain+before) > 1e-12 {
			t.Errorf("log likelihood %v without a temperature, and NLL %v", before, plain)
		}
		for _, other := range []float64{0.97, 1.03} {
			scaled := make([]float64, len(logits))
			for i, h := range logits {
				scaled[i] = h / (got * other)
			}
			if nll := ScoreClassification(scaled, 1, n, c, labels, nil).NLL; nll < -after-1e-4 {
				t.Errorf("%.2f times %.3f is better: NLL %v and %v", other, got, nll, -after)
			}
		}
	}
}

// A few rows that are all right do not make a model certain.
func TestTemperatureOfFewRows(t *testing.T) {
	got, _, with := FitTemperature(labelLogs([]float64{3, 0, 0, 3}, 2, []int32{0, 1}), nil)
	if !(got > 0.8 && got < 1) || with[0] > 0 {
		t.Errorf("temperature %v with log likelihoods %v", got, with)
	}
}

// LabelLogProbabilities has the bits of ClassDensities of tempered logits.
func TestLabelLogProbabilities(t *testing.T) {
	const s, n, c, by = 3, 150, 5, 0.7
	rng := rand.New(rand.NewPCG(1, 2))
	logits, tempered, labels := make([]float64, s*n*c), make([]float64, s*n*c), make([]int32, n)
	for i := range logits {
		logits[i] = 9 * rng.NormFloat64()
		tempered[i] = logits[i] * by
	}
	for i := range labels {
		labels[i] = int32(rng.IntN(c))
	}
	want := ClassDensities(tempered, s, n, c, labels).Log
	if got := LabelLogProbabilities(logits, s, n, c, by, labels); !slices.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}
