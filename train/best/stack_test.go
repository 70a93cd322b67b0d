package best

import (
	"math"
	"math/rand/v2"
	"testing"
)

func density(w []float64, logs [][]float64) (sum float64) {
	for i := range logs[0] {
		p := 0.0
		for k := range w {
			p += w[k] * math.Exp(logs[k][i])
		}
		sum += math.Log(p)
	}
	return sum
}

// The weights are the best on the simplex: no move from one model to another improves them. A model that only spoils
// gets none.
func TestStack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 400
	logs := make([][]float64, 4)
	for k := range logs {
		logs[k] = make([]float64, n)
		for i := range logs[k] {
			logs[k][i] = rng.NormFloat64() - []float64{0, 0.2, 0.1, 30}[k]
		}
	}
	logs[1][7] = math.Inf(-1)
	w := stack(logs, nil)
	total, best := 0.0, density(w, logs)
	for k := range w {
		total += w[k]
		for j := range w {
			const step = 0.01
			moved := append([]float64(nil), w...)
			moved[k], moved[j] = moved[k]-step, moved[j]+step
			if k != j && moved[k] >= 0 && density(moved, logs) > best+1e-6 {
				t.Errorf("weights %v: moving %g from %d to %d is better by %g", w, step, k, j,
					density(moved, logs)-best)
			}
		}
	}
	if math.Abs(total-1) > 1e-12 || w[3] != 0 {
		t.Errorf("weights %v", w)
	}
	if w := stack(logs[:1], nil); w[0] != 1 {
		t.Errorf("a single model has the weight %g", w[0])
	}
}

// No weight is below the least, also where the steps after a cut lead there.
func TestRepeatedCutsOfStack(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		logs := make([][]float64, 4)
		for k := range logs {
			for range 30 {
				logs[k] = append(logs[k], 0.5*rng.NormFloat64())
			}
		}
		for _, w := range stack(logs, nil) {
			if w != 0 && w < minWeight {
				t.Errorf("seed %d: a model has the weight %g", seed, w)
			}
		}
	}
}

// The same model twice is as good as once.
func TestStackOfEqualModels(t *testing.T) {
	logs := [][]float64{{-1, -2, -0.5}, {-1, -2, -0.5}}
	if w := stack(logs, nil); math.Abs(w[0]-0.5) > 1e-9 {
		t.Errorf("weights %v", w)
	}
}
