package conformance

import (
	"encoding/gob"
	"io"
	"math"
	"os"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/atomicfile"
)

// truth has the derivatives of the naive loops, by row and size. They take most of a test's time and are the same for
// each device.
var truth = map[string][]probes{}

// truthVariable names a file with the truth of programs that ran before. Who sets it begins without the file.
const truthVariable = "CONFORMANCE_TRUTH"

// TestMain runs tests with the truth of earlier programs, and leaves it to later ones.
func TestMain(m *testing.M) {
	path := os.Getenv(truthVariable)
	if file, err := os.Open(path); err == nil {
		orPanic(gob.NewDecoder(file).Decode(&truth))
		orPanic(file.Close())
	}
	known := len(truth)
	code := m.Run()
	if path != "" && len(truth) > known {
		orPanic(atomicfile.WriteFile(path, func(w io.Writer) error { return gob.NewEncoder(w).Encode(truth) }))
	}
	os.Exit(code)
}

func orPanic(err error) {
	if err != nil {
		panic(err)
	}
}

// probes are derivatives with respect to one argument: some or all partial derivatives, and derivatives in some random
// directions, where every element counts.
type probes struct {
	Elements   []int
	Directions [][]float64
	Want       []float64 // derivatives by central differences
}

// probe makes the probes of each argument that has a gradient, of the sum of the results weighted by the cotangents.
func (p *problem) probe(rnd *random, in, out, cotangents [][]float64) []probes {
	f := func() float64 {
		p.naive(in, out)
		total := 0.0
		for i, c := range cotangents {
			for k, w := range c {
				total += w * out[i][k]
			}
		}
		return total
	}
	all := make([]probes, len(in))
	for i, a := range p.in {
		if a.grad != none {
			all[i] = newProbes(rnd, f, in[i])
		}
	}
	return all
}

func newProbes(rnd *random, f func() float64, x []float64) (p probes) {
	const partials, directions = 5, 2
	for _, i := range rnd.Perm(len(x))[:min(partials, len(x))] {
		p.Elements, p.Want = append(p.Elements, i), append(p.Want, partial(f, x, i))
	}
	for range directions {
		v := make([]float64, len(x))
		for i := range v {
			v[i] = rnd.NormFloat64() / math.Sqrt(float64(len(x)))
		}
		p.Directions, p.Want = append(p.Directions, v), append(p.Want, along(f, x, v))
	}
	return p
}

// along returns the derivatives that a gradient gives, to compare with want.
func (p probes) along(g []float64) (got []float64) {
	for _, i := range p.Elements {
		got = append(got, g[i])
	}
	for _, v := range p.Directions {
		inner := 0.0
		for i := range v {
			inner += v[i] * g[i]
		}
		got = append(got, inner)
	}
	return got
}
