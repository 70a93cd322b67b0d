package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// sphere draws n random vectors of length 1.
func sphere(rng *rand.Rand, n int) (v [][3]float64) {
	for range n {
		x, y, z := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		norm := math.Sqrt(x*x + y*y + z*z)
		v = append(v, [3]float64{x / norm, y / norm, z / norm})
	}
	return v
}

// A row that is a inducing point is known up to the jitter: 0 < 1 − ‖A‖² ≤ ε. This holds although distances of rows are
// single on a :f32 device, and those among X̄ double: rounding moves 1 − ‖A‖² by less than 1e-9, and by a tenth of the
// jitter where σ is so wide that Kuu is as good as singular.
func TestRowsOfSinglePrecision(t *testing.T) {
	const m, others, jitter = 60, 60, 1e-6
	for _, c := range []struct {
		maps   []string
		sigma  float64
		within float64
	}{{[]string{MapRBF}, 0.1, 1e-9}, {[]string{MapRBF}, 2, jitter / 10},
		{[]string{MapRBF, MapLinear}, 2, jitter / 10}} {
		rng := rand.New(rand.NewPCG(3, 4))
		width := len(c.maps) * m
		x, sigmas := make([]float64, (m+others)*width), []float64{}
		for i := range c.maps {
			sigmas = append(sigmas, c.sigma)
			v := sphere(rng, m+others)
			for n, row := range v {
				for b, xbar := range v[:m] {
					for k := range row {
						x[n*width+i*m+b] += (row[k] - xbar[k]) * (row[k] - xbar[k])
					}
				}
			}
		}
		known := map[string][]float64{}
		for _, name := range []string{"cpu:f32", "cpu:f64"} {
			dev := openDevice(t, name)
			model, err := New(dev, Config{Model: GP, Maps: c.maps, Outputs: 1,
				Likelihood: GaussianLikelihood, Samples: 1, Latents: 1,
				Inducing: m, Lengthscales: Shared, QCov: Full, Whiten: true})
			must.OK(t, err)
			model.Init(Init{Seed: 1, Sigma: sigmas, NoiseVariance: 0.1})
			model.SetInducing(x[:m*width])
			set, pass := model.Upload(m+others, x, make([]float64, m+others), nil), model.NewWorkspace(1, m+others)
			rows := make([]int32, m+others)
			for i := range rows {
				rows[i] = int32(i)
			}
			dev.UploadInts(pass.Rows(), rows)
			model.Gradient(pass, set, GradientArgs{Seed: 1, Step: device.StepNumber{N: 1},
				KLWeight: device.Scalar{Value: 1}})
			must.Equal(t, must.Get(model.ReadELBO(1))(t).Jitter, jitter)
			a := make([]float64, m*len(rows))
			dev.Download(a, pass.gp.a)
			for n := range rows {
				rest := 1.0
				for i := range m {
					rest -= a[i*len(rows)+n] * a[i*len(rows)+n]
				}
				if !(rest > 0 && (n >= m || rest <= jitter+c.within)) {
					t.Errorf("%v, σ %g, %s: row %d: 1 − ‖A‖² is %g", c.maps, c.sigma, name, n, rest)
				}
				known[name] = append(known[name], rest)
			}
		}
		for n, want := range known["cpu:f64"] {
			within := c.within
			if n >= m {
				within += 1e-6 * want
			}
			if got := known["cpu:f32"][n]; !(math.Abs(got-want) <= within) {
				t.Errorf("%v, σ %g: row %d: 1 − ‖A‖² is %g in single precision, %g in double",
					c.maps, c.sigma, n, got, want)
			}
		}
	}
}
