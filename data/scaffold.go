package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// scaffold as RowRoles.Group groups molecules by their scaffolds, unless a column has that name.
const scaffold = "scaffold"

func noScaffold() string { return "give " + asFlag("group") + " COL, or leave it out" }

// byScaffold reports whether a role means scaffold, and not one of the columns of a table. A column with that name in
// capitals may be meant.
func (r rowRole) byScaffold(columns []string) bool {
	return r.option == "group" && r.column == scaffold &&
		!slices.ContainsFunc(columns, func(name string) bool { return strings.EqualFold(name, scaffold) })
}

// groupByScaffold makes a group of the molecules that have the same scaffold (graph.Graph.Scaffold). Molecules without
// a ring are one group, as in other programs.
func (in *input) groupByScaffold(d *Dataset) error {
	if d.Sequences == nil || d.Sequences.Alphabet.Kind != seq.Graphs {
		return in.errorf("has no column %s to group the rows, and no molecules that have scaffolds "+
			"(%s COL reads a column of them): %s", phrase.Quote(scaffold), asFlag("sequence"), noScaffold())
	}
	d.scaffolds = map[string]int32{}
	rings := map[int32]bool{}
	chains := 0
	for i := range d.Sequences.N() {
		s, wrong := d.scaffold(i)
		if s == nil {
			where := position{}
			if d.lines != nil {
				where.line = int(d.lines[i])
			}
			return in.errorAt(where, "found a node with the label %s, which is not an atom: only molecules have "+
				"scaffolds; %s", phrase.Quote(wrong), noScaffold())
		}
		key := s.Key()
		group, known := d.scaffolds[key]
		if !known {
			group = int32(len(d.scaffolds))
			d.scaffolds[key] = group
		}
		d.Groups = append(d.Groups, group)
		if len(s.Labels) > 0 {
			rings[group] = true
		} else {
			chains++
		}
	}
	others := ""
	if chains > 0 {
		others = fmt.Sprintf("; %d without a ring are one group", chains)
	}
	in.note("splits keep the molecules of a scaffold together: %s of %s%s", phrase.Plural(len(rings), "scaffold"),
		phrase.Plural(d.N()-chains, "molecule"), others)
	return nil
}

// scaffold finds the scaffold of row i, or nil with the label of a node that is not an atom.
func (d *Dataset) scaffold(i int) (s *graph.Graph, wrong string) {
	m := graph.Decoded(d.Sequences.At(i), d.Sequences.Alphabet.Words)
	for _, label := range m.Labels {
		if !graph.IsAtom(label) {
			return nil, label
		}
	}
	return m.Scaffold(), ""
}

// withScaffolds counts the molecules that have a scaffold of these groups.
func (d *Dataset) withScaffolds(known map[string]int32, groups map[int32]bool) (n int) {
	if known == nil || d.Sequences == nil {
		return 0
	}
	for i := range d.Sequences.N() {
		s, _ := d.scaffold(i)
		if s == nil || len(s.Labels) == 0 {
			continue
		}
		if group, found := known[s.Key()]; found && groups[group] {
			n++
		}
	}
	return n
}
