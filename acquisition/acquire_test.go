package acquisition

import (
	"math"
	"runtime"
	"slices"
	"testing"
)

// A copy of a row that is chosen is worth nothing to EI, and hardly anything to the variance.
func TestBatchIsNotOneRow(t *testing.T) {
	f := Samples{S: 4, N: 3, F: []float64{
		2, 2, 0.5,
		0, 0, 0.6,
		2, 2, 0.3,
		0, 0, 0.9,
	}}
	if rows := rowsOf(ExpectedImprovement(f, make([]float64, 4), nil, 2)); !slices.Equal(rows, []int{0, 2}) {
		t.Errorf("EI chooses %v", rows)
	}
	noise := []float64{1e-6, 1e-6, 1e-6}
	for name, picks := range map[string][]Pick{
		"variance": Variance(f, noise, nil, 2), "information": Information(f, noise, nil, 2),
		"bound": UpperBound(f, noise, 9, 2),
	} {
		if rows := rowsOf(picks); !slices.Equal(rows, []int{0, 2}) {
			t.Errorf("%s chooses %v", name, rows)
		}
	}
	if rows := rowsOf(Thompson(f, 3)); !slices.Equal(rows, []int{0, 2, 1}) {
		t.Errorf("Thompson chooses %v", rows)
	}
}

// Rows that cannot improve come last, by their means times their weights; one of weight 0 is the last.
func TestExpectedImprovementOfHopelessRows(t *testing.T) {
	f := Samples{S: 2, N: 4, F: []float64{-3, 1, -1, 2, -3, 1, -1, 2}}
	picks := ExpectedImprovement(f, []float64{0, 0}, []float64{1, 1, 1, 0}, 4)
	if rows := rowsOf(picks); !slices.Equal(rows, []int{1, 2, 0, 3}) || picks[0].Value != 1 || picks[3].Value != 0 {
		t.Errorf("%v", picks)
	}
}

// BALD is the mutual information of labels and functions by its definition, also for a second row.
func TestBALD(t *testing.T) {
	// row 0 tells the two functions apart, row 1 is a copy of it, row 2 is noise, row 3 tells a little
	p := Classes{S: 2, N: 4, C: 2, P: []float64{
		1, 0, 1, 0, 0.5, 0.5, 0.8, 0.2,
		0, 1, 0, 1, 0.5, 0.5, 0.2, 0.8,
	}}
	picks := p.BALD(nil, 4, 1)
	if math.Abs(picks[0].Value-math.Ln2) > 1e-12 || picks[0].Row != 0 {
		t.Errorf("the first is %v, expected row 0 with log 2", picks[0])
	}
	for _, pick := range picks[1:] {
		if pick.Value > 1e-12 { // the label of row 0 has told all
			t.Errorf("then %v", pick)
		}
	}
	less := p.BALD([]float64{0, 0, 1, 1}, 1, 1)[0]
	want := math.Ln2 - entropy([]float64{0.8, 0.2})
	if less.Row != 3 || math.Abs(less.Value-want) > 1e-12 {
		t.Errorf("%v, expected row 3 with %g", less, want)
	}
	if noise := p.Entropy([]float64{0, 0, 1, 0}, 1, 1)[0]; noise.Row != 2 || math.Abs(noise.Value-math.Ln2) > 1e-12 {
		t.Errorf("the entropy of noise is %v", noise)
	}
}

// Each way asks before a row whether there are to be more, and ends where there are not.
func TestStopOfSelection(t *testing.T) {
	asked := 0
	more := func(chosen int) bool {
		asked++
		return chosen < 2
	}
	f := Samples{S: 2, N: 4, F: []float64{1, 2, 3, 4, 4, 3, 1, 2}, More: more}
	p := Classes{S: 2, N: 4, C: 2, P: slices.Repeat([]float64{0.25, 0.75}, 8), More: more}
	noise := []float64{1, 1, 1, 1}
	for name, choose := range map[string]func() []Pick{
		"improvement": func() []Pick { return ExpectedImprovement(f, []float64{0, 0}, nil, 3) },
		"thompson":    func() []Pick { return Thompson(f, 3) },
		"bound":       func() []Pick { return UpperBound(f, noise, 2, 3) },
		"variance":    func() []Pick { return Variance(f, noise, nil, 3) },
		"information": func() []Pick { return Information(f, noise, nil, 3) },
		"entropy":     func() []Pick { return p.Entropy(nil, 3, 1) },
		"BALD":        func() []Pick { return p.BALD(nil, 3, 1) },
	} {
		if asked = 0; len(choose()) != 2 || asked != 3 {
			t.Errorf("%s: asked %d times", name, asked)
		}
	}
}

// What follows from a row is worked out for those after it alone: it takes most of the time.
func TestNothingFollowsTheLastRow(t *testing.T) {
	heard := 0
	picks := greedy(3, 2, nil, func(int) float64 { return 1 }, func(int) { heard++ })
	if len(picks) != 2 || heard != 1 {
		t.Errorf("%d rows, and %d of them count for others", len(picks), heard)
	}
}

// Threads change no value.
func TestThreads(t *testing.T) {
	p := Classes{S: 5, N: 90, C: 2}
	for i := range p.S * p.N {
		one := 0.5 + 0.4*math.Sin(float64(i*i))
		p.P = append(p.P, one, 1-one)
	}
	picks := p.BALD(nil, 4, 1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if alone := p.BALD(nil, 4, 1); !slices.Equal(alone, picks) {
		t.Errorf("one thread chooses %v, all %v", alone, picks)
	}
}
