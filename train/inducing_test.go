package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// clusters returns n rows around k far centres in the plane.
func clusters(n, k int) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 0, 2*n)
	for i := range n {
		a := 2 * math.Pi * float64(i%k) / float64(k)
		x = append(x, 10*math.Cos(a)+0.1*rng.NormFloat64(), 10*math.Sin(a)+0.1*rng.NormFloat64())
	}
	return x
}

// coverage returns the mean squared distance of the rows to their nearest inducing point.
func coverage(x, z []float64) float64 {
	sum := 0.0
	for i := 0; i < len(x); i += 2 {
		best := math.Inf(1)
		for j := 0; j < len(z); j += 2 {
			best = min(best, (x[i]-z[j])*(x[i]-z[j])+(x[i+1]-z[j+1])*(x[i+1]-z[j+1]))
		}
		sum += best
	}
	return 2 * sum / float64(len(x))
}

// rows hands out a matrix of d columns as InducingPoints asks for it.
func rows(x []float64, d int) func(lo, hi int) []float64 {
	return func(lo, hi int) []float64 { return x[lo*d : hi*d] }
}

func ignored(float64) {}

func TestInducingPoints(t *testing.T) {
	const n, k = 997, 8
	x := clusters(n, k)
	got := map[string][]float64{}
	for _, method := range []string{options.InducingRandom, options.InducingKMeans} {
		z := must.Get(inducingSelector{method, 3 * k, 5, ignored}.choose(t.Context(), rows(x, 2), n, 2))(t)
		if len(z) != 2*3*k {
			t.Fatalf("%s: %d numbers", method, len(z))
		}
		if c := coverage(x, z); c > 0.1 && method != options.InducingRandom {
			t.Errorf("%s leaves rows at mean squared distance %g", method, c)
		}
		got[method] = z
		old := runtime.GOMAXPROCS(1)
		again, _ := inducingSelector{method, 3 * k, 5, ignored}.choose(t.Context(), rows(x, 2), n, 2)
		runtime.GOMAXPROCS(old)
		if !slices.Equal(z, again) {
			t.Errorf("%s depends on the number of threads", method)
		}
		other, _ := inducingSelector{method, 3 * k, 6, ignored}.choose(t.Context(), rows(x, 2), n, 2)
		if slices.Equal(z, other) {
			t.Errorf("%s does not depend on the seed", method)
		}
	}
	if coverage(x, got[options.InducingKMeans]) > coverage(x, got[options.InducingRandom]) {
		t.Error("k-means covers the rows worse than random rows do")
	}
	if _, err := (inducingSelector{"best", k, 1, ignored}).choose(t.Context(), rows(x, 2), n, 2); err == nil {
		t.Error("an unknown method is accepted")
	}
}

func TestSubset(t *testing.T) {
	rows := subset(100, 40, 3)
	seen := map[int]bool{}
	for _, r := range rows {
		if r < 0 || r >= 100 || seen[r] {
			t.Fatalf("row %d", r)
		}
		seen[r] = true
	}
}

// An interrupt ends the choice of inducing points.
func TestInducingPointsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := inducingSelector{options.InducingKMeans, 10, 1, ignored}
	_, err := s.choose(ctx, rows(make([]float64, 300), 1), 300, 1)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The rows that a choice looks at are a bounded number of numbers, of any number of columns.
func TestPoolOfWideRows(t *testing.T) {
	for _, c := range []struct {
		method     string
		d, m, want int
	}{
		{options.InducingKMeans, 8, 100, inducingRows},
		{options.InducingKMeans, 50_000, 100, poolNumbers / 50_000},
		{options.InducingKMeans, 50_000, 2000, 2000},
		{options.InducingRandom, 8, 100, 100},
	} {
		if got := (inducingSelector{method: c.method, m: c.m}).poolSize(1e6, c.d); got != c.want {
			t.Errorf("%s looks at %d rows of %d columns, expected %d", c.method, got, c.d, c.want)
		}
	}
}
