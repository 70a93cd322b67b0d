// This test trains on graphs.

package train

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
)

// molecules returns n chains of carbon and nitrogen, of class 1 where they are closed to a ring, read like training
// rows where there are some.
func molecules(t testing.TB, n int, seed uint64, like ...data.Schema) *data.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	var b strings.Builder
	for i := range n {
		atoms := []string{}
		for range 4 + rng.IntN(8) {
			atoms = append(atoms, string("CCCN"[rng.IntN(4)]))
		}
		if i%2 == 1 {
			atoms[0], atoms[len(atoms)-1] = "C1", "C1"
		}
		fmt.Fprintf(&b, "%d\t%s\n", i%2, strings.Join(atoms, ""))
	}
	opt := data.ReadOptions{Tokens: "graphs"}
	if len(like) > 0 {
		opt = data.ReadOptions{Schema: &like[0]}
	}
	return readText(t, "molecules.tsv", b.String(), opt)
}

// Rings and chains are classified, and the model file predicts what the model does.
func TestGraphs(t *testing.T) {
	set := molecules(t, 80, 1)
	test := molecules(t, 40, 2, set.Schema())
	for _, options := range []string{
		"model=gp inducing=40 steps=200 lr=0.05 kernel=circular:0",
		"model=gp inducing=40 steps=200 lr=0.05 kernel=circular:0/tfidf+wl:1/presence",
		"model=drf features=30 steps=200 kernel=circular:0/tfidf projection=32",
		"model=gp inducing=40 steps=200 lr=0.05 kernel=circular:1/tanimoto",
		"model=gpdrf inducing=40 features=10 latents=2 steps=200 lr=0.05 kernel=circular:1/tanimoto/linear",
	} {
		out := mustFit(t, options+" batch=40", set)
		if e := evaluate(t, out, test).Classification.Error; e > 0.1 {
			t.Errorf("%s: error %.3f", options, e)
		}
		rereadSame(t, out.Trained, test)
	}
}
