package data

import (
	"fmt"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/graph"
	"github.com/gpdrf/gpdrf-gpu/seq"
)

// Texts of graphs and trees are those of package graph. How many are looked at to tell what they
// are, and the share that must be valid: a wrong one is an error of its line.
const (
	graphsLookedAt = 100
	mostlyValid    = 0.9
)

// detectGraphs tells graphs and trees from other texts: nearly all must be valid. Molecules need a
// mark that words do not have, since C and CO are words, too.
func (t *texts) detectGraphs() (kind seq.Kind, found bool) {
	n := min(t.n(), graphsLookedAt)
	graphs, trees, marked := 0, 0, false
	for i := range n {
		text := string(t.of(i))
		switch trimmed := strings.TrimSpace(text); {
		case trimmed == "" || strings.ContainsAny(trimmed, "?!\"") && trimmed[0] != '{' && trimmed[0] != '(':
		case trimmed[0] == '(':
			if _, err := graph.ParseTree([]byte(text)); err == nil {
				trees++
			}
		default:
			if _, err := graph.Parse([]byte(text)); err == nil {
				graphs++
				marked = marked || strings.ContainsAny(strings.Fields(text)[0], "{[(=#")
			}
		}
	}
	enough := func(count int) bool { return count > 0 && float64(count) >= mostlyValid*float64(n) }
	switch {
	case enough(trees):
		return seq.Trees, true
	case enough(graphs) && marked:
		return seq.Graphs, true
	}
	return "", false
}

// describeGraphs notes what was found in graphs or trees.
func (t *texts) describeGraphs(set *seq.Set, unknown int, found seq.GraphStats) {
	note := func(format string, args ...any) {
		t.notes = append(t.notes, t.name+": "+fmt.Sprintf(format, args...))
	}
	low, mean, high := set.Lengths()
	beside := ""
	if set.Alphabet.Kind == seq.Graphs {
		beside = fmt.Sprintf(" and %.1f edges on average", set.MeanEdges())
	}
	if v := set.Alphabet.OfVectors(); v != nil {
		beside += ", each node with " + plural(v.Width, "value")
	}
	note("%d %s of %s nodes (mean %.1f)%s, %s (--tokens to change)", set.N(), set.Alphabet.Kind,
		span(low, high), mean, beside, plural(set.Alphabet.Letters, "different label"))
	if unknown > 0 {
		note("labels that are not in the training data: %d; features that contain one are left out", unknown)
	}
	if found.Loops > 0 {
		note("edges from a node to itself: %d; they are left out", found.Loops)
	}
	if found.Repeats > 0 {
		note("repeated edges: %d; each counts once", found.Repeats)
	}
	if found.Warnings > 0 {
		at := t.at[found.FirstAt]
		more := ""
		if found.Warnings > 1 {
			more = fmt.Sprintf(" (and %d more such atoms)", found.Warnings-1)
		}
		t.notes = append(t.notes, fmt.Sprintf("warning: %s:%d: %s%s: it is read unchanged",
			t.name, at.line, found.First, more))
	}
}
