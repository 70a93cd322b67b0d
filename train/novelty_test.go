// These tests predict rows that are unlike those of training.

package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// distances predicts a data set with a model that went through its file.
func distances(t *testing.T, trained *fitted.Model, ds *data.Dataset) []float64 {
	t.Helper()
	_, d, err := reread(t, trained).PredictSet(t.Context(), openCPU(t), ds, 2, fitted.PredictOptions{Distances: true})
	if err != nil || len(d) != ds.N() {
		t.Fatalf("%d distances of %d rows, %v", len(d), ds.N(), err)
	}
	return d
}

// gap returns n rows with one input in 10 … 20 or 30 … 40, and one that is only noise.
func gap(t *testing.T, n int, seed uint64) *data.Dataset {
	rng := rand.New(rand.NewPCG(seed, 5))
	var b strings.Builder
	b.WriteString("x,z,target\n")
	for range n {
		x := 10 + 10*rng.Float64() + 20*float64(rng.IntN(2))
		fmt.Fprintf(&b, "%g,%g,%g\n", x, rng.Float64(), math.Sin(x)+0.1*rng.NormFloat64())
	}
	return readText(t, "gap.csv", b.String(), data.ReadOptions{})
}

// A row like the training rows is near with every model, whatever the scaling. A row in the gap or outside is not.
func TestNoveltyOfNumbers(t *testing.T) {
	learns(t)
	set, more := gap(t, 400, 1), gap(t, 1000, 2)
	probes := readText(t, "probes.csv",
		"x,z,target\n15,0.5,0\n25,0.5,0\n60,0.5,0\n35,4,0\n15,-1e90,0\n", data.ReadOptions{})
	var first []float64
	for _, c := range []struct {
		options string
		scaled  bool    // distances have other units than those of the other models
		inGap   float64 // least distance of the row in the gap
	}{
		{"model=gp", false, 2},
		{"model=drf features=5", false, 2},
		{"model=gpdrf features=5", false, 2},
		{"model=gp scaling=robust", true, 2},
		{"model=gp scaling=log", true, 0.9}, // rows are rare among the least, and the gap is no wider than that
		{"model=gp scaling=none", true, 2},
	} {
		t.Run(c.options, func(t *testing.T) {
			trained := mustFit(t, c.options+" steps=2 eval-samples=2", set).Trained
			if own := distances(t, trained, set); slices.Max(own) != 0 {
				t.Errorf("training rows are %g away from themselves", slices.Max(own))
			}
			if n := beyond(distances(t, trained, more)); n > 40 {
				t.Errorf("%d of 1000 rows like those of training are beyond 1", n)
			}
			d := distances(t, trained, probes)
			for i, row := range []struct {
				name      string
				low, high float64
			}{
				{"like those of training", 0, 1},
				{"in the gap", c.inGap, math.MaxFloat64},
				{"outside by x", 1.5 * d[1], math.MaxFloat64},
				{"outside by z", 2, math.MaxFloat64},
				{"far outside by z", 1e12, math.MaxFloat64},
			} {
				if !(row.low <= d[i] && d[i] <= row.high) {
					t.Errorf("the distance of a row %s is %g, expected %g … %g", row.name, d[i], row.low, row.high)
				}
			}
			switch {
			case c.scaled:
			case first == nil:
				first = d
			case !slices.Equal(first, d):
				t.Errorf("distances are %v, and those of another model %v", d, first)
			}
		})
	}
}

// beyond counts the distances above 1. Of rows like those of training, it is at most 1 % and five standard deviations,
// including the deviation of the unit.
func beyond(distances []float64) (n int) {
	for _, d := range distances {
		if d > 1 {
			n++
		}
	}
	return n
}

