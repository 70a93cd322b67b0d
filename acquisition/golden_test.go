package acquisition

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// golden are BoTorch's values of testdata/golden.py.
type golden struct {
	Mean         []float64
	Covariance   [][]float64
	Noise, Best  float64
	Kappa        float64
	EI, UCB      []float64
	Functions    [][]float64
	QEIRows      []int     `json:"qei_rows"`
	QEI          []float64 // of the first row, of two, of three
	VarianceRows []int     `json:"variance_rows"`
	Variance     []float64
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	if err == nil {
		err = json.Unmarshal(text, &g)
	}
	must.OK(t, err)
	return g
}

// exact returns functions whose mean and covariance are those of BoTorch's GP, to rounding: ±√N times the columns of
// the covariance's Cholesky factor.
func (g *golden) exact() Samples {
	n := len(g.Mean)
	l := make([][]float64, n)
	for i := range l {
		l[i] = make([]float64, n)
		for j := range i + 1 {
			sum := g.Covariance[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if l[i][j] = math.Sqrt(max(sum, 0)); i != j {
				l[i][j] = sum / l[j][j]
			}
		}
	}
	f := Samples{S: 2 * n, N: n}
	for k := range n {
		for _, sign := range []float64{1, -1} {
			for i := range n {
				f.F = append(f.F, g.Mean[i]+sign*math.Sqrt(float64(n))*l[i][k])
			}
		}
	}
	return f
}

func rowsOf(picks []Pick) (rows []int) {
	for _, p := range picks {
		rows = append(rows, p.Row)
	}
	return rows
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-9) {
		t.Errorf("%s is %.12g, BoTorch has %.12g", what, got, want)
	}
}

// On BoTorch's own draws, the improvements of a batch add up to its qEI.
func TestExpectedImprovementIsThatOfBoTorch(t *testing.T) {
	g := readGolden(t)
	f := Samples{S: len(g.Functions), N: len(g.Mean), F: slices.Concat(g.Functions...)}
	picks := ExpectedImprovement(f, slices.Repeat([]float64{g.Best}, f.S), nil, 3)
	if rows := rowsOf(picks); !slices.Equal(rows, g.QEIRows) {
		t.Errorf("rows %v, BoTorch has %v", rows, g.QEIRows)
	}
	sum := 0.0
	for k, p := range picks {
		sum += p.Value
		near(t, "qEI", sum, g.QEI[k])
	}
	// and its closed form, within the error of 64 draws
	if best := slices.Max(g.EI); math.Abs(picks[0].Value-best) > 0.1*best {
		t.Errorf("EI is %g, in closed form %g", picks[0].Value, best)
	}
}

// With the moments of BoTorch's GP, bounds and conditional variances are BoTorch's.
func TestVariancesAreThoseOfBoTorch(t *testing.T) {
	g := readGolden(t)
	f, noise := g.exact(), slices.Repeat([]float64{g.Noise}, len(g.Mean))
	near(t, "UCB", UpperBound(f, noise, g.Kappa, 1)[0].Value, slices.Max(g.UCB))
	picks := Variance(f, noise, nil, 3)
	if rows := rowsOf(picks); !slices.Equal(rows, g.VarianceRows) {
		t.Errorf("rows %v, BoTorch has %v", rows, g.VarianceRows)
	}
	for k, p := range picks {
		near(t, "variance", p.Value, g.Variance[k])
	}
}
