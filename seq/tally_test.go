package seq

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTally: a map that counts a sequence itself counts the keys that it would have listed, of one strand and of both,
// with unknown symbols, in pieces and whole; and it forgets them.
func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	line := func(from string, n int) string { return string(letters(r, from, n)) }
	few, many, clean := dnaText+dnaText+dnaText+"N", dnaText+strings.Repeat("N", 4), strings.Repeat(dnaText, 20)+"N"
	for _, c := range []struct {
		spec    string
		kind    Kind
		lines   []string
		itself  int // how many of the lines are counted so
		strands int
	}{
		{"gapped:5,2", DNA, []string{line(few, 300), "", "ACG", line(many, 300), line(clean, 3*atATime+7),
			line(dnaText, 5), line(dnaText, 2*atATime)}, 7, 2},
		// sorted, and counted
		{"gapped:8,3", DNA, []string{line(few, 40), line(dnaText, 40), line(many, 40), line(dnaText, 1000)}, 4, 2},
		{"gapped:12,0", DNA, []string{line(clean, maxWindows+100), line(clean, 500)}, 1, 1},
		{"gapped:4,1", Protein, []string{line(proteinText+"X", 200), line(proteinText, 200)}, 2, 1},
		{"mismatch:4,2", DNA, []string{line(few, 500), line(dnaText, 4), "", line(clean, block+50)}, 3, 2},
		{"mismatch:2,1", Protein, []string{line(proteinText+"X", 300), "A"}, 1, 1},
		{"mismatch:3,0", DNA, []string{line(few, 500)}, 1, 1},
	} {
		set := encode(t, c.kind, c.lines...)
		f := mustFit(t, c.spec, set)
		s, codes := newScratch(f.ex.space()), new(prepared)
		itself := 0
		for i := range set.N() {
			strands := [][]int32{set.At(i)}
			if c.strands == 2 {
				strands = append(strands, codes.otherStrand(set.At(i)))
			}
			got, ok := f.ex.(counting).tally(strands, s)
			if !ok {
				continue
			}
			itself++
			got = tally{slices.Clone(got.keys), slices.Clone(got.counts)}
			for _, x := range strands {
				f.ex.keys(x, s)
			}
			if want := s.count.drain(); !slices.Equal(got.keys, want.keys) || !slices.Equal(got.counts, want.counts) {
				t.Errorf("%s: sequence %d has other features where it is counted as a whole", c.spec, i)
			}
			if slices.ContainsFunc(s.few[:cap(s.few)], func(n uint32) bool { return n != 0 }) {
				t.Fatalf("%s: a count is left of sequence %d", c.spec, i)
			}
		}
		if itself != c.itself {
			t.Errorf("%s: %d sequences are counted as a whole, want %d", c.spec, itself, c.itself)
		}
	}
}

// TestOccurrences: a k-mer has a feature for each occurrence up to a bound, and none counts more than once.
func TestOccurrences(t *testing.T) {
	a, c := strings.Repeat("A", occurrences+900), strings.Repeat("C", occurrences+400)
	set := encode(t, DNA, a, a[:occurrences+500]+c)
	rows := mustFit(t, "intersection:1", set).Rows(set)
	if got, want := innerProducts(rows, rows)[1], math.Sqrt(0.5); math.Abs(got-want) > 1e-10 {
		t.Errorf("%g, want %g", got, want)
	}
}
