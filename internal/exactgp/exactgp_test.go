package exactgp

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// made returns rows of normal inputs with a target that f and noise make.
func made(n, d int, f func(x []float64) float64, noise float64) Rows {
	rng := rand.New(rand.NewPCG(1, 2))
	r := Rows{N: n, D: d, T: 1}
	for range n {
		x := make([]float64, d)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		r.X = append(r.X, x...)
		r.Y = append(r.Y, f(x)+noise*rng.NormFloat64())
	}
	return r
}

// TestGradient against central differences.
func TestGradient(t *testing.T) {
	r := made(40, 3, func(x []float64) float64 { return math.Sin(3*x[0]) + x[1] }, .1)
	p := newProblem(r)
	p.centre = []float64{0, 0, 0, 0}
	theta := []float64{-.3, .4, .7, -2}
	g := make([]float64, 4)
	p.gradient(g, theta)
	for i := range theta {
		const h = 1e-5
		up, down := append([]float64(nil), theta...), append([]float64(nil), theta...)
		up[i] += h
		down[i] -= h
		want := -(p.value(up) + p.prior(up, nil) - p.value(down) - p.prior(down, nil)) / (2 * h)
		if math.Abs(g[i]-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("%d: %g, want %g", i, g[i], want)
		}
	}
}

// TestOscillation: the length-scale of a column that oscillates is found among others. The length-scales of the others
// are long, and the noise is recovered.
func TestOscillation(t *testing.T) {
	const noise = 0.2
	for _, d := range []int{1, 2, 8} {
		r := made(256, d, func(x []float64) float64 { return 1.4 * math.Sin(12*x[0]) }, noise)
		f := Maximise(context.Background(), r)
		if f.LengthScales[0] > 0.3 || f.Noise > 2*noise*noise || f.Noise < noise*noise/2 {
			t.Errorf("%d inputs: length-scales %.3g, noise %.3g", d, f.LengthScales, f.Noise)
		}
		scaled := 0.0 // the square of an error of a row that is left out, in its variance
		for i, y := range r.Y {
			scaled += (y - f.Mean[i]) * (y - f.Mean[i]) / f.Var[i] / float64(r.N)
		}
		if scaled < 0.7 || scaled > 1.4 {
			t.Errorf("%d inputs: errors of %.3g variances", d, scaled)
		}
		for _, l := range f.LengthScales[1:] {
			if l < 2 {
				t.Errorf("%d inputs: length-scales %.3g", d, f.LengthScales)
			}
		}
	}
}

// TestNoSignal: of noise alone, the noise has the variance of the targets.
func TestNoSignal(t *testing.T) {
	for _, n := range []int{2, 3, 30, 200} {
		r := made(n, 3, func([]float64) float64 { return 0 }, 1)
		if f := Maximise(context.Background(), r); !(f.Noise > 0.3 && f.Noise < 4) {
			t.Errorf("%d rows: noise %g", n, f.Noise)
		}
	}
}

// TestDegenerate: rows that are alike, columns that are constant and targets that are exact give numbers.
func TestDegenerate(t *testing.T) {
	for name, r := range map[string]Rows{
		"one row":          {1, 1, 1, []float64{0}, []float64{0}},
		"equal rows":       {4, 2, 1, make([]float64, 8), []float64{1, -1, 1, -1}},
		"constant targets": {3, 1, 1, []float64{1, 2, 3}, make([]float64, 3)},
		"far apart":        {3, 1, 1, []float64{-1e15, 0, 1e15}, []float64{-1, 0, 1}},
		"exact":            made(100, 1, func(x []float64) float64 { return x[0] }, 0),
	} {
		f := Maximise(context.Background(), r)
		for _, v := range slices.Concat([]float64{f.Noise}, f.LengthScales, f.Var) {
			if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

// TestSameBits for any number of threads.
func TestSameBits(t *testing.T) {
	r := made(150, 4, func(x []float64) float64 { return x[0] * x[1] }, 0.1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := Maximise(context.Background(), r)
	runtime.GOMAXPROCS(4)
	four := Maximise(context.Background(), r)
	if !slices.Equal(one.LengthScales, four.LengthScales) || one.Noise != four.Noise {
		t.Errorf("%v and %v", one, four)
	}
}

// TestWideRows: the common length-scale of many columns takes one matrix of distances. Its evidence equals the evidence
// of the kernel.
func TestWideRows(t *testing.T) {
	const n, d = 24, 20_000
	r := made(n, d, func(x []float64) float64 { return x[0] }, 0.1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Maximise(context.Background(), r)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 4*n*d*8 {
		t.Errorf("%d rows of %d columns take %d bytes in all", n, d, taken)
	}
	few := made(n, 3, func(x []float64) float64 { return x[0] }, 0.1)
	p := newProblem(few)
	theta := p.common(context.Background())
	best := p.value(theta)
	for _, f := range factors {
		for _, rho := range noises {
			l := math.Log(f * math.Sqrt(3))
			if v := p.value([]float64{l, l, l, math.Log(rho)}); v > best+1e-9 {
				t.Errorf("%g with factor %g and noise %g, %g was chosen", v, f, rho, best)
			}
		}
	}
}
