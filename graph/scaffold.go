package graph

import "strings"

// Decoded is a coded graph with its labels, those of the codes in words, or * where one is unknown.
func Decoded(codes []int32, words []string) *Graph {
	word := func(code int32) string {
		if code == Unknown {
			return "*"
		}
		return words[code]
	}
	g := &Graph{}
	for _, l := range Labels(codes) {
		g.Labels = append(g.Labels, word(l))
	}
	for e := EdgeList(codes); len(e) > 0; e = e[3:] {
		g.Edges = append(g.Edges, Edge{int(e[0]), int(e[1]), word(e[2])})
	}
	return g
}

// IsAtom reports whether the label of a node is that of an atom, such as C, nH, 13C or Fe+2.
func IsAtom(label string) bool {
	rest := withoutIsotope(label)
	symbol := elementAt(rest)
	rest = rest[len(symbol):]
	if aromatic := symbol != "" && symbol[0] >= 'a'; aromatic {
		rest = strings.TrimPrefix(rest, "H")
	}
	return symbol != "" && (rest == "" || strings.Trim(rest[1:], digits) == "" && strings.Contains("+-", rest[:1]))
}

const digits = "0123456789"

// withoutIsotope is the label of an atom, whatever its isotope.
func withoutIsotope(label string) string { return strings.TrimLeft(label, digits) }

// Scaffold is what is left of a molecule without its side chains: its rings, the atoms on the way
// between two of them (Bemis & Murcko 1996) and, as in RDKit, those with a double bond to one of
// these. It has no nodes where there is no ring. Isotopes do not count, and an aromatic atom other
// than carbon has a hydrogen in place of a side chain.
func (g *Graph) Scaffold() *Graph {
	core := g.core()
	kept, cut := append([]bool(nil), core...), make([]bool, len(core))
	for _, e := range g.Edges {
		kept[e.From] = kept[e.From] || e.Label == "=" && core[e.To]
		kept[e.To] = kept[e.To] || e.Label == "=" && core[e.From]
	}
	for _, e := range g.Edges {
		cut[e.From] = cut[e.From] || !kept[e.To]
		cut[e.To] = cut[e.To] || !kept[e.From]
	}
	s, at := &Graph{}, make([]int, len(core))
	for a, label := range g.Labels {
		if at[a] = len(s.Labels); kept[a] {
			label = withoutIsotope(label)
			if cut[a] {
				label = withHydrogen(label)
			}
			s.Labels = append(s.Labels, label)
		}
	}
	for _, e := range g.Edges {
		if kept[e.From] && kept[e.To] {
			s.Edges = append(s.Edges, Edge{at[e.From], at[e.To], e.Label})
		}
	}
	return s
}

// core are the nodes of rings and of the paths between them: those that are left once nodes with one
// neighbour or none are taken away, again and again.
func (g *Graph) core() []bool {
	degree, near := make([]int, len(g.Labels)), g.neighbours()
	in, ends := make([]bool, len(g.Labels)), []int(nil)
	for a, edges := range near {
		if in[a], degree[a] = true, len(edges); degree[a] < 2 {
			ends = append(ends, a)
		}
	}
	for len(ends) > 0 {
		a := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		in[a] = false
		for _, e := range near[a] {
			if b := e.To; in[b] {
				if degree[b]--; degree[b] == 1 {
					ends = append(ends, b)
				}
			}
		}
	}
	return in
}

// neighbours are the edges of each node, as if From were it.
func (g *Graph) neighbours() [][]Edge {
	near := make([][]Edge, len(g.Labels))
	for _, e := range g.Edges {
		near[e.From] = append(near[e.From], e)
		near[e.To] = append(near[e.To], Edge{e.To, e.From, e.Label})
	}
	return near
}

// withHydrogen is the label of an atom that has one in place of a side chain.
func withHydrogen(label string) string {
	symbol := elementAt(label)
	if symbol == "c" || symbol[0] < 'a' || strings.HasPrefix(label[len(symbol):], "H") {
		return label
	}
	return symbol + "H" + label[len(symbol):]
}
