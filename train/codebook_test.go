// This test trains on sequences of vectors, which become symbols by a codebook.

package train

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// sounds returns n sequences of noisy vectors around four points, which follow each other in the order of their class.
func sounds(t testing.TB, n int, seed uint64) *data.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\t", i%2)
		at := rng.IntN(4)
		for k := range 8 + rng.IntN(8) {
			if k > 0 {
				b.WriteByte(';')
			}
			at = (at + 1 + 2*(i%2)) % 4
			fmt.Fprintf(&b, "%.3f,%.3f", float64(at/2)+0.1*rng.NormFloat64(), float64(at%2)+0.1*rng.NormFloat64())
		}
		b.WriteByte('\n')
	}
	return readText(t, "sounds.tsv", b.String(), data.ReadOptions{})
}

// Sequences of vectors become symbols by a codebook, which is part of the model file.
func TestCodebook(t *testing.T) {
	set, test := sounds(t, 80, 1), sounds(t, 40, 2)
	for _, options := range []string{"model=gp inducing=20 steps=200 lr=0.05",
		"model=drf features=30 steps=200 kernel=spectrum:2 projection=32"} {
		out := mustFit(t, options+" codebook=4 batch=40", set)
		if e := evaluate(t, out, test).Classification.Error; e > 0.1 {
			t.Errorf("%s: error %.3f", options, e)
		}
		again := rereadSame(t, out.Trained, test)
		if !reflect.DeepEqual(again.Schema, test.Schema().Plain()) {
			t.Errorf("%s: schema %+v", options, again.Schema)
		}
	}
	if _, _, err := config(t, "codebook=100000").ResolveInputs(t.Context(), set); err == nil ||
		!strings.Contains(err.Error(), "--codebook: the training sequences have") {
		t.Error(err)
	}
	few := readText(t, "few.tsv", strings.Repeat("a\t1,2;3,4\nb\t3,4;1,2\nb\t3,4\n", 3), data.ReadOptions{})
	fit, notes, err := config(t, "kernel=spectrum:1").ResolveInputs(t.Context(), few)
	if err != nil || fit.Codebook != 2 || !slices.Contains(notes, "codebook: 64 → 2, the number of different vectors") {
		t.Errorf("a default of 64 and two vectors: %d, %q, %v", fit.Codebook, notes, err)
	}
	if _, _, err := config(t, "codebook=5").ResolveInputs(t.Context(), genes(t, 10, 1)); err == nil ||
		!strings.Contains(err.Error(), "genes.fasta holds no sequences of vectors: leave it out") {
		t.Error(err)
	}
	for _, words := range []string{"tokens=words", "model=drf projection=7"} {
		if _, _, err := config(t, words).ResolveInputs(t.Context(), table(t, 30, 1, wave)); err == nil ||
			!strings.Contains(err.Error(), "is read without sequences: name their column by --sequence") {
			t.Errorf("%s of a table: %v", words, err)
		}
	}
}
