package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Counts are found where nothing else could be meant, and numbers of other kinds are not.
func TestLooksLikeCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	poisson := func(rate float64) float64 { return distuv.Poisson{Lambda: rate, Src: rng}.Rand() }
	wide := distuv.Gamma{Alpha: 0.5, Beta: 0.5, Src: rng}
	for name, c := range map[string]struct {
		of   func(i int) float64
		want bool
	}{
		"rare events":          {func(int) float64 { return poisson(0.3) }, true},
		"counts of a rate":     {func(int) float64 { return poisson(math.Exp(1 + rng.NormFloat64())) }, true},
		"wide counts":          {func(int) float64 { return poisson(3 * wide.Rand()) }, true},
		"without a zero":       {func(int) float64 { return 1 + poisson(2) }, false},
		"few zeros":            {func(int) float64 { return poisson(9) }, false},
		"fractions":            {func(int) float64 { return poisson(2) + 0.5*float64(rng.IntN(2)) }, false},
		"negative":             {func(int) float64 { return poisson(2) - 1 }, false},
		"numbers of rows":      {func(i int) float64 { return float64(i) }, false},
		"large amounts":        {func(int) float64 { return math.Floor(math.Exp(4 + 2*rng.NormFloat64())) }, false},
		"scores, symmetric":    {func(int) float64 { return float64(rng.IntN(21)) }, false},
		"mostly large, some 0": {func(i int) float64 { return float64(min(i%3, 1)) * (90 + poisson(4)) }, false},
		"years and unknowns":   {func(i int) float64 { return float64(min(i%20, 1)) * float64(1950+rng.IntN(60)) }, false},
	} {
		var rows Rows
		for i := range 200 {
			rows.Inputs, rows.Values = append(rows.Inputs, []float64{float64(i)}), append(rows.Values, c.of(i))
		}
		d := must.Get(FromRows(rows))(t)
		if got := LooksLikeCounts(d); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Levels have the order that is asked for, or that of their numbers; what has none is refused.
func TestInOrder(t *testing.T) {
	for _, c := range []struct {
		classes, levels string
		want, wrong     string
	}{
		{"high low mid", "low mid high", "low mid high", ""},
		{"1 2 10", "", "1 2 10", ""},
		{"1 10 2", "", "1 2 10", ""},
		{"1 2 10", "10 2 1", "10 2 1", ""},
		{"true 0.5 False", "", "False 0.5 true", ""},
		{"high low mid", "", "", `are words, such as "high", which have no order`},
		{"high low mid", "low high", "", `--set order has the levels "low", "high", and the classes`},
		{"high low mid", "low mid hihg high", "", `--set order has the levels "low", "mid", "hihg", "high"`},
		{"high low mid", "low mid mid high", "", `has the levels "low", "mid", "mid", "high"`},
	} {
		d := &Dataset{Task: Classification, Target: "y", Classes: strings.Fields(c.classes), Labels: []int32{2, 0, -1, 1}}
		var before []string
		for _, l := range d.Labels {
			before = append(before, fmt.Sprint(l < 0, d.Classes[max(l, 0)]))
		}
		var levels []string
		if c.levels != "" {
			levels = strings.Fields(c.levels)
		}
		err := d.InOrder(levels)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s as %s: %v", c.classes, c.levels, err)
			}
			continue
		}
		if err != nil || !slices.Equal(d.Classes, strings.Fields(c.want)) {
			t.Errorf("%s as %s: %v, %v", c.classes, c.levels, d.Classes, err)
			continue
		}
		for i, l := range d.Labels {
			if l >= 0 && fmt.Sprint(false, d.Classes[l]) != before[i] {
				t.Errorf("%s as %s: row %d is %s, was %s", c.classes, c.levels, i, d.Classes[l], before[i])
			}
		}
	}
}
