package graph

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

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
	var classes IsomorphismClasses
	ours, theirs := map[int]float64{}, map[float64]int{}
	for _, pair := range golden {
		smiles, want := pair[0].(string), pair[1].(float64)
		s := standard(t, smiles).Scaffold()
		if (len(s.Labels) == 0) != (want == 0) {
			t.Errorf("%s has the scaffold %v", smiles, s.Labels)
		}
		got := classes.Number(s)
		if other, known := ours[got]; known && other != want {
			t.Errorf("%s: scaffold %d is %g and %g by RDKit: %v", smiles, got, other, want, s)
		}
		if other, known := theirs[want]; known && other != got {
			t.Errorf("%s: scaffold %g of RDKit is %d and %d: %v", smiles, want, other, got, s)
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

// TestScaffoldNumbers: a graph in another order has its number, and graphs that colours cannot tell apart have
// different ones.
func TestScaffoldNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pairs := [][2]string{
		{"C1CCC2CCCCC2C1", "C1CCCC1C1CCCC1"},                    // two rings that share a bond, or are joined by one
		{"C1CCCCC1", "C1CC1.C1CC1"},                             // one ring, or two
		{"C12C3C4C1C5C2C3C45", "C12C3C4C5C1C6C2C3C4C56"},        // the cube and the prism of five sides
		{"C1CC1C1CC1.C1CCC1", "C1CCC1C1CC1.C1CC1"},              // the same pieces, joined in other ways
		{"C1=CC=CC=C1N", "C1=CC=CC=C1O"}, {"C1CC=C1", "C1CCC1"}, // labels of nodes, and of edges
	}
	rings := strings.Repeat("C1CCCCC1.", 8) // many orders of equal pieces
	pairs = append(pairs, [2]string{rings + "C1CC1.C1CC1", rings + "C1CCCCC1"})
	var classes IsomorphismClasses
	all := map[int]bool{}
	for _, pair := range pairs {
		if _, known := classes.Find(mustParse(t, pair[0])); known {
			t.Errorf("%s is known before it has a number", pair[0])
		}
		a, b := mustParse(t, pair[0]), mustParse(t, pair[1])
		one, two := classes.Number(a), classes.Number(b)
		all[one], all[two] = true, true
		if got, known := classes.Find(shuffled(b, r)); !known || got != two {
			t.Errorf("%s is found as %d, not %d", pair[1], got, two)
		}
		if one == two {
			t.Errorf("%v have one number", pair)
		}
		for range 10 {
			if got := [2]int{classes.Number(shuffled(a, r)), classes.Number(shuffled(b, r))}; got != [2]int{one, two} {
				t.Errorf("%v: %v in another order, not %d and %d", pair, got, one, two)
			}
		}
	}
	if n := 2 * len(pairs); len(all) != n || !all[0] || !all[n-1] {
		t.Errorf("%d graphs have the numbers %v", n, all)
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
