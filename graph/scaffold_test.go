package graph

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestScaffoldRDKit: molecules have one scaffold exactly where RDKit says so (testdata/scaffolds.py).
func TestScaffoldRDKit(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/scaffolds.json"))(t)
	var golden [][2]any
	must.OK(t, json.Unmarshal(text, &golden))
	if len(golden) < 300 {
		t.Fatalf("%d molecules", len(golden))
	}
	ours, theirs := map[string]float64{}, map[float64]string{}
	for _, pair := range golden {
		smiles, want := pair[0].(string), pair[1].(float64)
		s := standard(t, smiles).Scaffold()
		if (len(s.Labels) == 0) != (want == 0) {
			t.Errorf("%s has the scaffold %v", smiles, s.Labels)
		}
		got := s.Key()
		if other, known := ours[got]; known && other != want {
			t.Errorf("%s: scaffold %s is %g and %g by RDKit: %v", smiles, got, other, want, s)
		}
		if other, known := theirs[want]; known && other != got {
			t.Errorf("%s: scaffold %g of RDKit is %s and %s: %v", smiles, want, other, got, s)
		}
		ours[got], theirs[want] = want, got
	}
}

func standard(t *testing.T, smiles string) *Graph {
	t.Helper()
	g := must.Get(Parse([]byte(smiles)))(t)
	g.Standardise()
	return g
}

// TestScaffoldKeys: a graph in another order has its key, and graphs that differ have others.
func TestScaffoldKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := map[string]string{}
	for _, smiles := range []string{
		"C1CCC2CCCCC2C1", "C1CCCC1C1CCCC1", // two rings that share a bond, or are joined by one
		"C1CCCCC1", "C1CC1.C1CC1", // one ring, or two
		"C12C3C4C1C5C2C3C45", "C12C3C4C5C1C6C2C3C4C56", // the cube and the prism of five sides
		"C1CC1C1CC1.C1CCC1", "C1CCC1C1CC1.C1CC1", // the same pieces, joined in other ways
		"C1=CC=CC=C1N", "C1=CC=CC=C1O", "C1CC=C1", "C1CCC1", // labels of nodes, and of edges
		"c1ccc2ccccc2c1", "c1ccc2[nH]ccc2c1", "c1ccccc1Cc1ccccc1", "c1ccccc1-c1ccccc1", "c1ccncc1", "c1cncnc1",
		"C1CCC2C(C1)CCC1CCCCC12", "C1CCC2CC3CCCCC3CC2C1", "",
	} {
		g := &Graph{}
		if smiles != "" {
			g = mustParse(t, smiles)
		}
		key := g.Key()
		if other, known := all[key]; known {
			t.Errorf("%s and %s have one key", other, smiles)
		}
		all[key] = smiles
		for range 10 {
			if got := shuffled(g, r).Key(); got != key {
				t.Errorf("%s in another order has the key %s, not %s", smiles, got, key)
			}
		}
	}
	for _, written := range [][2]string{{"C1CCC(CC1)N2CC2", "C1CN1C1CCCCC1"},
		{"c1ccc2c(c1)cc[nH]2", "[nH]1ccc2ccccc12"}} {
		if standard(t, written[0]).Key() != standard(t, written[1]).Key() {
			t.Errorf("%v have two keys", written)
		}
	}
}

func mustParse(t *testing.T, smiles string) *Graph {
	t.Helper()
	return must.Get(Parse([]byte(smiles)))(t)
}

// shuffled returns g with its nodes in another order.
func shuffled(g *Graph, r *rand.Rand) *Graph {
	at := r.Perm(len(g.Labels))
	s := &Graph{Labels: make([]string, len(at))}
	for a, label := range g.Labels {
		s.Labels[at[a]] = label
	}
	for _, e := range g.Edges {
		s.Edges = append(s.Edges, Edge{at[e.From], at[e.To], e.Label})
	}
	s.simplify()
	return s
}

func TestIsAtom(t *testing.T) {
	for label, want := range map[string]bool{"C": true, "nH": true, "13C": true, "Fe+2": true, "N+": true, "O-": true,
		"nH+": true, "*": true, "2H": true, "": false, "0": false, "H1": false, "Carbon": false, "x": false,
		"C++": false} {
		if IsAtom(label) != want {
			t.Errorf("%q: %v", label, !want)
		}
	}
	scaffold := mustParse(t, "[13CH3]N1C=CC=C1").Scaffold()
	if !slices.Equal(scaffold.Labels, []string{"N", "C", "C", "C", "C"}) {
		t.Errorf("%v", scaffold.Labels)
	}
}

// The key of a large ring takes time that grows with its atoms, not with their square.
func TestKeyOfLargeRing(t *testing.T) {
	const n = 50000
	ring := &Graph{}
	for i := range n {
		ring.Labels = append(ring.Labels, "C")
		ring.Edges = append(ring.Edges, Edge{From: i, To: (i + 1) % n, Label: "-"})
	}
	began := time.Now()
	if ring.Key(); time.Since(began) > 20*time.Second {
		t.Errorf("a ring of %d atoms took %v", n, time.Since(began))
	}
}
