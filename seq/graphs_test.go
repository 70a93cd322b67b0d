package seq

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestGraKel: Gram matrices equal the matrices of GraKel (testdata/graphgrams.py).
func TestGraKel(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/graphgrams.json"))(t)
	var golden struct {
		Graphs []json.RawMessage
		Grams  map[string][][]float64
	}
	must.OK(t, json.Unmarshal(text, &golden))
	e := NewEncoder(Graphs)
	for _, g := range golden.Graphs {
		must.OK(t, e.Add(g))
	}
	set, _ := e.Set()
	if len(golden.Grams) < 7 || set.N() < 20 {
		t.Fatalf("%d matrices of %d graphs", len(golden.Grams), set.N())
	}
	for spec, want := range golden.Grams {
		rows := mustFit(t, spec, set).Rows(set)
		for i, v := range innerProducts(rows, rows) {
			if w := want[i/set.N()][i%set.N()]; !(math.Abs(v-w) <= 1e-10) {
				t.Errorf("%s: entry %d, %d is %.15g, and %.15g by GraKel", spec, i/set.N(), i%set.N(), v, w)
				break
			}
		}
	}
}

// TestRDKit: fingerprints of molecules equal the fingerprints of RDKit (graph/testdata/molecules.py), to unit length.
func TestRDKit(t *testing.T) {
	text := must.Get(os.ReadFile("../graph/testdata/molecules.json"))(t)
	var golden struct {
		Compared []string
		Products map[string][][]float64
	}
	must.OK(t, json.Unmarshal(text, &golden))
	smiles := golden.Compared
	e := NewEncoder(Graphs)
	e.set.Alphabet.Standard = false // RDKit read them as they are written
	for _, text := range smiles {
		must.OK(t, e.Add([]byte(text)))
	}
	set, _ := e.Set()
	if len(golden.Products) < 3 || set.N() < 60 {
		t.Fatalf("%d matrices of %d molecules", len(golden.Products), set.N())
	}
	for spec, product := range golden.Products {
		rows := mustFit(t, spec, set).Rows(set)
		for at, v := range innerProducts(rows, rows) {
			i, j := at/set.N(), at%set.N()
			want := product[i][j] / max(1, math.Sqrt(product[i][i]*product[j][j]))
			if !(math.Abs(v-want) <= 1e-10) {
				t.Errorf("%s: %s and %s have %.15g, and %.15g by RDKit", spec, smiles[i], smiles[j], v, want)
				break
			}
		}
	}
}

// A folder of graphs is the same to every map in whatever order nodes and edges stand.
func TestGraphOrder(t *testing.T) {
	set := encode(t, Graphs,
		`{"nodes": ["C", "O", "N", "C"], "edges": [[0, 1, "="], [1, 2, "-"], [2, 3, "-"], [3, 1, "-"]]}`,
		`{"nodes": ["C", "N", "O", "C"], "edges": [[3, 2, "="], [2, 1, "-"], [2, 0, "-"], [0, 1, "-"]]}`)
	for _, m := range allMaps() {
		if len(m.Kinds) != 1 || m.Kinds[0] != Graphs {
			continue
		}
		rows := mustFit(t, m.Example, set).Rows(set)
		if dots := innerProducts(rows, rows); math.Abs(dots[1]-1) > 1e-12 {
			t.Errorf("%s: the same graph in another order is %g near", m.Example, dots[1])
		}
	}
}

