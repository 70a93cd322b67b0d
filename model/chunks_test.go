package model

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// A batch in chunks has the bound and the gradient of the whole, in every model, with every option, and however the
// chunks divide it.
func TestParts(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	rows := []int32{7, 2, 8, 2, 0, 5, 1}
	for _, c := range configs() {
		t.Run(c.testName(), func(t *testing.T) {
			f := newFixture(t, dev, c)
			evaluate := func(most int) (ELBO, []float64) {
				p := f.m.NewChunkedWorkspace(c.Samples, len(rows), (len(rows)+most-1)/most)
				dev.UploadInts(p.Rows(), rows)
				gradient := make([]float64, f.m.params.total)
				for range 2 { // the second must overwrite the results of the first
					f.m.Gradient(p, f.data, f.step)
				}
				e := must.Get(f.m.ReadELBO(f.step.KLWeight.Value))(t)
				dev.Download(gradient, f.m.params.Grad)
				if n := must.AllocsPerRun(1, func() { f.m.Gradient(p, f.data, f.step) }); n > 0 {
					t.Errorf("a step in chunks of %d allocates %g times", most, n)
				}
				return e, gradient
			}
			whole, want := evaluate(len(rows))
			for _, most := range []int{1, 2, 3, 4, 6} {
				e, got := evaluate(most)
				if d := math.Abs(e.Value - whole.Value); !(d <= 1e-12*(math.Abs(whole.ELL)+whole.KL)) {
					t.Errorf("chunks of %d: the bound is %.17g, of the whole %.17g", most, e.Value, whole.Value)
				}
				for i := range f.m.params.blocks {
					b := f.m.params.blocks[i]
					// terms of opposite noise cancel
					if err := apart(got[b.offset:][:b.size()], want[b.offset:][:b.size()]); err > 1e-11 {
						t.Errorf("chunks of %d: the gradient of %s differs by %.2g", most, b.Name, err)
					}
				}
			}
		})
	}
}

// apart returns the largest difference relative to the largest element.
func apart(got, want []float64) float64 {
	size, most := 0.0, 0.0
	for i, v := range want {
		size, most = max(size, math.Abs(v)), max(most, math.Abs(got[i]-v))
	}
	if most == 0 {
		return 0
	}
	return most / size
}

// Parts cover the batch, in order, and differ by a row at most.
func TestPartsCoverTheBatch(t *testing.T) {
	m := newFixture(t, openDevice(t, "cpu:f32"), gpdrfConfig()).m
	for _, c := range []struct{ batch, most, chunks, longest int }{{7, 7, 1, 7}, {7, 9, 1, 7},
		{7, 4, 2, 4}, {7, 3, 3, 3}, {7, 1, 7, 1}, {9, 8, 2, 5}, {1, 1, 1, 1}} {
		p := m.NewChunkedWorkspace(2, c.batch, (c.batch+c.most-1)/c.most)
		sum := 0
		for _, q := range p.chunks {
			sum += q.b
			if q.b > c.longest || q.b < c.longest-1 {
				t.Errorf("%v: a chunk of %d rows", c, q.b)
			}
			if q.rows.Len() != q.b || q.f.Dim(1) != q.b {
				t.Errorf("%v: a chunk of %d rows has tensors of %d and %d rows", c, q.b, q.rows.Len(), q.f.Dim(1))
			}
		}
		if sum != c.batch {
			t.Errorf("%v: the chunks have %d rows", c, sum)
		}
		if len(p.chunks) != c.chunks {
			t.Errorf("%v: %d chunks", c, len(p.chunks))
		}
	}
}
