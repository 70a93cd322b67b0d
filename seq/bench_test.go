package seq

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

const (
	dnaText     = "ACGT"
	proteinText = "ACDEFGHIKLMNPQRSTVWY"
)

// randomSet returns sequences of this length, with at least the given number of symbols together, each letter as often
// as it stands in letters.
func randomSet(b *testing.B, k Kind, letters string, length, symbols int) *Set {
	r := rand.New(rand.NewPCG(1, 1))
	e := NewEncoder(k)
	line := make([]byte, length)
	for total := 0; total < symbols; total += length {
		for i := range line {
			line[i] = letters[r.IntN(len(letters))]
		}
		must.OK(b, e.Add(line))
	}
	set, _ := e.Set()
	return set
}

// BenchmarkFeatures counts the features of 64 kB of text on one core, as distances do: MB/s of text, and how many
// features with a value these were.
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
				f.each(b.Context(), set, func(_ int, rows *SparseRows) { features += len(rows.Column) })
			}
			b.ReportMetric(float64(features)/1e6/b.Elapsed().Seconds(), "Mfeatures/s")
		})
	}
}

// BenchmarkMolecules counts the features of 4000 random molecules of 30 atoms on one core. Features of the training set
// are numbered, and then the features of each molecule are listed once.
func BenchmarkMolecules(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	e := NewEncoder(Graphs)
	for range 4000 {
		must.OK(b, e.Add(randomMolecule(30, r)))
	}
	set, _ := e.Set()
	for _, spec := range []string{"wl:3", "wl:3/min", "wledges:3", "circular:2/min", "paths:10/sqrt",
		"atompairs:10/min", "graphlets:4/min"} {
		b.Run(spec, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f, features := mustFit(b, spec, set), 0
				f.each(b.Context(), set, func(_ int, rows *SparseRows) { features += len(rows.Column) })
				b.ReportMetric(float64(features)/float64(set.N()), "features/molecule")
			}
		})
	}
}

// randomMolecule returns the SMILES of a chain with branches and rings.
func randomMolecule(atoms int, r *rand.Rand) []byte {
	var text []byte
	open, ring := 0, false
	for a := range atoms {
		branch := a > 0 && r.IntN(5) == 0
		if branch {
			text = append(text, '(')
			open++
		} else if a > 0 && r.IntN(4) == 0 {
			text = append(text, '=')
		}
		text = append(text, "CCCCCNOS"[r.IntN(8)])
		if !ring && r.IntN(4) == 0 {
			text, ring = append(text, '1'), true
		} else if ring && !branch && r.IntN(4) == 0 && text[len(text)-2] != '1' {
			text, ring = append(text, '1'), false
		}
		if open > 0 && r.IntN(2) == 0 && a+1 < atoms {
			text = append(text, ')')
			open--
		}
	}
	if ring {
		text = append(text, "C1"...)
	}
	return append(text, bytes.Repeat([]byte(")"), open)...)
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
			spec := must.Get(Parse(c.spec))(b)
			b.SetBytes(int64(len(set.Codes)))
			for b.Loop() {
				if _, _, err := distancesAmong(b.Context(), spec[0], set); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDistances compares 1000 sequences with 500 of them: features and inner products. Maps have up to 38 000
// features a sequence.
func BenchmarkDistances(b *testing.B) {
	for _, c := range []struct {
		spec    string
		kind    Kind
		letters string
	}{{"gapped:8,3", DNA, dnaText}, {"gapped:10,4/rc", DNA, dnaText}, {"gapped:10,6", Protein, proteinText}} {
		b.Run(fmt.Sprintf("%s/%s", c.spec, c.kind), func(b *testing.B) {
			set := randomSet(b, c.kind, c.letters, 100, 1000*100)
			spec := must.Get(Parse(c.spec))(b)
			chosen := must.Get(ChooseInducing(b.Context(), spec, set, InducingOptions{ChooseRandom, 500, 1}))(b)
			inducing := must.Get(NewInducingSequences(b.Context(), spec, set, chosen))(b)
			for b.Loop() {
				inducing.Distances(b.Context(), set, 0, set.N())
			}
			b.ReportMetric(float64(b.N*set.N())/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
