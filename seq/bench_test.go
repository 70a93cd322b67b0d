package seq

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

const (
	dnaText     = "ACGT"
	proteinText = "ACDEFGHIKLMNPQRSTVWY"
)

// randomSet has sequences of this length, at least so many symbols together, each letter as often
// as it stands in letters.
func randomSet(b *testing.B, k Kind, letters string, length, symbols int) *Set {
	r := rand.New(rand.NewPCG(1, 1))
	e := NewEncoder(k)
	line := make([]byte, length)
	for total := 0; total < symbols; total += length {
		for i := range line {
			line[i] = letters[r.IntN(len(letters))]
		}
		if err := e.Add(line); err != nil {
			b.Fatal(err)
		}
	}
	set, _ := e.Set()
	return set
}

// BenchmarkFeatures counts the features of 64 kB of text on one core, as distances do: MB/s of
// text, and how many features with a value these were.
func BenchmarkFeatures(b *testing.B) {
	for _, c := range []struct {
		spec    string
		kind    Kind
		letters string
		length  int
	}{
		{"double:1,5", DNA, dnaText, 1000}, {"spectrum:6", DNA, dnaText, 1000}, {"spectrum:12", DNA, dnaText, 1000},
		{"gapped:4,1", DNA, dnaText, 1000}, {"gapped:6,2", DNA, dnaText, 1000}, {"gapped:6,2", DNA, dnaText, 10000},
		{"gapped:8,3", DNA, dnaText, 100}, {"gapped:8,3", DNA, dnaText, 1000}, {"gapped:10,4/rc", DNA, dnaText, 100},
		{"mismatch:5,1", DNA, dnaText, 100}, {"mismatch:5,1", DNA, dnaText, 1000},
		{"mismatch:8,1", DNA, dnaText, 1000}, {"mismatch:8,2", DNA, dnaText, 1000},
		{"double:1,5", Protein, proteinText, 200}, {"gapped:5,2", Protein, proteinText, 200},
		{"mismatch:5,1", Protein, proteinText, 200},
		{"double:1,5", Bytes, "etaoin shrdlu ETAOIN SHRDLU,.", 1000}, {"words:2", Bytes, "etaoin shr dlu", 1000},
	} {
		b.Run(fmt.Sprintf("%s/%s/%d", c.spec, c.kind, c.length), func(b *testing.B) {
			set := randomSet(b, c.kind, c.letters, c.length, 1<<16)
			f := mustFit(b, c.spec, set)
			b.SetBytes(int64(len(set.Codes)))
			features := 0
			for b.Loop() {
				f.each(b.Context(), set, 0, set.N(), func(_ int, rows *Rows) { features += len(rows.Column) })
			}
			b.ReportMetric(float64(features)/1e6/b.Elapsed().Seconds(), "Mfeatures/s")
		})
	}
}

// BenchmarkAmong compares 1000 sequences with each other, as the choice of a map does.
func BenchmarkAmong(b *testing.B) {
	for _, c := range []struct {
		spec    string
		kind    Kind
		letters string
		length  int
	}{
		{"gapped:10,4", DNA, dnaText, 100}, {"gapped:10,4/rc", DNA, dnaText, 100},
		{"gapped:8,3/sqrt", DNA, dnaText, 100}, {"gapped:6,2/sqrt", DNA, dnaText, 100},
		{"gapped:5,2/sqrt", Protein, proteinText, 200}, {"gapped:6,2", Protein, proteinText, 200},
		{"gapped:10,6", Protein, proteinText, 200},
		{"gapped:8,3", Bytes, "etaoin shrdlu ETAOIN SHRDLU,.", 150},
	} {
		b.Run(fmt.Sprintf("%s/%s/%d", c.spec, c.kind, c.length), func(b *testing.B) {
			set := randomSet(b, c.kind, c.letters, c.length, 1000*c.length)
			spec, err := Parse(c.spec)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(set.Codes)))
			for b.Loop() {
				if _, _, err := distancesAmong(b.Context(), spec[0], set); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDistances compares 1000 sequences with 500 of them: features and inner products. Maps
// have up to 38 000 features a sequence.
func BenchmarkDistances(b *testing.B) {
	for _, c := range []struct {
		spec    string
		kind    Kind
		letters string
	}{{"gapped:8,3", DNA, dnaText}, {"gapped:10,4/rc", DNA, dnaText}, {"gapped:10,6", Protein, proteinText}} {
		b.Run(fmt.Sprintf("%s/%s", c.spec, c.kind), func(b *testing.B) {
			set := randomSet(b, c.kind, c.letters, 100, 1000*100)
			spec, err := Parse(c.spec)
			if err != nil {
				b.Fatal(err)
			}
			chosen, err := Choose(b.Context(), ChooseRandom, spec, set, 500, 1, 1)
			if err != nil {
				b.Fatal(err)
			}
			basis, err := NewBasis(b.Context(), spec, set, chosen)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				basis.Distances(b.Context(), set, 0, set.N())
			}
			b.ReportMetric(float64(b.N*set.N())/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
