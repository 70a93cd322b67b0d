package fitted

import (
	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/internal/metrics"
	"github.com/gpdrf/gpdrf-gpu/internal/philox"
)

// The purposes of random numbers at SitePredict, in place of the sample. Draws uses 0.
const components, normals, uniforms = 1, 2, 3

// targetKey returns the key of random numbers for a target: its number is in place of the step's.
func targetKey(seed uint64, target int) device.Key {
	return device.Key{Seed: seed, Step: device.StepNumber{N: uint32(target)}, Site: device.SitePredict}
}

// Draw returns draw t of y of a target, at row n of a mixture:
//
//	y⁽ᵗ⁾ = Mean[s,n] + σ[s,n] z,   s by its weight, z of the component's own distribution
//
// All rows and targets of a draw have one s, so that the draw follows one sample of the functions. z belongs to the
// row, by its number among all rows, and to the target.
func Draw(m metrics.Distribution, n, row, target, t int, seed uint64) float64 {
	block := func(sample, row, target int) [4]uint32 {
		key, c1, c2, c3 := targetKey(seed, target).Words(sample, row)
		return philox.Block(key, [4]uint32{uint32(t), c1, c2, c3})
	}
	s := m.SampleComponent(float64(block(components, 0, 0)[0]) / (1 << 32))
	return m.ComponentQuantile(s, n, philox.Normals(block(normals, row, target))[0])
}

// Uniform returns a random number from 0 to 1 for a target, by its number, and a row, by its number among all rows.
func Uniform(row, target int, seed uint64) float64 {
	key, c1, c2, c3 := targetKey(seed, target).Words(uniforms, row)
	return float64(philox.Block(key, [4]uint32{0, c1, c2, c3})[0]) / (1 << 32)
}

// Draws replaces each row's mixture by the normal of the moments that the paper estimates from T draws of it: for t = 1
// … T choose s by its weight, then y⁽ᵗ⁾ of component s, and
//
//	ȳ = (1/T) Σ y⁽ᵗ⁾,   V = (1/(T−1)) Σ (y⁽ᵗ⁾ − ȳ)²
//
// (the moments below pred_ys_mc). The mixture's own Moments are the limit T → ∞. T is at least 2. Each target, by its
// number, has draws of its own; rows share them, as they share the noise of the mixture.
func Draws(m metrics.Mixture, target, draws int, seed uint64) metrics.Mixture {
	if draws < 2 {
		panic("fitted: a variance needs two draws")
	}
	key, c1, c2, c3 := targetKey(seed, target).Words(0, 0)
	component, normal := make([]int, draws), make([]float64, draws)
	for t := range draws {
		w := philox.Block(key, [4]uint32{uint32(t), c1, c2, c3})
		component[t], normal[t] = m.SampleComponent(float64(w[3])/(1<<32)), philox.Normals(w)[0]
	}
	out := metrics.Mixture{S: 1, N: m.N, Mean: make([]float64, m.N), Var: make([]float64, m.N)}
	y := make([]float64, draws)
	for n := range m.N {
		sum := 0.0
		for t, s := range component {
			y[t] = m.ComponentQuantile(s, n, normal[t])
			sum += y[t]
		}
		mean := sum / float64(draws)
		squares := 0.0
		for _, v := range y {
			squares += (v - mean) * (v - mean)
		}
		out.Mean[n], out.Var[n] = mean, squares/float64(draws-1)
	}
	return out
}
