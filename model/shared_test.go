package model

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
)

// The shards of a batch add up to its bound and gradient, in every model, in any passes, and
// only one of them has the KL terms.
func TestShards(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	rows := []int32{7, 2, 8, 2, 0, 5, 1}
	for _, c := range configs() {
		t.Run(c.testName(), func(t *testing.T) {
			f := newFixture(t, dev, c)
			total := f.m.params.total
			upload := func(p *Pass) *Pass {
				dev.UploadInts(p.Rows(), rows)
				return p
			}
			p := upload(f.m.NewPass(c.Samples, len(rows)))
			f.m.Gradient(p, f.data, f.step)
			whole, err := f.m.Report(f.step.KLWeight.Value)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, total)
			dev.Download(want, f.m.params.Grad)
			for _, passes := range [][][]Shard{
				{{{0, 7}}}, {{{0, 3}}, {{3, 7}}}, {{{0, 2}, {2, 4}}, {{4, 7}}}, {{{0, 1}, {1, 3}, {3, 5}, {5, 7}}},
			} {
				sum, ell, first := make([]float64, total), 0.0, true
				part := make([]float64, total)
				for _, shards := range passes {
					p = upload(f.m.NewPassOfShards(c.Samples, len(rows), 2, shards))
					for i := range shards {
						step := f.step
						if !first {
							step.KLWeight = device.Scalar{}
						}
						first = false
						f.m.GradientOf(p, i, f.data, step)
						ell += f.m.ReadGradient(p, i, part)
						for j, v := range part {
							sum[j] += v
						}
					}
				}
				f.m.WriteGradient(p, sum, ell)
				f.m.Narrow()
				e, err := f.m.Report(f.step.KLWeight.Value)
				if err != nil {
					t.Fatal(err)
				}
				if d := math.Abs(e.Value - whole.Value); !(d <= 1e-12*(math.Abs(whole.ELL)+whole.KL)) {
					t.Errorf("%v: the bound is %.17g, of the whole %.17g", passes, e.Value, whole.Value)
				}
				got := make([]float64, total)
				dev.Download(got, f.m.params.Grad)
				if d := apart(got, want); d > 1e-12 {
					t.Errorf("%v: the gradient differs by %.2g", passes, d)
				}
			}
		})
	}
}
