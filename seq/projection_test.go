package seq

import (
	"math"
	"reflect"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestProjection: inner products of random projections equal the inner products of the features, up to their noise;
// training rows have mean 0 and variance 1; and a restored projection has the same bits.
func TestProjection(t *testing.T) {
	const p = 2048
	set := encode(t, DNA, randomLines(DNA, 60, 60, 9)...)
	spec := must.Get(Parse("spectrum:2/tfidf+double:1,3/sqrt"))(t)
	z := must.Get(NewSignProjection(t.Context(), spec, p, set, 7))(t)
	n := set.N()
	got := z.Rows(t.Context(), set, 0, n)
	var products []float64
	for _, term := range spec {
		f := must.Get(Fit(t.Context(), term, set))(t)
		rows := f.Rows(set)
		for i, v := range innerProducts(rows, rows) {
			if len(products) < n*n {
				products = append(products, 0)
			}
			products[i] += v / float64(len(spec))
		}
	}
	raw := func(i, c int) float64 { return got[i*p+c]*z.Scale + z.Mean[c] }
	worst := 0.0
	for i := range n {
		for j := range n {
			dot := 0.0
			for c := range p {
				dot += raw(i, c) * raw(j, c) / p
			}
			worst = max(worst, math.Abs(dot-products[i*n+j]))
		}
	}
	if worst > 6/math.Sqrt(p) || worst < 0.01/math.Sqrt(p) {
		t.Errorf("inner products are off by %g at most", worst)
	}
	squares := 0.0
	for c := range p {
		mean := 0.0
		for i := range n {
			mean += got[i*p+c] / float64(n)
			squares += got[i*p+c] * got[i*p+c] / float64(n*p)
		}
		if math.Abs(mean) > 1e-12 {
			t.Fatalf("column %d has mean %g", c, mean)
		}
	}
	if math.Abs(squares-1) > 1e-9 {
		t.Errorf("variance %g", squares)
	}
	again := &SignProjection{Spec: spec, P: p, Seed: 7, Mean: z.Mean, Scale: z.Scale}
	must.OK(t, again.Restore(set.Alphabet, z.States()))
	if !reflect.DeepEqual(append(z.Rows(t.Context(), set, 0, 11), z.Rows(t.Context(), set, 11, n)...),
		got) || !reflect.DeepEqual(again.Rows(t.Context(), set, 0, n), got) {
		t.Error("blocks, or a projection that was restored, give other bits")
	}
	if other, _ := NewSignProjection(t.Context(), spec, p, set,
		8); reflect.DeepEqual(other.Rows(t.Context(), set, 0, n), got) {
		t.Error("another seed gives the same")
	}
}
