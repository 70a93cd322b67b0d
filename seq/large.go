package seq

import (
	"context"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/graph"
)

// mostSteps is what a map may look at in one graph. More would take minutes and gigabytes for each,
// as the pairs of a million nodes do.
var mostSteps uint64 = 1 << 28 // less in tests

// Fits refuses a graph or tree of the set that is too much for a map of the spec. An error is a
// *SpecError, or that of ctx.
func (s Spec) Fits(ctx context.Context, set *Set) error {
	if !set.Alphabet.Kind.IsGraph() {
		return nil
	}
	for _, t := range s {
		m, _ := graphMap(t.Map)
		var count graph.Counter
		for i := range set.N() {
			x := set.At(i)
			if m.Steps == nil || m.Steps(t.Args, x) <= float64(mostSteps) {
				continue
			}
			if count == nil {
				count = m.Make(t.Args)
			}
			chains := newTable()
			w := graph.Work{Limit: mostSteps, Found: func(_, _ uint64) {},
				Down: func(chain, symbol uint64) uint64 { return uint64(chains.put(chain<<32|symbol)) + 1 }}
			if count(&w, x); w.Steps > mostSteps {
				return specErrorf("%s takes too long on %s %d, which has %d nodes: make its numbers smaller, or "+
					"use for example %s", t, strings.TrimSuffix(string(set.Alphabet.Kind), "s"), i+1,
					graph.Nodes(x), exampleFor(set.Alphabet.Kind))
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// tooLarge says whether a graph of the set may be too much for a map of the spec, by bounds alone.
func (s Spec) tooLarge(set *Set) bool {
	for _, t := range s {
		m, ok := graphMap(t.Map)
		for i := 0; ok && m.Steps != nil && i < set.N(); i++ {
			if m.Steps(t.Args, set.At(i)) > float64(mostSteps) {
				return true
			}
		}
	}
	return false
}

// graphMap is a map of package graph by its name.
func graphMap(name string) (graph.Map, bool) {
	all := graph.Maps()
	if i := slices.IndexFunc(all, func(m graph.Map) bool { return m.Name == name }); i >= 0 {
		return all[i], true
	}
	return graph.Map{}, false
}

// usualNodes is how many nodes a graph or tree has that is looked at to choose a map.
const usualNodes = 20000

// usual are those of some rows whose graphs or trees do not have too many nodes; all where none
// would be left.
func (s *Set) usual(rows []int) []int {
	if !s.Alphabet.Kind.IsGraph() {
		return rows
	}
	large := func(r int) bool { return graph.Nodes(s.At(r)) > usualNodes }
	if kept := slices.DeleteFunc(slices.Clone(rows), large); len(kept) > 0 {
		return kept
	}
	return rows
}
