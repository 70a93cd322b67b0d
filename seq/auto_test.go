package seq

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestLeaveOneOut refits without each row.
func TestLeaveOneOut(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const n, columns = 23, 2
	l := &loo{n: n, columns: columns}
	k := make([]float64, n*n)
	x := make([]float64, n)
	for i := range x {
		x[i] = 3 * r.Float64()
		l.y = append(l.y, math.Sin(x[i])+5, r.Float64())
	}
	l.center()
	for i := range n {
		for j := range n {
			k[i*n+j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]))
		}
		k[i*n+i] += 0.1
	}
	want := 0.0
	for i := range n { // without row i
		rest := slices.Delete(slices.Collect(func(yield func(int) bool) {
			for j := range n {
				if !yield(j) {
					return
				}
			}
		}), i, i+1)
		g := mat.NewDense(n-1, n-1, nil)
		for a, p := range rest {
			for b, q := range rest {
				g.Set(a, b, k[p*n+q])
			}
		}
		for c := range columns {
			y := mat.NewVecDense(n-1, nil)
			for a, p := range rest {
				y.SetVec(a, l.y[p*columns+c])
			}
			var alpha mat.VecDense
			if err := alpha.SolveVec(g, y); err != nil {
				t.Fatal(err)
			}
			predicted := 0.0
			for a, p := range rest {
				predicted += k[i*n+p] * alpha.AtVec(a)
			}
			want += (l.y[i*columns+c] - predicted) * (l.y[i*columns+c] - predicted)
		}
	}
	variance := 0.0
	for _, v := range l.y {
		variance += v * v
	}
	want /= variance
	if got, se := l.loss(k); math.Abs(got-want) > 1e-10*want || se <= 0 || se > got {
		t.Errorf("%g ± %g, want %g", got, se, want)
	}
}

// TestSelect: what makes a class decides which map is best.
func TestSelect(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	e := NewEncoder(DNA)
	const n = 160
	var classes, numbers []float64
	for i := range n {
		x := make([]byte, 40)
		for j := range x {
			x[j] = "ACGT"[r.IntN(4)]
		}
		for j := 3; j < len(x); j++ { // class 1: a symbol is often that of three before
			if i%2 == 1 && r.IntN(2) == 0 {
				x[j] = x[j-3]
			}
		}
		if err := e.Add(x); err != nil {
			t.Fatal(err)
		}
		classes = append(classes, float64(1-i%2), float64(i%2))
		count := 0
		for _, c := range x {
			if c == 'G' {
				count++
			}
		}
		numbers = append(numbers, 100+float64(count))
	}
	set, _ := e.Set()
	specs := []Spec{}
	for _, text := range []string{"spectrum:1", "spectrum:2", "double:1,5", "spectrum:5/presence"} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, s)
	}
	best, scores, err := Select(t.Context(), specs, set, classes, 2, true, 1)
	if err != nil || best != 2 || scores[2].Loss > 0.2 || scores[0].Loss < 0.3 || len(scores) != 4 {
		t.Errorf("%d of %+v, %v", best, scores, err)
	}
	best, scores, err = Select(t.Context(), specs, set, numbers, 1, false, 1)
	if err != nil || best != 0 || scores[0].Loss > 0.1 {
		t.Errorf("%d of %+v, %v", best, scores, err)
	}
	if bad, _ := Parse("words:2"); bad != nil {
		if _, _, err := Select(t.Context(), []Spec{bad}, set, numbers, 1, false, 1); err == nil {
			t.Error("words of DNA")
		}
	}
}

// TestCandidates: they fit their alphabets.
func TestCandidates(t *testing.T) {
	for _, k := range symbolKinds() {
		set := encode(t, k, randomLines(k, 10, 10, 1)...)
		specs := Candidates(k)
		if len(specs) < 2 {
			t.Errorf("%s has %d candidates", k, len(specs))
		}
		for _, s := range specs {
			for _, term := range s {
				if _, err := Fit(t.Context(), term, set); err != nil {
					t.Errorf("%s over %s: %v", s, k, err)
				}
			}
		}
	}
}
