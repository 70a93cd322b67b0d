package scaling

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Targets that differ teach nothing where their logarithms are alike.
func TestAlikeLogarithms(t *testing.T) {
	alike := 0
	for _, y := range []float64{1e15, 1e16, 1e17, 1e18} {
		d := &data.Dataset{Task: data.Regression, Target: "y", Y: []float64{y, math.Nextafter(y, 2*y)}}
		if math.Log(d.Y[0]) != math.Log(d.Y[1]) {
			continue
		}
		alike++
		if _, err := FitTargetScales(LogTargets, d); err == nil || !strings.Contains(err.Error(), "logarithms") {
			t.Errorf("%g and the next number: %v", y, err)
		}
	}
	if alike == 0 {
		t.Error("no logarithms are alike")
	}
}

// Logarithms are taken of targets that are positive and skewed over decades, and of no others.
func TestLogTargets(t *testing.T) {
	var rng *rand.Rand
	for _, c := range []struct {
		name string
		draw func() float64
		log  bool
	}{
		{"incomes", func() float64 { return math.Exp(10 + 1.2*rng.NormFloat64()) }, true},
		{"populations", func() float64 { return 1000 * math.Pow(1-rng.Float64(), -1/0.9) }, true},
		{"concentrations", func() float64 { return math.Exp(-7 + 2*rng.NormFloat64()) }, true},
		{"counts above 0", func() float64 { return math.Ceil(math.Exp(2 + 1.5*rng.NormFloat64())) }, true},
		{"areas with zeros", func() float64 { return max(0, math.Exp(2*rng.NormFloat64())-0.5) }, false},
		{"temperatures", func() float64 { return 290 + 10*rng.NormFloat64() }, false},
		{"house prices", func() float64 { return min(50, 5+math.Exp(2.8+0.4*rng.NormFloat64())) }, false},
		{"strengths", func() float64 { return max(2, 36+17*rng.NormFloat64()) }, false},
		{"shares", func() float64 { return rng.Float64() }, false},
		{"waiting times", func() float64 { return rng.ExpFloat64() }, false},
		{"wages", func() float64 { return math.Exp(3 + 0.6*rng.NormFloat64()) }, false},
		{"losses", func() float64 { return -math.Exp(3 * rng.NormFloat64()) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range []int{200, 5000} {
				rng = rand.New(rand.NewPCG(1, uint64(n)))
				d := &data.Dataset{Task: data.Regression, Target: "y", Y: make([]float64, n)}
				for i := range d.Y {
					d.Y[i] = c.draw()
				}
				scales, err := FitTargetScales(AutoTargets, d)
				if err != nil || scales[0].Log != c.log {
					t.Errorf("%d rows: logarithm %v, want %v (%v)", n, scales[0].Log, c.log, err)
				}
				if notes := DescribeTargets(d, scales); len(notes) == 1 != c.log {
					t.Errorf("%q", notes)
				}
				if plain, _ := FitTargetScales(StandardTargets, d); plain[0].Log {
					t.Error("standard took logarithms")
				}
				for i, z := range Standardise(d.Y, scales) {
					if back := scales[0].Unscale(z); math.Abs(back/d.Y[i]-1) > 1e-9 && math.Abs(back-d.Y[i]) > 1e-9 {
						t.Fatalf("%g became %g", d.Y[i], back)
					}
				}
			}
		})
	}
}

// What has no logarithm is an error that names it.
func TestLogTargetErrors(t *testing.T) {
	d := &data.Dataset{Path: "sales.csv", Task: data.Regression, Target: "sales", Y: []float64{1, 10, 0, 1e6}}
	if _, err := FitTargetScales(LogTargets, d); err == nil ||
		!strings.Contains(err.Error(), `row 3: the target "sales" is 0`) {
		t.Error(err)
	}
	_, err := FitTargetScales("logs", d)
	var fault *data.Error
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), `there is no target scaling "logs"`) {
		t.Error(err)
	}
	logs := []TargetScale{{0, 1, true, 3, 10, 1}}
	must.Contain(t, fmt.Sprint(CheckPositive(d, logs)), `sales.csv: row 3: the target "sales" is 0`)
	must.Contain(t, fmt.Sprint(CheckPositive(d, logs)), "likelihood gaussian and target-scaling=standard")
	if err := CheckPositive(d, []TargetScale{{Mean: 0, SD: 1}}); err != nil {
		t.Error(err)
	}
	if y, ok := logs[0].Best(true); y != 1 || !ok {
		t.Errorf("the best is %g, %v: want 1, true", y, ok)
	}
	if _, ok := (TargetScale{0, 1, true, 3, 10, 0}).Best(true); ok {
		t.Error("an old model knows its least target")
	}
	must.Equal(t, logs[0].Unit(), 3)
}

// Counts are found where nothing else could be meant, and numbers of other kinds are not.
func TestLooksLikeCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	poisson := func(rate float64) float64 { return distuv.Poisson{Lambda: rate, Src: rng}.Rand() }
	wide := distuv.Gamma{Alpha: 0.5, Beta: 0.5, Src: rng}
	for _, c := range []struct {
		name string
		of   func(i int) float64
		want bool
	}{
		{"rare events", func(int) float64 { return poisson(0.3) }, true},
		{"counts of a rate", func(int) float64 { return poisson(math.Exp(1 + rng.NormFloat64())) }, true},
		{"wide counts", func(int) float64 { return poisson(3 * wide.Rand()) }, true},
		{"without a zero", func(int) float64 { return 1 + poisson(2) }, false},
		{"few zeros", func(int) float64 { return poisson(9) }, false},
		{"fractions", func(int) float64 { return poisson(2) + 0.5*float64(rng.IntN(2)) }, false},
		{"negative", func(int) float64 { return poisson(2) - 1 }, false},
		{"numbers of rows", func(i int) float64 { return float64(i) }, false},
		{"large amounts", func(int) float64 { return math.Floor(math.Exp(4 + 2*rng.NormFloat64())) }, false},
		{"scores, symmetric", func(int) float64 { return float64(rng.IntN(21)) }, false},
		{"mostly large, some 0", func(i int) float64 { return float64(min(i%3, 1)) * (90 + poisson(4)) }, false},
		{"years and unknowns", func(i int) float64 { return float64(min(i%20, 1)) * float64(1950+rng.IntN(60)) },
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rows data.Rows
			for i := range 200 {
				rows.Inputs, rows.Values = append(rows.Inputs, []float64{float64(i)}), append(rows.Values, c.of(i))
			}
			d := must.Get(data.FromRows(rows))(t)
			if got := IsCountTarget(d); got != c.want {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestSeveralTargets(t *testing.T) {
	d := &data.Dataset{Task: data.Regression, Targets: []string{"d", "b"}, Y: []float64{4, 2, 8, 6, 13, 10}}
	scales, err := FitTargetScales(StandardTargets, d)
	if err != nil || len(scales) != 2 || scales[1].Mean != 6 || Standardise(d.Y, scales)[3] != 0 {
		t.Errorf("scales %v, %v", scales, err)
	}
}
