package step

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	_ "github.com/gpdrf/gpdrf-gpu/device/cpu"
	"github.com/gpdrf/gpdrf-gpu/dist"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
)

// gradientOn returns the gradient that each rank holds after a step, and the bound.
func gradientOn(t *testing.T, c *model.Config, o Options, deterministic bool, number uint32, ranks []dist.Comm) (
	gradients [][]float64, bounds []float64) {
	t.Helper()
	const n = 40
	x, y, labels := make([]float64, n*c.Inputs), make([]float64, n), make([]int32, n)
	for i := range x {
		x[i] = math.Sin(float64(3 * i * i % 97))
	}
	for i := range y {
		y[i], labels[i] = math.Cos(float64(i)), int32(i%c.Outputs)
	}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	gradients, bounds = make([][]float64, len(ranks)), make([]float64, len(ranks))
	var all sync.WaitGroup
	for r, comm := range ranks {
		dev := must.Get(device.Open("cpu:f64"))(t)
		m := must.Get(model.New(dev, *c))(t)
		m.Init(model.Init{Seed: 1, InducingPoints: x[:c.Inducing*c.Inputs], Sigma: []float64{1},
			GPLengthscaleFactor: 0.5, DRFLengthscaleFactor: 1, NoiseVariance: 0.1})
		targets, classes := y, []int32(nil)
		if c.Likelihood == model.SoftmaxLikelihood {
			targets, classes = nil, labels
		}
		rows := m.UploadRows(model.HostRows{N: n, X: func(lo, hi int) []float64 { return x[lo*c.Inputs : hi*c.Inputs] },
			Weight: weights}, targets, classes)
		all.Go(func() {
			defer dev.Close()
			s := New(dev, m, rows, NewReducer(comm, deterministic), o)
			if _, err := s.Do(device.StepScalars{Step: number, LR: 1e-3, KLWeight: 0.7}); err != nil {
				t.Error(err)
				comm.Abort(1)
				return
			}
			gradients[r] = make([]float64, m.Params().Len())
			dev.Download(gradients[r], m.Params().Grad)
			e, err := m.ReadELBO(0.7)
			if err != nil {
				t.Error(err)
			}
			bounds[r] = e.Value
		})
	}
	all.Wait()
	return gradients, bounds
}

// The gradient that ranks have added up equals the gradient of one rank to 1e-12 of its norm, on any number of ranks.
// All ranks have the same bits. Rates are 0, so that parameters do not change.
func TestGradientOfRanks(t *testing.T) {
	plain := model.Config{Model: model.GPDRF, Inputs: 3, Outputs: 1, Likelihood: model.GaussianLikelihood,
		Latents: 3, Inducing: 6, Lengthscales: model.ARD, QCov: model.Full, Whiten: true, LearnInducing: true,
		Layers: 2, Features: 5, Hidden: 2, Spectra: model.VarResampled, Skip: true, Samples: 3}
	classes := plain
	classes.Outputs, classes.Likelihood, classes.Skip = 4, model.SoftmaxLikelihood, false
	drawn := Options{Seed: 5, Samples: 3, Batch: 23, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
	chunks := drawn
	chunks.ChunkRows = 3
	all := drawn
	all.Batch = 40
	for _, c := range []struct {
		name    string
		config  model.Config
		options Options
		fixed   bool // sums have a fixed order
		sizes   []int
	}{
		{"regression", plain, drawn, false, []int{2, 3, 5, 7, 8}},
		{"classes", classes, drawn, false, []int{2, 3}},
		{"in chunks", plain, chunks, false, []int{2, 5}},
		{"all rows", plain, all, false, []int{3}},
		{"in a fixed order", plain, drawn, true, []int{2, 4, 8}},
	} {
		for step := uint32(1); step <= 3; step++ {
			one, bound := gradientOn(t, &c.config, c.options, false, step, []dist.Comm{dist.Alone()})
			norm := 0.0
			for _, v := range one[0] {
				norm = math.Hypot(norm, v)
			}
			for _, size := range c.sizes {
				name := fmt.Sprintf("%s, step %d on %d ranks", c.name, step, size)
				many, bounds := gradientOn(t, &c.config, c.options, c.fixed, step, dist.Group(size))
				for r := range many {
					apart, other := 0.0, 0
					for i, v := range many[r] {
						apart = math.Hypot(apart, v-one[0][i])
						if v != many[0][i] {
							other++
						}
					}
					if !(apart <= 1e-12*norm) || other > 0 {
						t.Errorf("%s: the gradient of rank %d is %.2g of the norm from that of one rank; "+
							"%d numbers are not those of rank 0", name, r, apart/norm, other)
					}
					if !(math.Abs(bounds[r]-bound[0]) <= 1e-12*math.Abs(bound[0])) {
						t.Errorf("%s: the bound of rank %d is %.16g, of one rank %.16g", name, r, bounds[r], bound[0])
					}
				}
			}
		}
	}
}

// The chunks of a shard do not depend on the other shards of its rank, and none is empty.
func TestPartsOf(t *testing.T) {
	for _, c := range []struct{ batch, n, most, want int }{
		{40, 1, 40, 1}, {20, 1, 6, 4}, {24, 8, 1, 3}, {25, 8, 3, 2}, {25, 8, 1, 3}, {9, 8, 1, 1}, {8, 8, 5, 1},
	} {
		if got := chunksOf(c.batch, c.n, c.most); got != c.want {
			t.Errorf("%d shards of %d rows, %d at once: %d chunks, expected %d", c.n, c.batch, c.most, got, c.want)
		}
	}
}
