package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/dist"
)

// counted is a Comm that counts its sums.
type counted struct {
	dist.Comm
	sums *int
}

func (c counted) AllReduce(x []float64) error {
	*c.sums++
	return c.Comm.AllReduce(x)
}

// With many columns, ranks share Kuu, by two sums more in each step, and train the model of one
// process.
func TestRanksShareKuu(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	words := "steps=20 batch=32 inducing=9 features=7 latents=3 lengthscales=ard columns=all device=cpu:f64"
	sums := map[int]int{}
	for _, columns := range []int{120, 130} {
		set := wide(t, 50, columns)
		one := mustFit(t, words, set)
		n := 0
		outs, errs := onRanks(t, 2, words, set, func(j *Job, _ *context.Context) {
			if j.Comm.Rank() == 0 {
				j.Comm = counted{j.Comm, &n}
			}
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		sums[columns] = n
		same(t, words, outs[0].Trained.Named, outs[1].Trained.Named)
		if d := math.Abs(outs[0].ELBO.Value - one.ELBO.Value); !(d <= 1e-9*math.Abs(one.ELBO.Value)) {
			t.Errorf("%d columns: the bound is %.12g, of one %.12g", columns, outs[0].ELBO.Value, one.ELBO.Value)
		}
	}
	if more := sums[130] - sums[120]; more < 2*20 {
		t.Errorf("%d sums more than with few columns, in 20 steps", more)
	}
}

// wide is a table of n rows and so many columns, all of noise.
func wide(t *testing.T, n, columns int) *data.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(columns)))
	var b strings.Builder
	for i := range n + 1 {
		for j := range columns {
			if i == 0 {
				fmt.Fprintf(&b, "x%d,", j)
			} else {
				fmt.Fprintf(&b, "%g,", rng.NormFloat64())
			}
		}
		if i == 0 {
			b.WriteString("target\n")
		} else {
			fmt.Fprintf(&b, "%g\n", rng.NormFloat64())
		}
	}
	path := filepath.Join(t.TempDir(), "wide.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, _, err := data.ReadFile(path, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
