package metrics

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestByClass counts pairs of label and prediction in the plainest way.
func TestByClass(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	names := []string{"a", "b", "c c", "nobody"}
	labels, predicted := make([]int32, 60), make([]int32, 60)
	for i := range labels {
		labels[i], predicted[i] = int32(rng.IntN(3)), int32(rng.IntN(2))
	}
	got := scoreClasses(labels, predicted, names, nil)
	for c, name := range names {
		count := func(is func(label, taken int) bool) (n float64) {
			for i := range labels {
				if is(int(labels[i]), int(predicted[i])) {
					n++
				}
			}
			return n
		}
		right := count(func(l, p int) bool { return l == c && p == c })
		rows, taken := count(func(l, _ int) bool { return l == c }), count(func(_, p int) bool { return p == c })
		s := got[c]
		if s.Class != name || float64(s.Support) != rows {
			t.Errorf("%+v: %g rows", s, rows)
		}
		for what, share := range map[string]struct {
			got        *float64
			over, from float64
		}{"precision": {s.Precision, right, taken}, "recall": {s.Recall, right, rows},
			"F1": {s.F1, 2 * right, rows + taken}} {
			if share.from == 0 {
				if share.got != nil {
					t.Errorf("%s of %s is %g of no rows", what, name, *share.got)
				}
				continue
			}
			check(t, what, *share.got, share.over/share.from, 1e-15)
		}
		for k, other := range names {
			if n := count(func(l, p int) bool { return l == c && p == k }); float64(s.Predicted[other]) != n {
				t.Errorf("%s for %s: %v, want %g", other, name, s.Predicted[other], n)
			}
		}
	}
	if got[2].Precision != nil || got[3].Recall != nil || got[3].F1 != nil || *got[2].F1 != 0 {
		t.Errorf("shares of no rows: %+v", got)
	}
	// Two halves merged are the whole; a class that one of them lacks is there.
	halves := [][]ClassScore{scoreClasses(labels[:25], predicted[:25], names, nil),
		scoreClasses(labels[25:], predicted[25:], names, nil)}
	if merged := MergeClassScores(halves); !reflect.DeepEqual(merged, got) {
		t.Errorf("merged %+v, want %+v", merged, got)
	}
}

// Sums of weights have the same bits each time.
func TestByClassRepeats(t *testing.T) {
	const n = 64
	labels, predicted, names, w := make([]int32, n), make([]int32, n), make([]string, 8), make(Weights, n)
	for i := range w {
		predicted[i], w[i] = int32(i%8), 0.1*float64(1+i*i%7)
	}
	for k := range names {
		names[k] = string(rune('a' + k))
	}
	first := scoreClasses(labels, predicted, names, w)
	for range 100 {
		if again := scoreClasses(labels, predicted, names, w); !reflect.DeepEqual(again, first) {
			t.Fatalf("%v rows, and %v", first[0].Support, again[0].Support)
		}
	}
}
