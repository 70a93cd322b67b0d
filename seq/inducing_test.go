package seq

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// basisLines returns random sequences with twins, short ones without features, and unknown symbols.
func basisLines(k Kind) []string {
	lines := randomLines(k, 30, 20, 5)
	switch k {
	case Words, Integers:
		return append(lines, lines[0], "7")
	case DNA, Protein:
		return append(lines, lines[0], "A", "NNX")
	}
	return append(lines, lines[0], "a")
}

// TestInducingSequences: distances equal the distances by Fit on all training sequences, in any block. They have the
// same bits after a model file.
func TestInducingSequences(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		spec string
	}{
		{DNA, "spectrum:3/sqrt+double:1,2/tfidf+gapped:4,2/linear"}, {Protein, "degree:3/tfidf+triple:1,2/log"},
		{Bytes, "words:2/log/tfidf+blended:12/tfidf/linear"}, {Words, "spectrum:2/tfidf+words:2"},
		{Integers, "double:1,2/tfidf+spectrum:1/log/tfidf/linear"},
	} {
		lines := basisLines(c.kind)
		if c.kind == DNA {
			lines[len(lines)-1] = "NNN"
		}
		all := encode(t, c.kind, lines...)
		spec := must.Get(Parse(c.spec))(t)
		n := all.N()
		chosen := []int{3, n - 1, 0, 17, 9}
		b := must.Get(NewInducingSequences(t.Context(), spec, all, chosen))(t)
		got := b.Distances(t.Context(), all, 0, n)
		for i, term := range spec {
			f := must.Get(Fit(t.Context(), term, all))(t)
			rows := f.Rows(all)
			empty := b.Empty(t.Context(), all)[i]
			must.Equal(t, empty, emptyRows(rows))
			if c.kind == DNA && empty < 2 {
				t.Errorf("%s: %d without features, and two were made", term, empty)
			}
			xbar := someRows(rows, chosen...)
			want := distances(term.Metric(), innerProducts(rows, xbar), rows.Square, xbar.Square)
			for at, w := range want {
				if g := got[at/5*b.width()+i*5+at%5]; math.Abs(g-w) > 1e-14 {
					t.Fatalf("%s: distance %d is %g, want %g", term, at, g, w)
				}
			}
		}
		parts := append(b.Distances(t.Context(), all, 0, 7), b.Distances(t.Context(), all, 7, n)...)
		if !slices.Equal(parts, got) {
			t.Errorf("%s: distances of parts have other bits", c.spec)
		}
		again := must.Get(RestoreInducingSequences(spec, b.Set, b.States()))(t)
		if !slices.Equal(again.Distances(t.Context(), all, 0, n), got) {
			t.Errorf("%s: distances to a restored X̄ have other bits", c.spec)
		}
		if !slices.Equal(again.InducingDistances(), b.InducingDistances()) {
			t.Errorf("%s: distances among a restored X̄ have other bits", c.spec)
		}
		own := b.InducingDistances()
		for m := range 5 {
			for i := range spec {
				for other := range 5 {
					forth, back := own[m*b.width()+i*5+other], own[other*b.width()+i*5+m]
					if forth != back {
						t.Errorf("%s: distances from %d to %d and back are %g and %g", c.spec, m, other, forth, back)
					}
					if m == other && forth != 0 {
						t.Errorf("%s: sequence %d is %g from itself", c.spec, m, forth)
					}
				}
			}
		}
		for i, m := range b.Medians() {
			if !(m > 0 && m <= 2) {
				t.Errorf("%s: the median under map %d is %g", c.spec, i, m)
			}
		}
	}
}

// TestLinearEmpty: k(x, x) is 1 for a sequence without features, too, and 0 to all others.
func TestLinearEmpty(t *testing.T) {
	set := encode(t, DNA, "ACGT", "A", "N")
	b, err := NewInducingSequences(t.Context(),
		Spec{{Map: "spectrum", Args: []int{2}, Counts: Raw, Linear: true}}, set, []int{0, 1})
	must.OK(t, err)
	must.Equal(t, b.Distances(t.Context(), set, 0, 3), []float64{0, 2, 2, 0, 2, 0})
}

// TestRestoreDamage: a state from a file may hold anything.
func TestRestoreDamage(t *testing.T) {
	for kind, text := range map[Kind]string{DNA: "spectrum:2/tfidf", Bytes: "words:2/tfidf",
		Integers: "double:1,2/tfidf"} {
		set := encode(t, kind, randomLines(kind, 10, 20, 2)...)
		spec := must.Get(Parse(text))(t)
		f := must.Get(Fit(t.Context(), spec[0], set))(t)
		for name, damage := range map[string]func(s *State){
			"keys":    func(s *State) { s.Keys[0], s.Keys[1] = s.Keys[1], s.Keys[0] },
			"rows":    func(s *State) { s.Rows = s.Rows[1:] },
			"many":    func(s *State) { s.Rows[len(s.Rows)/3] = 11 },
			"none":    func(s *State) { s.N = 0 },
			"tables":  func(s *State) { s.Tables = append(s.Tables, []uint64{1}) },
			"twice":   func(s *State) { s.Tables = [][]uint64{{5, 5}} },
			"outside": func(s *State) { s.Keys[len(s.Keys)-1] = 1 << 40; s.Tables = nil },
		} {
			s := f.state()
			s.Keys, s.Rows = append([]uint64(nil), s.Keys...), append([]uint32(nil), s.Rows...)
			damage(s)
			if _, err := restore(spec[0], set.Alphabet, s); err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("%s, %s: %v", text, name, err)
			}
		}
		if _, err := restore(spec[0], set.Alphabet, f.state()); err != nil {
			t.Error(err)
		}
	}
}

// Inverted lists of a set have the elements of its rows. Distances among them follow from their inner products,
// whatever part of them is in memory.
func TestInverted(t *testing.T) {
	set := encode(t, DNA, append(randomLines(DNA, 2*partSize+50, 20, 9), "", "A")...)
	defer func(most int) { maxKept = most }(maxKept)
	for _, spec := range []string{"gapped:4,1", "spectrum:12", "degree:2/tfidf", "gapped:4,1 again",
		"spectrum:12 again", "degree:2/tfidf again"} {
		if name, _, again := strings.Cut(spec, " "); again {
			spec, maxKept = name, 0
		}
		f := mustFit(t, spec, set)
		rows := f.Rows(set)
		want, got := invert(t.Context(), rows), f.inverted(t.Context(), set)
		must.Equal(t, got.Start, want.Start)
		must.Equal(t, got.Row, want.Row)
		must.Equal(t, got.Value, want.Value)
		must.Equal(t, got.Square, want.Square)
		d2, square := f.distances(t.Context(), set)
		must.Equal(t, square, rows.Square)
		if !slices.Equal(d2, distances(device.Squared, innerProducts(rows, rows), rows.Square, rows.Square)) {
			t.Errorf("%s: other distances", spec)
		}
		for i := range rows.N() {
			columns, _ := rows.row(i)
			if !slices.IsSorted(columns) {
				t.Fatalf("%s: the columns of row %d are not ascending", spec, i)
			}
		}
	}
}
