package seq

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCalibrated: at the link that fits best, the likelihood does not change with slope and offsets, by central
// differences.
func TestCalibrated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const n, columns = 400, 3
	targets := Targets{Columns: columns, Classes: true, Values: make([]float64, n*columns)}
	score := make([]float64, n*columns)
	for i := range n {
		class := min(2, r.IntN(8)/3)
		targets.Values[i*columns+class] = 1
		for c := range columns {
			score[i*columns+c] = 0.3 * r.NormFloat64()
		}
		score[i*columns+class] += 0.4
	}
	l := newBlockCV(targets, places(targets.n()))
	prob := l.calibrated(score)
	// log density of logits moved by step·direction
	density := func(step float64, direction func(i, c int) float64) (sum float64) {
		for i := range n {
			row, zero := make([]float64, columns), make([]float64, columns)
			for c := range columns {
				zero[c] = math.Log(prob[i*columns+c]) + step*direction(i, c)
			}
			softmax(row, zero, 1, make([]float64, columns))
			sum += math.Log(row[l.class(i)])
		}
		return sum / n
	}
	directions := []func(i, c int) float64{func(i, c int) float64 { return score[i*columns+c] }}
	for at := range columns {
		directions = append(directions, func(_, c int) float64 { return map[bool]float64{true: 1}[c == at] })
	}
	for d, direction := range directions {
		if slope := (density(1e-4, direction) - density(-1e-4, direction)) / 2e-4; math.Abs(slope) > 1e-5 {
			t.Errorf("direction %d: slope %g", d, slope)
		}
	}
}

// TestAreas: the area under the curve by all pairs, with ties.
func TestAreas(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const n = 60
	targets, score := Targets{Columns: 2, Classes: true, Values: make([]float64, 2*n)}, make([]float64, 2*n)
	for i := range n {
		targets.Values[2*i+i%2], score[2*i+1] = 1, float64(r.IntN(10)+i%2*2)
	}
	l := newBlockCV(targets, places(targets.n()))
	want := 0.0
	for i := 1; i < n; i += 2 {
		for j := 0; j < n; j += 2 {
			switch a, b := score[2*i+1], score[2*j+1]; {
			case a > b:
				want++
			case a == b:
				want += 0.5
			}
		}
	}
	if got := l.auc(score, 1); math.Abs(got-want*4/(n*n)) > 1e-12 {
		t.Errorf("%g, want %g", got, want*4/(n*n))
	}
	for i := range n / 2 { // scores that are not numbers come last, and to an end
		score[4*i+1] = math.NaN()
	}
	l.auc(score, 1)
}
