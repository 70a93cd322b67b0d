package seq

import (
	"context"
	"slices"

	"github.com/gpdrf/gpdrf-gpu/graph"
)

// Candidates returns the specs among which Select chooses for a set, cheap ones first. They were found on public sets
// of each alphabet.
func Candidates(set *Set) []Spec {
	var specs []Spec
	add := func(texts ...string) {
		for _, text := range texts {
			spec, err := Parse(text)
			if err != nil {
				panic("seq: candidates: " + err.Error())
			}
			if spec.Check(set.Alphabet) == nil {
				specs = append(specs, spec)
			}
		}
	}
	switch set.Alphabet.Kind {
	case DNA:
		add("spectrum:6/rc", "double:1,5/sqrt", "gapped:6,2/sqrt/rc", "gapped:6,2/sqrt",
			"spectrum:8/sqrt", "gapped:8,3/sqrt", "gapped:8,3/sqrt/rc", "gapped:10,4/rc")
	case Protein:
		add("double:1,5", "spectrum:4", "spectrum:6", "triple:1,3/log", "gapped:5,2/sqrt",
			"gapped:6,2", "gapped:8,4", "gapped:10,6")
	case Bytes:
		add("words:1/log/tfidf", "words:2/log", "blended:3/log", "intersection:2", "intersection:4",
			"double:1,5/log", "blended:5/log/tfidf", "gapped:8,2", "gapped:11,4")
		if set.small() {
			add("double:1,5/log/fold", "blended:5/log/tfidf/fold")
		}
	case Words:
		add("spectrum:1/log/tfidf", "words:2/log", "double:1,5/log")
	case Integers:
		add("spectrum:1/log", "spectrum:1/sqrt", "spectrum:1/log/tfidf", "blended:2/sqrt", "double:1,5/sqrt")
	case Graphs:
		add("vertices/min", "edges/min", "wl:1/min", "wl:2/min", "wl:2/sqrt", "wl:3/min", "wl:5/min",
			"circular:1/min", "circular:2/min", "paths:10/sqrt", "atompairs:10/sqrt", "atompairs:10/min",
			"graphlets:4/min", "wl:1/tanimoto", "wl:3/tanimoto", "circular:1/tanimoto", "atompairs:10/tanimoto")
		if set.edgeLabels() > 1 { // otherwise the features are the same as the features of wl
			add("wledges:2/min", "wledges:1/tanimoto", "wledges:2/tanimoto")
		}
	case Trees:
		add("subtrees/sqrt", "subtrees/min", "partial:2/sqrt", "partial:2/min", "partial:3/sqrt", "partial:4/sqrt")
	}
	if set.Alphabet.Kind.IsGraph() {
		return specs
	}
	if shortest, _, longest := set.Lengths(); float64(shortest) >= aligned*float64(longest) {
		add("degree:1", "placed:3,2", "degree:4", "degree:10")
	}
	return specs
}

// aligned is the least ratio of the shortest length and the longest where positions may mean something.
const aligned = 0.9

// small reports whether a text has small letters and capitals, which can be folded.
func (s *Set) small() bool {
	has := func(from, to int32) bool {
		return slices.ContainsFunc(s.Codes, func(c int32) bool { return c >= from && c <= to })
	}
	return has('a', 'z') && has('A', 'Z')
}

// cost is the work of a spec: features of a sequence, and products of features of a pair of sequences.
type cost struct{ features, products float64 }

// Work in units of a product, some nanoseconds.
const (
	featureWork   = 10   // work of a feature, each time that it is counted
	maxWork       = 4e9  // largest work of comparing a candidate
	maxTraining   = 4e10 // largest work of training with a candidate
	workPerSecond = 2e8  // work for each second of a time limit
	productTime   = 5    // time of a product in nanoseconds
	trainingRows  = 1000 // usual number of inducing points
	probeRows     = 24   // number of sequences probed for cost
	probeCodes    = 200  // number of symbols read from each of them
)

// comparing returns the work of comparing n sequences with each other, whose features are counted three times.
func (c cost) comparing(n int) float64 {
	return float64(n) * (3*featureWork*c.features + float64(n)*c.products)
}

