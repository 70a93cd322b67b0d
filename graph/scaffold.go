package graph

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// Decoded returns a coded graph with its labels: the words of the codes, or * for an unknown code.
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

// IsAtom reports whether the label of a node is a label of an atom, such as C, nH, 13C or Fe+2.
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

// withoutIsotope returns the label of an atom, whatever its isotope.
func withoutIsotope(label string) string { return strings.TrimLeft(label, digits) }

// Scaffold returns a molecule without its side chains: its rings, the atoms on the way between two of them (Bemis &
// Murcko 1996) and, as in RDKit, atoms with a double bond to one of these. It has no nodes if there is no ring.
// Isotopes do not count, and an aromatic atom other than carbon has a hydrogen in place of a side chain.
func (g *Graph) Scaffold() *Graph {
	core := g.core()
	kept := slices.Clone(core)
	cut := make([]bool, len(core))
	for _, e := range g.Edges {
		kept[e.From] = kept[e.From] || e.Label == "=" && core[e.To]
		kept[e.To] = kept[e.To] || e.Label == "=" && core[e.From]
	}
	for _, e := range g.Edges {
		cut[e.From] = cut[e.From] || !kept[e.To]
		cut[e.To] = cut[e.To] || !kept[e.From]
	}
	labels := make([]string, len(core))
	for a, label := range g.Labels {
		if labels[a] = withoutIsotope(label); kept[a] && cut[a] {
			labels[a] = withHydrogen(labels[a])
		}
	}
	return (&Graph{Labels: labels, Edges: g.Edges}).among(kept)
}

// among returns the graph of some of the nodes.
func (g *Graph) among(kept []bool) *Graph {
	s := &Graph{}
	at := make([]int, len(kept))
	for a, label := range g.Labels {
		at[a] = len(s.Labels)
		if kept[a] {
			s.Labels = append(s.Labels, label)
			if g.atoms != nil {
				s.atoms = append(s.atoms, g.atoms[a])
			}
		}
	}
	for _, e := range g.Edges {
		if kept[e.From] && kept[e.To] {
			s.Edges = append(s.Edges, Edge{at[e.From], at[e.To], e.Label})
		}
	}
	return s
}

// core returns the nodes of rings and of the paths between them. It removes nodes with fewer than two neighbours, again
// and again.
func (g *Graph) core() []bool {
	degree := make([]int, len(g.Labels))
	near := g.neighbours()
	in := make([]bool, len(g.Labels))
	var ends []int
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

// neighbours returns the edges of each node, as if From were it.
func (g *Graph) neighbours() [][]Edge {
	near := make([][]Edge, len(g.Labels))
	for _, e := range g.Edges {
		near[e.From] = append(near[e.From], e)
		near[e.To] = append(near[e.To], Edge{e.To, e.From, e.Label})
	}
	return near
}

// withHydrogen returns the label of an atom with a hydrogen in place of a side chain.
func withHydrogen(label string) string {
	symbol := elementAt(label)
	if symbol == "c" || symbol[0] < 'a' || strings.HasPrefix(label[len(symbol):], "H") {
		return label
	}
	return symbol + "H" + label[len(symbol):]
}

// Key returns a text that does not depend on the order of the nodes. Other graphs seldom have the same.
func (g *Graph) Key() string {
	near := g.neighbours()
	colour := make([]uint64, len(g.Labels))
	for a, label := range g.Labels {
		colour[a] = hash(label + fmt.Sprint(shells(near, a)))
	}
	for before := 0; ; {
		sorted := slices.Sorted(slices.Values(colour))
		key := fmt.Sprint(sorted)
		different := len(slices.Compact(sorted))
		if different == before {
			return key
		}
		before = different
		next := make([]uint64, len(colour))
		for a, edges := range near {
			var around []string
			for _, e := range edges {
				around = append(around, e.Label+" "+strconv.FormatUint(colour[e.To], 36))
			}
			slices.Sort(around)
			next[a] = hash(strconv.FormatUint(colour[a], 36) + "\n" + strings.Join(around, "\n"))
		}
		colour = next
	}
}

// maxShells is the largest number of shells: more tell apart rings of more than sixteen atoms, and take time that grows
// with the square of the nodes.
const maxShells = 8

// shells counts the nodes at each distance from a node, which tells apart rings that the neighbours of nodes cannot.
func shells(near [][]Edge, a int) (sizes []int) {
	seen := map[int]bool{a: true}
	for shell := []int{a}; len(shell) > 0 && len(sizes) < maxShells; {
		sizes = append(sizes, len(shell))
		var next []int
		for _, b := range shell {
			for _, e := range near[b] {
				if !seen[e.To] {
					seen[e.To] = true
					next = append(next, e.To)
				}
			}
		}
		shell = next
	}
	return sizes
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
