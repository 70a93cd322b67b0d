package model

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/dist"
)

// Processes that compute a part of Kuu each have the bound and gradient of one that computes all,
// also where there are more processes than kernels.
func TestShareKuu(t *testing.T) {
	rows, tried := []int32{7, 2, 8, 2, 0, 5, 1}, 0
	b := len(rows)
	for _, c := range configs() {
		dev := openDevice(t, "cpu:f64")
		one := newFixture(t, dev, c)
		kernels, columns := one.m.SharesKuu()
		if kernels < 2 {
			continue
		}
		tried++
		if columns != c.Inputs {
			t.Errorf("%s: %d columns of %d", c.testName(), columns, c.Inputs)
		}
		p := one.m.NewPass(c.Samples, b)
		dev.UploadInts(p.Rows(), rows)
		one.m.Gradient(p, one.data, one.step)
		want, bound := one.result(t)
		for _, size := range []int{2, kernels + 1} {
			t.Run(fmt.Sprintf("%s/%d", c.testName(), size), func(t *testing.T) {
				all := dist.Group(size)
				ranks := make([]*fixture, size)
				var done sync.WaitGroup
				for r, comm := range all {
					dev := openDevice(t, "cpu:f64")
					f := newFixture(t, dev, c)
					ranks[r] = f
					lo, hi := dist.Share(b, r, size)
					f.pass = f.m.NewPassOfShards(c.Samples, b, b, []Shard{{Lo: lo, Hi: hi}})
					dev.UploadInts(f.pass.Rows(), rows)
					add := func(x []float64) {
						if err := comm.AllReduce(x); err != nil {
							t.Error(err)
						}
					}
					lo, hi = dist.Share(kernels, r, size)
					f.m.ShareKuu(f.pass, lo, hi, func(x *device.Tensor) {
						host := make([]float64, x.Len())
						dev.Download(host, x)
						add(host)
						dev.Upload(x, host)
					})
					if r > 0 {
						f.step.KLWeight = device.Scalar{}
					}
					done.Go(func() {
						f.m.GradientOf(f.pass, 0, f.data, f.step)
						n := f.m.params.total
						sum := make([]float64, n+1)
						sum[n] = f.m.ReadGradient(f.pass, 0, sum[:n])
						add(sum)
						f.m.WriteGradient(f.pass, sum[:n], sum[n])
						f.m.Narrow()
					})
				}
				done.Wait()
				for r, f := range ranks {
					f.step.KLWeight = one.step.KLWeight
					got, e := f.result(t)
					if d := math.Abs(e.Value - bound.Value); !(d <= 1e-12*(math.Abs(bound.ELL)+bound.KL)) {
						t.Errorf("rank %d: the bound is %.17g, of one %.17g", r, e.Value, bound.Value)
					}
					if d := apart(got, want); !(d <= 1e-12) {
						t.Errorf("rank %d: the gradient differs by %.2g", r, d)
					}
				}
			})
		}
	}
	if tried < 3 {
		t.Errorf("only %d models have a Kuu to share", tried)
	}
}

// result is the gradient that the last step left, and its bound.
func (f *fixture) result(t *testing.T) (gradient []float64, bound ELBO) {
	t.Helper()
	bound, err := f.m.Report(f.step.KLWeight.Value)
	if err != nil {
		t.Fatal(err)
	}
	gradient = make([]float64, f.m.params.total)
	f.m.dev.Download(gradient, f.m.params.Grad)
	return gradient, bound
}
