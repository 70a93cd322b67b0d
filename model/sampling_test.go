package model

import (
	"math"
	"strings"
	"testing"
)

// Samples that depend on each other change neither the mean of the bound and its gradient nor what
// they estimate, but how much they vary: one and the same batch with noise of many seeds.
func TestSampling(t *testing.T) {
	const draws = 600
	dev := openDevice(t, "cpu:f64")
	base := Config{Model: GPDRF, Inputs: 3, Outputs: 2, Likelihood: GaussianLikelihood, Samples: 4, Latents: 3, Inducing: 5, Lengthscales: Shared,
		QCov: Diagonal, Whiten: true, Layers: 1, Features: 6, Hidden: 2, FixedNoise: FixSpectra}
	for name, change := range map[string]func(*Config){
		"local":     func(c *Config) { c.Spectra, c.LocalReparam = VarFixed, true },
		"resampled": func(c *Config) { c.Spectra = VarResampled },
	} {
		t.Run(name, func(t *testing.T) {
			c := base
			change(&c)
			mean, variance := map[string][]float64{}, map[string][]float64{}
			for _, sampling := range Samplings() {
				c.Sampling = sampling
				f := newFixture(t, dev, c)
				f.narrow()
				n := len(f.flat) + 1
				first, second, one := make([]float64, n), make([]float64, n), make([]float64, n)
				for i := range draws {
					f.step.Seed = uint64(i)
					one[n-1] = f.value(t)
					dev.Download(one[:n-1], f.m.params.Grad)
					for k, v := range one {
						first[k] += v / draws
						second[k] += v * v / draws
					}
				}
				for k := range second {
					second[k] -= first[k] * first[k]
				}
				mean[sampling], variance[sampling] = first, second
			}
			for _, sampling := range []string{Antithetic, QMC} {
				// The squares of the differences in units of their variance are 1 on average, but
				// depend on each other.
				total, count, ratio := 0.0, 0.0, 0.0
				for k, v := range variance[Independent] {
					if v < 1e-20 {
						continue // a divergence alone, or nothing
					}
					diff, se2 := mean[sampling][k]-mean[Independent][k], (v+variance[sampling][k])/draws
					if math.Abs(diff) > 5*math.Sqrt(se2) {
						t.Errorf("%s: mean %g of number %d, independent samples have %g ± %.2g", sampling, mean[sampling][k], k, mean[Independent][k], math.Sqrt(se2))
					}
					total += diff * diff / se2
					ratio += variance[sampling][k] / v
					count++
				}
				t.Logf("%s: %.2f of the variance of %g numbers; squares of differences %.2f", sampling, ratio/count, count, total/count)
				if total/count > 2 || sampling == QMC && ratio/count > 0.85 {
					t.Errorf("%s: squares of differences %.2f, expected 1; %.2f of the variance of independent samples", sampling, total/count, ratio/count)
				}
			}
		})
	}
}

// narrow gives q of weights and frequencies small variances, as training does.
func (f *fixture) narrow() {
	for i := range f.flat {
		if strings.Contains(f.blockOf(i).Name, "logvar_") {
			f.flat[i] -= 4
		}
	}
	f.m.dev.Upload(f.m.params.Value, f.flat)
}