// A model keeps the numbers of chains: features with tf-idf are the same when they are restored.
func TestGraphState(t *testing.T) {
	for kind, spec := range map[Kind]string{Graphs: "wl:2/tfidf", Trees: "partial:3/tfidf"} {
		lines := randomLines(kind, 40, 10, 9)
		all := encode(t, kind, lines...)
		train := all.Subset([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
		f := mustFit(t, spec, train)
		again := must.Get(restore(f.Term, f.Alphabet, f.state()))(t)
		if !equalRows(f.Rows(all), again.Rows(all)) {
			t.Errorf("%s: restored features are others", spec)
		}
		bad := f.state()
		bad.Tables[0] = append(bad.Tables[0], bad.Tables[0][0])
		if _, err := restore(f.Term, f.Alphabet, bad); err == nil {
			t.Errorf("%s: a damaged table is accepted", spec)
		}
	}
}

// Codes of a model file are checked before they are used.
func TestCheckGraphs(t *testing.T) {
	a := &Alphabet{Kind: Graphs, Letters: 2}
	for _, c := range []struct {
		kind  Kind
		codes []int32
		ok    bool
	}{
		{Graphs, []int32{2, 1, 0, 0, 1, 0, 1, 1}, true},
		{Graphs, []int32{2, 1, 0, 0, 2, 0, 1, 1}, false},
		{Graphs, []int32{2, 1, 0, 0, 1, 1, 0, 1}, false},
		{Graphs, []int32{2, 1, 0, 0, 1, 0, 2, 1}, false},
		{Graphs, []int32{2, 2, 0, 0, 1, 0, 1, 1}, false},
		{Graphs, []int32{2, 2, 0, 0, 1, 0, 1, 1, 0, 1, 1}, false},
		{Graphs, []int32{0, 0, 0}, false},
		{Graphs, []int32{2}, false},
		{Trees, []int32{2, 0, 1, 1, 0}, true},
		{Trees, []int32{2, 0, 2, 1, 0}, false},
		{Trees, []int32{2, 0, 0, 1, 0}, false},
		{Trees, []int32{2, 0, 1, 5, 0}, false},
		{Trees, []int32{3, 0, 1, 1, 0}, false},
		{Trees, []int32{1, 0, -1}, false},
	} {
		own := *a
		own.Kind = c.kind
		s := &Set{Alphabet: &own, Codes: c.codes, Start: []int{0, len(c.codes)}}
		if err := s.CheckGraphs(); (err == nil) != c.ok {
			t.Errorf("%s %v: %v", c.kind, c.codes, err)
		}
	}
}

// A deep tree and a graph of many nodes take no stack, and counting them ends.
func TestLargeGraphs(t *testing.T) {
	const nodes = 30000
	tree := encode(t, Trees, strings.Repeat("(A ", nodes)+strings.Repeat(")", nodes))
	for spec, want := range map[string]int{"subtrees": nodes, "partial:3": 3} {
		if got := mustFit(t, spec, tree).width(); got != want {
			t.Errorf("%s of a deep tree: %d columns, want %d", spec, got, want)
		}
	}
	chain := encode(t, Graphs, "C"+strings.Repeat("C", nodes))
	for spec, want := range map[string]int{"wl:2": 6, "paths:5": 5, "circular:1": 5, "graphlets:4": 1} {
		if got := mustFit(t, spec, chain).width(); got != want {
			t.Errorf("%s of a long chain: %d columns, want %d", spec, got, want)
		}
	}
}

// A graph with too many pairs is an error for the maps that look at these, and no others.
func TestTooManyPairs(t *testing.T) {
	defer func(most uint64) { maxSteps = most }(maxSteps)
	maxSteps = 1 << 16
	var edges []string
	for leaf := 1; leaf < 1000; leaf++ {
		edges = append(edges, fmt.Sprintf("[0, %d]", leaf))
	}
	star := encode(t, Graphs, `{"nodes": 1000, "edges": [`+strings.Join(edges, ", ")+`]}`, "CC")
	for text, fine := range map[string]bool{"paths:2": false, "atompairs:3": false,
		"graphlets:4": false, "wl:3": true, "circular:2": true} {
		spec := must.Get(Parse(text))(t)
		if err := spec.Fits(t.Context(), star.Subset([]int{1})); err != nil {
			t.Errorf("%s of the small graph: %v", text, err)
		}
		_, err := NewInducingSequences(t.Context(), spec, star, []int{1})
		if fine != (err == nil) || !fine && !strings.Contains(err.Error(), "a graph of 1000 nodes: make its") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The features of a molecule are the same to the bit in every notation (graph/testdata/notations.py).
func TestNotations(t *testing.T) {
	text := must.Get(os.ReadFile("../graph/testdata/notations.tsv"))(t)
	var usual, others []string
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range append(lines, "Cc1ccccc1c1ccccc1\tCc1ccccc1-c1ccccc1", "c1ccc2cccc2cc1\tc1ccc2cccc-2cc1",
		"CN(=O)=O\tC[N+](=O)[O-]", "[H][H]\t[H][H]", "[H]n1cccc1\tc1cc[nH]c1") {
		notations := strings.Split(line, "\t")
		for _, other := range notations[1:] {
			usual, others = append(usual, notations[0]), append(others, other)
		}
	}
	if len(usual) < 200 {
		t.Fatalf("%d pairs", len(usual))
	}
	a := encode(t, Graphs, usual...)
	e := EncoderFor(a.Alphabet)
	for _, other := range others {
		must.OK(t, e.Add([]byte(other)))
	}
	b, unknown := e.Set()
	if unknown > 0 {
		t.Errorf("%d labels are not those of the usual notation", unknown)
	}
	for _, m := range allMaps() {
		if len(m.Kinds) != 1 || m.Kinds[0] != Graphs {
			continue
		}
		f := mustFit(t, m.Example, a)
		one, two := f.Rows(a), f.Rows(b)
		for i := range usual {
			column, value := one.row(i)
			if c, v := two.row(i); !slices.Equal(c, column) || !slices.Equal(v, value) {
				t.Errorf("%s: %s and %s differ", m.Example, usual[i], others[i])
			}
		}
	}
}