// training returns the work of comparing n sequences with X̄.
func (c cost) training(n int) float64 {
	return float64(n) * (2*featureWork*c.features + float64(min(n, trainingRows))*c.products)
}

// cost counts the features in the beginnings of a few sequences.
func (c *comparison) cost(ctx context.Context, spec Spec) (sum cost, err error) {
	probe := &Set{Alphabet: c.set.Alphabet, Start: []int{0}}
	for i := range min(probeRows, c.set.N()) {
		x := c.set.At(i)
		if !c.set.Alphabet.Kind.IsGraph() { // a graph has no beginning
			x = x[:min(len(x), probeCodes)]
		}
		probe.Codes = append(probe.Codes, x...)
		probe.Start = append(probe.Start, len(probe.Codes))
	}
	n := float64(probe.N())
	longer := float64(c.set.Start[c.set.N()]) / float64(c.set.N()) / max(1, float64(len(probe.Codes))/n)
	for _, t := range spec {
		if m := matchesFor(t, c.set); m != nil {
			sum.features += m.windows(c.set)
			sum.products += m.pairTime(c.set) / productTime
			continue
		}
		f, err := Fit(ctx, t, probe)
		if err != nil {
			return sum, err
		}
		one := cost{}
		v := f.inverted(ctx, probe)
		if ctx.Err() != nil {
			return sum, ctx.Err()
		}
		if g, ok := f.ex.(*graphFeatures); ok {
			one.features = float64(g.work.Steps) / n
		}
		for column, from := range v.Start[:f.width()] {
			rows := float64(v.Start[column+1] - from)
			one.features += rows / n
			one.products += rows * (rows - 1) / max(1, n*(n-1))
		}
		sum.features += longer * one.features
		sum.products += min(longer*longer*one.products, longer*one.features)
	}
	return sum, nil
}

// maxSteps is the largest number of parts that a map may look at in one graph. A graph with more parts, such as the
// pairs of a million nodes, would take minutes and gigabytes.
var maxSteps uint64 = 1 << 28 // tests set a smaller number

// Fits refuses a graph or tree of the set that is too much for a map of the spec. An error is a *SpecError, or the
// error of ctx.
func (s Spec) Fits(ctx context.Context, set *Set) error {
	if !set.Alphabet.Kind.IsGraph() {
		return nil
	}
	for _, t := range s {
		m, _ := mapNamed(t.Map)
		var count graph.Counter
		for i := range set.N() {
			x := set.At(i)
			if m.graph.Steps == nil || m.graph.Steps(t.Args, x) <= float64(maxSteps) {
				continue
			}
			if count == nil {
				count = m.graph.Make(t.Args)
			}
			w := graph.Work{Limit: maxSteps, Found: func(_, _ uint64) {}, Down: newTable().down}
			if count(&w, x); w.Steps > maxSteps {
				return specErrorf("%s takes too long on a %s of %d nodes: make its numbers smaller, or "+
					"use for example %s", t, set.Alphabet.Kind.Noun(),
					graph.Nodes(x), exampleFor(set.Alphabet.Kind))
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// tooLarge reports whether a graph of the set may be too much for a map of the spec, by bounds alone.
func (s Spec) tooLarge(set *Set) bool {
	for _, t := range s {
		m, _ := mapNamed(t.Map)
		for i := 0; m.graph.Steps != nil && i < set.N(); i++ {
			if m.graph.Steps(t.Args, set.At(i)) > float64(maxSteps) {
				return true
			}
		}
	}
	return false
}

// maxNodes is the largest number of nodes of a graph or tree that is used to choose a map.
const maxNodes = 20000

// skipLarge returns the rows whose graphs or trees have at most maxNodes nodes, or all rows if no row has.
func (s *Set) skipLarge(rows []int) []int {
	if !s.Alphabet.Kind.IsGraph() {
		return rows
	}
	large := func(r int) bool { return graph.Nodes(s.At(r)) > maxNodes }
	if kept := slices.DeleteFunc(slices.Clone(rows), large); len(kept) > 0 {
		return kept
	}
	return rows
}
