package seq

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/device"
	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestTanimotoRDKit: 1 − d²/2 is the similarity of RDKit (graph/testdata/molecules.py), also of molecules with labels
// that training does not have.
func TestTanimotoRDKit(t *testing.T) {
	text := must.Get(os.ReadFile("../graph/testdata/molecules.json"))(t)
	var golden struct {
		Compared []string
		Tanimoto map[string][][]float64
	}
	must.OK(t, json.Unmarshal(text, &golden))
	n := len(golden.Compared) / 2
	train := NewEncoder(Graphs)
	train.set.Alphabet.Standard = false // RDKit read them as they are written
	for _, text := range golden.Compared[:n] {
		must.OK(t, train.Add([]byte(text)))
	}
	xbar, _ := train.Set()
	rest := EncoderFor(xbar.Alphabet)
	for _, text := range golden.Compared {
		must.OK(t, rest.Add([]byte(text)))
	}
	all, unknown := rest.Set()
	if unknown < 5 || n < 30 || len(golden.Tanimoto) != 2 {
		t.Fatalf("%d unknown labels, %d molecules, %d matrices", unknown, n, len(golden.Tanimoto))
	}
	for name, want := range golden.Tanimoto {
		d := distancesTo(t, name+"/tanimoto", xbar, all)
		for i, row := range want {
			for j, w := range row[:min(len(row), n)] {
				if got := 1 - d[i*n+j]/2; !(math.Abs(got-w) <= 1e-15) {
					t.Errorf("%s: %s and %s have %.17g, and %.17g by RDKit", name, golden.Compared[i],
						golden.Compared[j], got, w)
				}
			}
		}
	}
}

// distancesTo returns the squared distances of a set to X̄ under one term [N,M], by InducingSequences.
func distancesTo(t *testing.T, text string, xbar, set *Set) []float64 {
	t.Helper()
	spec := must.Get(Parse(text))(t)
	b := must.Get(NewInducingSequences(t.Context(), spec, xbar, places(xbar.N())))(t)
	return b.Distances(t.Context(), set, 0, set.N())
}

// TestTanimoto: distances of random graphs and trees equal the definition by loops, with or without /linear, in
// InducingSequences and among a set. A label that is unknown is like no other.
func TestTanimoto(t *testing.T) {
	for kind, names := range map[Kind][]string{
		Graphs: {"vertices", "edges", "wl:2", "wledges:2", "paths:3", "graphlets:3", "circular:2", "atompairs:4"},
		Trees:  {"subtrees", "partial:3"},
	} {
		all := encode(t, kind, randomLines(kind, 24, 30, 5)...)
		xbar := all.Subset([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
		forgetful(all)
		n := xbar.N()
		for _, name := range names {
			term := must.Get(Parse(name))(t)
			define := naiveGraph(term[0].Map)
			bags := make([]bag, all.N())
			for i := range bags {
				x := graph.MarkUnknown(nil, all.At(i), kind == Trees)
				bags[i] = define(x, term[0].Args, all.Alphabet)
			}
			got := distancesTo(t, name+"/tanimoto", xbar, all)
			if !slices.Equal(got, distancesTo(t, name+"/tanimoto/linear", xbar, all)) {
				t.Errorf("%s: /linear has other distances", name)
			}
			for i, a := range bags {
				for j := range n {
					b := define(xbar.At(j), term[0].Args, all.Alphabet)
					want := 2 - 2*a.similarity(b)
					if g := got[i*n+j]; math.Abs(g-want) > 1e-14 {
						t.Fatalf("%s: graphs %d and %d are %g apart, not %g", name, i, j, g, want)
					}
				}
			}
			testTanimotoAmong(t, name, xbar)
		}
	}
}

// similarity returns Σ min/Σ max of counts, 1 of two empty bags.
func (b bag) similarity(c bag) float64 {
	low, high := 0.0, 0.0
	for f, n := range b {
		low, high = low+min(n, c[f]), high+max(n, c[f])
	}
	for f, n := range c {
		if _, both := b[f]; !both {
			high += n
		}
	}
	if high == 0 {
		return 1
	}
	return low / high
}

// testTanimotoAmong compares the tables of Select and ChooseInducing, and Products, with InducingSequences.
func testTanimotoAmong(t *testing.T, name string, set *Set) {
	t.Helper()
	want := distancesTo(t, name+"/tanimoto", set, set)
	spec, _ := Parse(name + "/tanimoto")
	d2, own, err := distancesAmong(t.Context(), spec[0], set)
	if err != nil || !slices.Equal(d2, want) || slices.ContainsFunc(own, func(v float64) bool { return v != 1 }) {
		t.Errorf("%s: other distances among a set, or k(x, x) is %v: %v", name, own, err)
	}
	rows := mustFit(t, name+"/tanimoto", set).Rows(set)
	products, a, b := spec[0].Products(rows, rows)
	for i, d := range distances(device.Squared, products, a, b) {
		if math.Abs(d-want[i]) > 1e-14 {
			t.Fatalf("%s: product %d is off by %g", name, i, d-want[i])
		}
	}
}

// What /tanimoto is not for is refused.
func TestTanimotoErrors(t *testing.T) {
	if _, err := Parse("circular:2/tanimoto/tfidf"); err == nil || !strings.Contains(err.Error(), "leave out /tfidf") {
		t.Errorf("with tf-idf: %v", err)
	}
	spec := must.Get(Parse("spectrum:2/tanimoto"))(t)
	set := encode(t, DNA, "ACGT")
	if err := spec.Check(set.Alphabet); err == nil || !strings.Contains(err.Error(), "/tanimoto is for graphs") {
		t.Errorf("of sequences: %v", err)
	}
	if spec.Projects() == nil {
		t.Error("projections are said to keep it")
	}
}
