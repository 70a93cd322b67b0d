package data

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Targets that differ teach nothing where their logarithms are alike.
func TestAlikeLogarithms(t *testing.T) {
	alike := 0
	for _, y := range []float64{1e15, 1e16, 1e17, 1e18} {
		d := &Dataset{Task: Regression, Target: "y", Y: []float64{y, math.Nextafter(y, 2*y)}}
		if math.Log(d.Y[0]) != math.Log(d.Y[1]) {
			continue
		}
		alike++
		if _, err := FitTargets(LogTargets, d); err == nil || !strings.Contains(err.Error(), "logarithms") {
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
	for name, c := range map[string]struct {
		draw func() float64
		log  bool
	}{
		"incomes":          {func() float64 { return math.Exp(10 + 1.2*rng.NormFloat64()) }, true},
		"populations":      {func() float64 { return 1000 * math.Pow(1-rng.Float64(), -1/0.9) }, true},
		"concentrations":   {func() float64 { return math.Exp(-7 + 2*rng.NormFloat64()) }, true},
		"counts above 0":   {func() float64 { return math.Ceil(math.Exp(2 + 1.5*rng.NormFloat64())) }, true},
		"areas with zeros": {func() float64 { return max(0, math.Exp(2*rng.NormFloat64())-0.5) }, false},
		"temperatures":     {func() float64 { return 290 + 10*rng.NormFloat64() }, false},
		"house prices":     {func() float64 { return min(50, 5+math.Exp(2.8+0.4*rng.NormFloat64())) }, false},
		"strengths":        {func() float64 { return max(2, 36+17*rng.NormFloat64()) }, false},
		"shares":           {func() float64 { return rng.Float64() }, false},
		"waiting times":    {func() float64 { return rng.ExpFloat64() }, false},
		"wages":            {func() float64 { return math.Exp(3 + 0.6*rng.NormFloat64()) }, false},
		"losses":           {func() float64 { return -math.Exp(3 * rng.NormFloat64()) }, false},
	} {
		for _, n := range []int{200, 5000} {
			rng = rand.New(rand.NewPCG(1, uint64(n)))
			d := &Dataset{Task: Regression, Target: "y", Y: make([]float64, n)}
			for i := range d.Y {
				d.Y[i] = c.draw()
			}
			scales, err := FitTargets(AutoTargets, d)
			if err != nil || scales[0].Log != c.log {
				t.Errorf("%s, %d rows: logarithm %v, want %v (%v)", name, n, scales[0].Log, c.log, err)
			}
			if notes := DescribeTargets(d, scales); len(notes) == 1 != c.log {
				t.Errorf("%s: %q", name, notes)
			}
			if plain, _ := FitTargets(StandardTargets, d); plain[0].Log {
				t.Errorf("%s: standard took logarithms", name)
			}
			for i, z := range Standardise(d.Y, scales) {
				if back := scales[0].Own(z); math.Abs(back/d.Y[i]-1) > 1e-9 && math.Abs(back-d.Y[i]) > 1e-9 {
					t.Fatalf("%s: %g became %g", name, d.Y[i], back)
				}
			}
		}
	}
}

// What has no logarithm is an error that names it.
func TestLogTargetErrors(t *testing.T) {
	d := &Dataset{Path: "sales.csv", Task: Regression, Target: "sales", Y: []float64{1, 10, 0, 1e6}}
	if _, err := FitTargets(LogTargets, d); err == nil ||
		!strings.Contains(err.Error(), `row 3: the target "sales" is 0`) {
		t.Error(err)
	}
	_, err := FitTargets("logs", d)
	wantError(t, "", err, strings.Contains, "log")
	logs := []TargetScale{{0, 1, true, 3, 10, 1}}
	if err := Positive(d, logs); err == nil ||
		!strings.Contains(err.Error(), `sales.csv: row 3: the target "sales" is 0`) {
		t.Error(err)
	}
	if err := Positive(d, []TargetScale{{Mean: 0, SD: 1}}); err != nil {
		t.Error(err)
	}
	if y, ok := logs[0].Best(true); y != 1 || !ok {
		t.Error(y, ok)
	}
	if _, ok := (TargetScale{0, 1, true, 3, 10, 0}).Best(true); ok {
		t.Error("an old model knows its least target")
	}
	if logs[0].Unit() != 3 {
		t.Error(logs[0].Unit())
	}
}