// The distances of sequences are distances to X̄ in feature space; for sequences and numbers, the larger of both.
func TestNoveltyOfSequences(t *testing.T) {
	learns(t)
	set, more := genes(t, 160, 1), genes(t, 300, 2)
	odd := readText(t, "odd.fasta",
		">a|0\nTTTTTTTTTTTTTTTTTTTTTTTTTT\n>b|1\nGATTACAGATTACAGATTACA\n", data.ReadOptions{})
	for _, options := range sequenceRuns {
		t.Run(options, func(t *testing.T) {
			trained := mustFit(t, options+" steps=2", set).Trained
			d, oddly := distances(t, trained, more), distances(t, trained, odd)
			if n := beyond(d); n > 40 {
				t.Errorf("%d of 300 sequences like those of training are beyond 1", n)
			}
			if least := slices.Min(d); least <= 0 {
				t.Errorf("another sequence than those of training is %g away", least)
			}
			// what shares no feature is √2 away: there is no farther
			if most := slices.Max(d); oddly[0] < 0.9 || oddly[0] < most*0.9 {
				t.Errorf("a sequence unlike all others is %g away, others %g at most", oddly[0], most)
			}
			inducing := inducingOf(trained)
			if inducing == nil {
				return
			}
			got, want := d[0]*trained.Novelty.ToXBar, naiveToXBar(inducing, more.Sequences)
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("the distance to X̄ is %g, want %g", got, want)
			}
		})
	}
	both := mustFit(t, "model=gp inducing=40 kernel=rbf+spectrum:3 steps=2", mixed(t, 160, 1))
	row := func(dose, gene string) float64 {
		probe := readText(t, "p.csv", "dose,gene,target\n"+dose+","+gene+",50\n", data.ReadOptions{Sequence: "gene"})
		return distances(t, both.Trained, probe)[0]
	}
	known := "ACGTGATTACAGGCATTGATTACACCAG"
	near := row("5", known)
	if near > 1.2 {
		t.Errorf("a row like those of training is %g away", near)
	}
	if dose := row("50", known); dose < 10 {
		t.Errorf("a row with a far dose is %g away", dose)
	}
	if odd := row("5", "TTTTTTTTTTTTTTTTTTTTTTTTTT"); odd < near {
		t.Errorf("a row with an odd sequence is %g away, and one like those of training %g", odd, near)
	}
}

// naiveToXBar returns the distance of the first sequence of a set.
func naiveToXBar(b *seq.InducingSequences, set *seq.Set) float64 {
	row, m, least := b.Distances(context.Background(), set, 0, 1), b.M(), math.Inf(1)
	for j := range m {
		sum := 0.0
		for i := range b.Spec {
			sum += row[i*m+j]
		}
		least = min(least, sum)
	}
	return math.Sqrt(least)
}

// Older models have no distances, and damaged ones are refused.
func TestNoveltyInFile(t *testing.T) {
	trained := mustFit(t, "model=gp steps=2 inducing=5", gap(t, 40, 1)).Trained
	rows := gap(t, 3, 2)
	dev := openCPU(t)
	known := trained.Novelty
	for wrong, k := range map[string]*fitted.Novelty{
		"unit":    {Points: known.Points, Width: 2, Unit: -1},
		"no unit": {Points: known.Points, Width: 2},
		"x̄":      {Points: known.Points, Width: 2, Unit: 1, ToXBar: 1},
		"width":   {Points: known.Points, Width: 4, Unit: 1},
		"points":  {Points: []float64{1, math.NaN()}, Width: 2, Unit: 1},
	} {
		trained.Novelty = k
		text := bytesOf(t, trained)
		if _, err := readModel(t, text); err == nil {
			t.Errorf("%s: taken", wrong)
		}
	}
	trained.Novelty = nil
	text := bytesOf(t, trained)
	before := must.Get(readModel(t, text))(t)
	p, d, err := before.PredictSet(t.Context(), dev, rows, 1, fitted.PredictOptions{Distances: true})
	if err != nil || d != nil || p.N != 3 {
		t.Errorf("distances %v, %v", d, err)
	}
}

// Numbers and sequences have a warning each; a few rows that are far need not be worth one.
func TestRowWarnings(t *testing.T) {
	trained := mustFit(t, "model=gp inducing=40 kernel=rbf+spectrum:3 steps=2", mixed(t, 60, 1)).Trained
	odd := readText(t, "odd.csv",
		"dose,gene,target\n5,ACGTACGATTACA,50\n500,ACGTACGATTACA,50\n5,AC,50\n", data.ReadOptions{Sequence: "gene"})
	got := strings.Join(trained.RowWarnings(t.Context(), odd, 1), "\n")
	for _, want := range []string{`odd.csv:3: column "dose" is 500, and `,
		" in the training rows: far outside, so the prediction is unreliable\n",
		"without any feature, which the model cannot tell apart: 1 under spectrum:3, of 3"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if got := trained.RowWarnings(t.Context(), odd, 2); len(got) != 1 || strings.Contains(got[0], "dose") {
		t.Errorf("warnings %q, want one, not of the dose", got)
	}
	must.Equal(t, trained.RowWarnings(t.Context(), mixed(t, 30, 2), 1), nil)
}
