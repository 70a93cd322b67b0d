package seq

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkRows counts the features of 1 MB of text on one core.
func BenchmarkRows(b *testing.B) {
	for _, c := range []struct {
		spec    string
		kind    Kind
		letters string
		length  int
	}{
		{"double:1,5", DNA, "ACGT", 1000}, {"spectrum:6", DNA, "ACGT", 1000}, {"spectrum:12", DNA, "ACGT", 1000}, {"gapped:6,2", DNA, "ACGT", 1000},
		{"gapped:4,1", DNA, "ACGT", 1000}, {"gapped:6,2", DNA, "ACGT", 10000}, {"mismatch:5,1", DNA, "ACGT", 1000}, {"double:1,5", Protein, "ACDEFGHIKLMNPQRSTVWY", 200},
		{"double:1,5", Bytes, "etaoin shrdlu ETAOIN SHRDLU,.", 1000}, {"words:2", Bytes, "etaoin shr dlu", 1000},
	} {
		b.Run(fmt.Sprintf("%s/%s/%d", c.spec, c.kind, c.length), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			e := NewEncoder(c.kind)
			line := make([]byte, c.length)
			total := 0
			for total < 1<<20 {
				for i := range line {
					line[i] = c.letters[r.IntN(len(c.letters))]
				}
				if err := e.Add(line); err != nil {
					b.Fatal(err)
				}
				total += c.length
			}
			set, _ := e.Set()
			f := mustFit(b, c.spec, set)
			b.SetBytes(int64(total))
			b.ResetTimer()
			for range b.N {
				f.Rows(set)
			}
		})
	}
}
