package seq

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

func mustMatch(t testing.TB, spec string, a *Alphabet) *matches {
	t.Helper()
	terms := must.Get(Parse(spec))(t)
	m := newMatches(terms[0], a)
	if m == nil {
		t.Fatalf("%s over %s is not counted by windows", spec, a.Kind)
	}
	return m
}

// matched returns the inner products, by windows, of all sequences with the sequences of xbar.
func matched(t testing.TB, m *matches, all, xbar *Set) (dots, units []float64) {
	return m.dots(t.Context(), all, xbar, m.squares(t.Context(), xbar))
}

// TestMatchesNaive: windows have the inner products of the definition, with unknown symbols, with both strands, where
// sequences are shorter than a window, and where C(g, k) takes two bytes; so have all against all; and the bits do not
// depend on the threads.
func TestMatchesNaive(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range []struct {
		spec string
		kind Kind
	}{
		{"gapped:1,0", DNA}, {"gapped:2,1", DNA}, {"gapped:3,1/rc", DNA}, {"gapped:6,2", DNA},
		{"gapped:8,3/rc", DNA}, {"gapped:10,4/rc", DNA},
		{"gapped:11,4", DNA}, {"gapped:12,7/rc", DNA}, {"gapped:2,1", Protein}, {"gapped:5,2", Protein},
		{"gapped:7,3", Protein}, {"gapped:10,6", Protein},
	} {
		if testing.Short() && strings.Contains(c.spec, ":1") { // windows of ten and more take long
			continue
		}
		lines := append(randomLines(c.kind, 25, 30, 11), "", "A", "a", strings.Repeat("A", 70))
		set := encode(t, c.kind, lines...)
		chosen := []int{27, 3, 26, 9, 4, 25, 3, 11, 28}
		xbar := set.Subset(chosen)
		m := mustMatch(t, c.spec, set.Alphabet)
		define, codes := naive("gapped"), new(prepared)
		bags := make([]bag, set.N())
		for i := range bags {
			bags[i] = define(codes.fold(m.term, set.At(i)), m.term.Args, set.Alphabet)
			if m.term.BothStrands {
				for name, n := range define(codes.otherStrand(set.At(i)), m.term.Args, set.Alphabet) {
					bags[i][name] += n
				}
			}
			bags[i] = bags[i].unit(m.term, nil, 0)
		}
		var dots, units, own []float64
		for _, threads := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(threads)
			again, squares := matched(t, m, set, xbar)
			among, _ := m.among(t.Context(), set)
			if dots == nil {
				dots, units, own = again, squares, among
			}
			for name, same := range map[string]bool{"products": slices.Equal(again, dots),
				"squares": slices.Equal(squares, units), "products among the set": slices.Equal(among, own)} {
				if !same {
					t.Errorf("%s: other bits of %s with %d threads", c.spec, name, threads)
				}
			}
		}
		n, w := set.N(), xbar.N()
		for i := range n {
			u := bags[i]
			if units[i] != float64(min(1, len(u))) {
				t.Errorf("%s: ‖φ(%d)‖² is %g", c.spec, i, units[i])
			}
			for j, at := range chosen {
				if want := u.dot(bags[at]); abs(dots[i*w+j]-want) > 1e-12 {
					t.Fatalf("%s over %s: ⟨φ(%d), φ(x̄_%d)⟩ is %.17g, want %.17g", c.spec, c.kind,
						i, j, dots[i*w+j], want)
				}
			}
			for j := range i + 1 {
				if want := u.dot(bags[j]); abs(own[i*n+j]-want) > 1e-12 || own[i*n+j] != own[j*n+i] {
					t.Fatalf("%s over %s: ⟨φ(%d), φ(%d)⟩ is %.17g, want %.17g", c.spec, c.kind, i, j, own[i*n+j], want)
				}
			}
			if units[i] == 1 && own[i*n+i] != 1 {
				t.Errorf("%s: a sequence and itself: %.17g", c.spec, own[i*n+i])
			}
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

// TestMatchesFeatures: windows have the inner products of features for sequences of all lengths. This also holds where
// a sequence is compared with itself by its features, and where the windows of a set are listed in parts.
func TestMatchesFeatures(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector has shorter sequences")
	}
	r := rand.New(rand.NewPCG(9, 9))
	line := func(n int) string { return string(letters(r, dnaText+dnaText+dnaText+"N", n)) }
	set := encode(t, DNA, line(maxSelf), line(100), line(maxSelf+1), line(maxSymbols+1), line(0), line(300))
	xbar := set.Subset([]int{1, 4, 5})
	for _, spec := range []string{"gapped:3,1/rc", "gapped:6,2"} {
		dots, units := matched(t, mustMatch(t, spec, set.Alphabet), set, xbar)
		f := mustFit(t, spec, xbar)
		rows := f.Rows(set)
		for i, want := range innerProducts(rows, f.Rows(xbar)) {
			if abs(dots[i]-want) > 1e-12 {
				t.Errorf("%s: product %d is %.15g, want %.15g", spec, i, dots[i], want)
			}
		}
		if !slices.Equal(units, rows.Square) {
			t.Errorf("%s: %v, want %v", spec, units, rows.Square)
		}
	}
}

// TestMatchesFor: windows are compared where that pays and where counts stay as they are, and X̄ has no features
// then until they are asked for, which give the same distances.
func TestMatchesFor(t *testing.T) {
	set := encode(t, DNA, manyLines(400)[:60]...)
	protein := encode(t, Protein, randomLines(Protein, 60, 300, 3)...)
	short := &Set{Alphabet: set.Alphabet, Codes: set.Codes, Start: []int{0, len(set.Codes)}}
	for _, c := range []struct {
		spec string
		want bool
	}{
		{"gapped:10,4/rc", true},
		{"gapped:10,4/linear", true},
		{"gapped:10,4/sqrt", false},
		{"gapped:10,4/tfidf", false},
		{"gapped:16,2", false},
		{"spectrum:3", false},
		{"gapped:3,1", false},
	} {
		t.Run(c.spec, func(t *testing.T) {
			terms := must.Get(Parse(c.spec))(t)
			if got := matchesFor(terms[0], set) != nil; got != c.want {
				t.Errorf("%s by windows: %t", c.spec, got)
			}
			if got := matchesFor(terms[0], protein) != nil; got != (c.want && !strings.Contains(c.spec, "/rc")) {
				t.Errorf("%s of proteins by windows: %t", c.spec, got)
			}
			if matchesFor(terms[0], short) != nil && c.spec == "gapped:6,2" {
				t.Errorf("%s of a long sequence by windows", c.spec)
			}
		})
	}
	spec := must.Get(Parse("gapped:10,4/rc+gapped:8,3/linear"))(t)
	b := must.Get(NewInducingSequences(t.Context(), spec, set, []int{5, 7, 1, 30}))(t)
	if b.parts[0].inverted != nil || b.parts[1].matches == nil {
		t.Error("X̄ has features where windows are compared")
	}
	n, m := set.N(), b.M()
	got, lists := b.Distances(t.Context(), set, 0, n), b.Columns(t.Context())
	for i, rows := range b.Vectors(t.Context(), set, 0, n) {
		d2 := make([]float64, n*m)
		lists[i].dots(t.Context(), d2, rows, 0, n)
		distances(device.Squared, d2, rows.Square, lists[i].Square)
		for at, want := range d2 {
			// rounding of 150 000 products
			if d := got[at/m*b.width()+i*m+at%m]; abs(d-want) > 1e-10 {
				t.Fatalf("map %d: distance %d is %g by windows, %g by features", i, at, d, want)
			}
		}
	}
}

// TestMatchesMemory: a comparison needs memory for its result and for the windows of some sequences, however many there
// are.
func TestMatchesMemory(t *testing.T) {
	line := strings.Repeat("ACGTTGCA", 1000)
	lines := make([]string, 4*maxSymbols/len(line))
	for i := range lines {
		lines[i] = line
	}
	set := encode(t, DNA, lines...)
	xbar := encode(t, DNA, "ACGTACGT", "TTTTTTTT")
	m := mustMatch(t, "gapped:4,1", set.Alphabet)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m.products(t.Context(), make([]float64, set.N()*2), set, xbar, false)
	runtime.ReadMemStats(&after)
	parts := uint64(len(set.Codes)/maxSymbols + 1)
	if took := after.TotalAlloc - before.TotalAlloc; took > parts*(12*maxSymbols+1<<20) {
		t.Errorf("%d bytes for %d symbols", took, len(set.Codes))
	}
}

// FuzzMatches compares two sequences by windows and by features.
func FuzzMatches(f *testing.F) {
	f.Add([]byte("ACGTACGTNNACGT"), []byte("ACGACGTTT"), uint8(2), uint8(3))
	f.Add([]byte(""), []byte("\xff\x00"), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, x, y []byte, a, b uint8) {
		set := &Set{Alphabet: &Alphabet{Kind: DNA, Letters: 4}, Start: []int{0, len(x), len(x) + len(y)}}
		for _, c := range slices.Concat(x, y) {
			set.Codes = append(set.Codes, int32(c%5)-1)
		}
		g := 1 + int(a)%12
		term := Term{Map: "gapped", Args: []int{g, int(b) % g}, Counts: Raw, BothStrands: a > 127}
		m := newMatches(term, set.Alphabet)
		features := must.Get(Fit(t.Context(), term, set))(t)
		rows := features.Rows(set)
		dots, _ := m.among(t.Context(), set)
		for i, want := range innerProducts(rows, rows) {
			if abs(dots[i]-want) > 1e-12 {
				t.Fatalf("%v: %v, want %g at %d", term, dots, want, i)
			}
		}
	})
}
