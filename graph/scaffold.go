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

// IsomorphismClasses numbers graphs. Two have the same number exactly if they are the same graph, whatever the order of
// their nodes.
type IsomorphismClasses struct {
	number    map[string]int // number of a graph by the numbers of its connected parts
	parts     int
	byColours map[string][]isomorphismClass
}

// isomorphismClass is the first connected graph of its number.
type isomorphismClass struct {
	number int
	*wlGraph
}

// wlGraph is a graph whose nodes have colours. Nodes that can replace each other in the same graph have the same
// colour, and other nodes seldom have.
type wlGraph struct {
	label  []string
	colour []uint64
	near   [][]Edge
}

// Number returns the number of the graph: the next one, from 0, where it is new.
func (c *IsomorphismClasses) Number(g *Graph) int {
	if c.number == nil {
		c.number, c.byColours = map[string]int{}, map[string][]isomorphismClass{}
	}
	name, _ := c.name(g, true)
	number, known := c.number[name]
	if !known {
		number = len(c.number)
		c.number[name] = number
	}
	return number
}

// Find returns the number of the graph, if it has one.
func (c *IsomorphismClasses) Find(g *Graph) (number int, known bool) {
	name, known := c.name(g, false)
	if known {
		number, known = c.number[name]
	}
	return number, known
}

// name lists the numbers of the connected parts in order. A new part gets a number if grow; else the graph is not
// known.
func (c *IsomorphismClasses) name(g *Graph, grow bool) (name string, known bool) {
	var numbers []int
	for _, part := range g.connectedParts() {
		w := refineColours(part)
		alike := c.byColours[w.name()]
		i := slices.IndexFunc(alike, func(other isomorphismClass) bool { return other.isomorphic(w) })
		switch {
		case i >= 0:
			numbers = append(numbers, alike[i].number)
		case grow:
			numbers = append(numbers, c.parts)
			c.byColours[w.name()] = append(alike, isomorphismClass{c.parts, w})
			c.parts++
		default:
			return "", false
		}
	}
	slices.Sort(numbers)
	return fmt.Sprint(numbers), true
}

// connectedParts returns the graphs that g consists of.
func (g *Graph) connectedParts() (parts []*Graph) {
	near := g.neighbours()
	in := make([]*Graph, len(g.Labels))
	at := make([]int, len(g.Labels))
	for root := range in {
		if in[root] != nil {
			continue
		}
		part := &Graph{}
		parts = append(parts, part)
		in[root] = part
		for next := []int{root}; len(next) > 0; {
			a := next[0]
			next = next[1:]
			at[a] = len(part.Labels)
			part.Labels = append(part.Labels, g.Labels[a])
			for _, e := range near[a] {
				if in[e.To] == nil {
					in[e.To] = part
					next = append(next, e.To)
				}
			}
		}
	}
	for _, e := range g.Edges {
		in[e.From].Edges = append(in[e.From].Edges, Edge{at[e.From], at[e.To], e.Label})
	}
	return parts
}

// name lists the colours, as no order of the nodes changes them.
func (w *wlGraph) name() string { return fmt.Sprint(slices.Sorted(slices.Values(w.colour))) }

// refineColours hashes the label of each node, and then its colour with the colours of its neighbours, until there are
// no more new colours.
func refineColours(g *Graph) *wlGraph {
	w := &wlGraph{g.Labels, make([]uint64, len(g.Labels)), g.neighbours()}
	for a, label := range g.Labels {
		w.colour[a] = hash(label)
	}
	for before := 0; ; {
		different := len(slices.Compact(slices.Sorted(slices.Values(w.colour))))
		if different == before {
			return w
		}
		before = different
		next := make([]uint64, len(w.colour))
		for a, edges := range w.near {
			var around []string
			for _, e := range edges {
				around = append(around, e.Label+" "+strconv.FormatUint(w.colour[e.To], 36))
			}
			slices.Sort(around)
			next[a] = hash(strconv.FormatUint(w.colour[a], 36) + "\n" + strings.Join(around, "\n"))
		}
		w.colour = next
	}
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// isomorphic reports whether a graph with the same colours is this one. It places the nodes one after the other, each
// beside a placed one, so that it has few candidates.
func (w *wlGraph) isomorphic(other *wlGraph) bool {
	m := &mapping{from: w, to: other, order: w.searchOrder(), place: slices.Repeat([]int{-1}, len(w.colour)),
		taken: make([]bool, len(w.colour))}
	return m.extend(0)
}

// searchOrder returns the nodes in an order in which each comes after a neighbour. A node of the rarest colour is
// first.
func (w *wlGraph) searchOrder() (order []int) {
	count := map[uint64]int{}
	for _, v := range w.colour {
		count[v]++
	}
	root := 0
	for a, v := range w.colour {
		if count[v] < count[w.colour[root]] {
			root = a
		}
	}
	seen := make([]bool, len(w.colour))
	order = []int{root}
	seen[root] = true
	for from := 0; from < len(order); from++ {
		for _, e := range w.near[order[from]] {
			if !seen[e.To] {
				seen[e.To] = true
				order = append(order, e.To)
			}
		}
	}
	return order
}

// mapping gives the nodes of one graph places in another.
type mapping struct {
	from, to *wlGraph
	order    []int
	place    []int // place of each node; −1: no place yet
	taken    []bool
}

// extend finds places for the nodes of order from number i on, and reports whether it found them.
func (m *mapping) extend(i int) bool {
	if i == len(m.order) {
		return true
	}
	a := m.order[i]
	for _, b := range m.candidates(a) {
		if m.taken[b] || !m.fits(a, b) {
			continue
		}
		m.place[a], m.taken[b] = b, true
		if m.extend(i + 1) {
			return true
		}
		m.place[a], m.taken[b] = -1, false
	}
	return false
}

// candidates returns the places beside the place of a neighbour of a, or all places if no neighbour has one.
func (m *mapping) candidates(a int) (places []int) {
	for _, e := range m.from.near[a] {
		if at := m.place[e.To]; at >= 0 {
			for _, other := range m.to.near[at] {
				places = append(places, other.To)
			}
			return places
		}
	}
	for b := range m.to.colour {
		places = append(places, b)
	}
	return places
}

// fits reports whether b has the label, colour and degree of a, and a's edge to each placed neighbour.
func (m *mapping) fits(a, b int) bool {
	if m.from.label[a] != m.to.label[b] || m.from.colour[a] != m.to.colour[b] ||
		len(m.from.near[a]) != len(m.to.near[b]) {
		return false
	}
	for _, e := range m.from.near[a] {
		at := m.place[e.To]
		if at >= 0 && !slices.Contains(m.to.near[b], Edge{b, at, e.Label}) {
			return false
		}
	}
	return true
}
