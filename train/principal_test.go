package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The directions are those of a singular value decomposition; where rows span a plane, there are
// two.
func TestPrincipal(t *testing.T) {
	const n, d, k = 400, 6, 3
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n*d)
	for i := range n {
		for j := range d {
			x[i*d+j] = 5 + r.NormFloat64()*math.Pow(0.6, float64(j))
		}
		x[i*d+d-1] += x[i*d] // not along the axes
	}
	got, err := principal(t.Context(), rows(x, d), n, d, k, 1)
	if err != nil {
		t.Fatal(err)
	}
	var pc stat.PC
	pc.PrincipalComponents(mat.NewDense(n, d, x), nil)
	var want mat.Dense
	pc.VectorsTo(&want)
	for j := range k {
		inner := 0.0
		for i := range d {
			inner += got[i*k+j] * want.At(i, j)
		}
		if math.Abs(math.Abs(inner)-1) > 1e-6 {
			t.Errorf("direction %d: the cosine to that of the decomposition is %g", j, inner)
		}
	}
	for i := range n {
		for j := 2; j < d; j++ {
			x[i*d+j] = x[i*d] - x[i*d+1]
		}
	}
	if got, err = principal(t.Context(), rows(x, d), n, d, k, 1); err != nil {
		t.Fatal(err)
	}
	for i := range d {
		if got[i*k+2] != 0 {
			t.Errorf("a third direction of rows in a plane: %v", got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := principal(ctx, rows(x, d), n, d, k, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("after Ctrl-C: %v", err)
	}
}
