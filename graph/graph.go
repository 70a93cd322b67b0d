package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// Graph is an undirected graph without self-loops and multi-edges.
type Graph struct {
	Labels []string    // labels of the nodes; "" for a node without a label
	Values [][]float32 // attributes of each node, all of the same number; nil without attributes
	Edges  []Edge      // edges with From < To, ascending

	Loops    int      // number of edges from a node to itself, which were left out
	Repeats  int      // number of edges that occur again, in the same or the other direction
	Warnings []string // warnings about accepted parts that are likely mistakes

	atoms []atom // atoms of a molecule; nil for other graphs
}

// Edge joins two nodes, numbered from 0.
type Edge struct {
	From, To int
	Label    string // "" for an edge without a label
}

// Error is a fault of the text of a graph or tree.
type Error struct {
	At    int    // place of the fault in the text, in bytes from 0
	Found string // the text at the fault
	Msg   string // the fault, and its remedy
}

func (e *Error) Error() string { return fmt.Sprintf("found %q, %s", e.Found, e.Msg) }

func errorAt(at int, found, format string, args ...any) *Error {
	const longest = 40
	if r := []rune(found); len(r) > longest {
		found = string(r[:longest]) + "…"
	}
	return &Error{at, found, fmt.Sprintf(format, args...)}
}

// Parse reads the text of a graph: a JSON object, a MOL block or SMILES. Errors are *Error.
func Parse(text []byte) (*Graph, error) {
	g := &Graph{}
	var err *Error
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")):
		err = g.parseJSON(text)
	case IsMol(text):
		err = g.parseMol(text)
	default:
		err = g.parseSMILES(text)
	}
	if err != nil {
		return nil, err
	}
	if len(g.Labels) == 0 {
		return nil, errorAt(0, string(text), "which is a graph without nodes: remove it, or give at least one node")
	}
	g.simplify()
	return g, nil
}

// simplify leaves self-loops and repeated edges out. The first of repeated edges stays.
func (g *Graph) simplify() {
	kept := g.Edges[:0]
	for _, e := range g.Edges {
		if e.From > e.To {
			e.From, e.To = e.To, e.From
		}
		if e.From == e.To {
			g.Loops++
		} else {
			kept = append(kept, e)
		}
	}
	same := func(a, b Edge) bool { return a.From == b.From && a.To == b.To }
	slices.SortStableFunc(kept, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	g.Edges = slices.CompactFunc(kept, same)
	g.Repeats = len(kept) - len(g.Edges)
}
