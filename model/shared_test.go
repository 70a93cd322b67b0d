package model

import (
	"math"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// The shards of a batch add up to its bound and gradient, in every model, in any passes, and only one of them has the
// KL terms.
func TestShards(t *testing.T) {
	dev := openDevice(t, "cpu:f64")
	rows := []int32{7, 2, 8, 2, 0, 5, 1}
	for _, c := range configs() {
		t.Run(c.testName(), func(t *testing.T) {
			f := newFixture(t, dev, c)
			total := f.m.params.total
			upload := func(p *Workspace) *Workspace {
				dev.UploadInts(p.Rows(), rows)
				return p
			}
			p := upload(f.m.NewWorkspace(c.Samples, len(rows)))
			f.m.Gradient(p, f.data, f.step)
			whole := must.Get(f.m.ReadELBO(f.step.KLWeight.Value))(t)
			want := make([]float64, total)
			dev.Download(want, f.m.params.Grad)
			for _, passes := range [][][]Shard{
				{{{0, 7}}}, {{{0, 3}}, {{3, 7}}}, {{{0, 2}, {2, 4}}, {{4, 7}}}, {{{0, 1}, {1, 3}, {3, 5}, {5, 7}}},
			} {
				sum, ell, first := make([]float64, total), 0.0, true
				for n, shards := range passes {
					chunks := (shards[0].Hi - shards[0].Lo + 1) / 2 // number of chunks, of two rows at most
					p = upload(f.m.NewChunkedWorkspace(c.Samples, len(rows), chunks, shards...))
					step := f.step
					if !first {
						step.KLWeight = device.Scalar{}
					}
					first = false
					step.Sum = func(i int) bool {
						gradient, ells := f.m.Summands(p, i)
						ell += addAll(dev, sum, gradient, ells)
						if n == len(passes)-1 && i == len(shards)-1 {
							putAll(dev, sum, ell, gradient, ells)
						} else {
							putAll(dev, nil, 0, nil, ells)
						}
						return true
					}
					f.m.Gradient(p, f.data, step)
				}
				e := must.Get(f.m.ReadELBO(f.step.KLWeight.Value))(t)
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

// addAll adds a gradient to sum, and returns ell.
func addAll(dev device.Device, sum []float64, gradient []*device.Tensor, ells *device.Tensor) (ell float64) {
	for _, t := range append(gradient, ells) {
		chunk := make([]float64, t.Len())
		dev.Download(chunk, t)
		for i, v := range chunk {
			if t == ells {
				ell += v
			} else {
				sum[i] += v
			}
		}
		sum = sum[min(t.Len(), len(sum)):]
	}
	return ell
}

// putAll puts sums in the place of a gradient, and ell in the first of ells.
func putAll(dev device.Device, sum []float64, ell float64, gradient []*device.Tensor, ells *device.Tensor) {
	for _, t := range gradient {
		dev.Upload(t, sum[:t.Len()])
		sum = sum[t.Len():]
	}
	all := make([]float64, ells.Len())
	all[0] = ell
	dev.Upload(ells, all)
}
