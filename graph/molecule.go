package graph

import (
	"slices"
	"strings"
)

// atom is a node of a molecule as it is written.
type atom struct {
	isotope, symbol string // the symbol begins with a capital, also of an aromatic atom
	aromatic        bool   // as it is written
	hydrogens       int    // beside the atoms of the graph
	charge          int
	bracket         bool // hydrogens are all that there are; of others, the usual valence tells
}

// label is isotope, symbol and charge, and an H where an aromatic atom other than carbon has
// hydrogens: one of carbon is usual, and goes without saying.
func (a atom) label() string {
	symbol := a.symbol
	if a.aromatic {
		if symbol = strings.ToLower(symbol); a.hydrogens > 0 && symbol != "c" {
			symbol += "H"
		}
	}
	return a.isotope + symbol + chargeText(a.charge)
}

// Standardise makes the labels of a molecule those of any other notation of it. Hydrogens are left
// out, except isotopes, charged ones, and those that have no single neighbour. Rings are aromatic
// by their electrons, also where single and double bonds are written (findAromatic). An atom that
// is written aromatic stays so. N(=O)=O is [N+](=O)[O-]. A graph that is no molecule stays as it is.
func (g *Graph) Standardise() {
	if g.atoms == nil {
		return
	}
	g.dropHydrogens()
	m := newElectrons(g)
	for i, e := range g.Edges {
		if e.Label == ":" && !m.cyclic(i) {
			g.Edges[i].Label = "-"
		}
	}
	m.separateCharges()
	for a := range g.atoms {
		if !g.atoms[a].bracket {
			g.atoms[a].hydrogens = m.implicit(a)
		}
	}
	m.findAromatic()
	for a := range g.atoms {
		g.Labels[a] = g.atoms[a].label()
	}
}

// dropHydrogens makes plain hydrogens part of the atom that they are bound to.
func (g *Graph) dropHydrogens() {
	bonds, owner := make([]int, len(g.atoms)), make([]int, len(g.atoms))
	for _, e := range g.Edges {
		bonds[e.From]++
		bonds[e.To]++
		owner[e.From], owner[e.To] = e.To, e.From
	}
	plain := func(a int) bool { return g.Labels[a] == "H" && g.atoms[a].hydrogens == 0 }
	kept, at := []int(nil), make([]int, len(g.atoms))
	for a := range g.atoms {
		if at[a] = -1; plain(a) && bonds[a] == 1 && !plain(owner[a]) {
			g.atoms[owner[a]].hydrogens++
			continue
		}
		at[a] = len(kept)
		kept = append(kept, a)
	}
	for i, a := range kept {
		g.atoms[i], g.Labels[i] = g.atoms[a], g.Labels[a]
	}
	g.atoms, g.Labels = g.atoms[:len(kept)], g.Labels[:len(kept)]
	edges := g.Edges[:0]
	for _, e := range g.Edges {
		if at[e.From] >= 0 && at[e.To] >= 0 {
			edges = append(edges, Edge{at[e.From], at[e.To], e.Label})
		}
	}
	g.Edges = edges
}

// electrons counts those of the atoms of a molecule that take part in rings.
type electrons struct {
	g      *Graph
	bonds  [][]int // of each atom: the numbers of its edges
	orders []int   // of each atom: the sum over its bonds; an aromatic one is 1
	inRing []int8  // of each edge, where it is known: 1 or −1
}

func newElectrons(g *Graph) *electrons {
	m := &electrons{g: g, bonds: make([][]int, len(g.atoms)), orders: make([]int, len(g.atoms)),
		inRing: make([]int8, len(g.Edges))}
	for i, e := range g.Edges {
		for _, a := range []int{e.From, e.To} {
			m.bonds[a] = append(m.bonds[a], i)
			m.orders[a] += order(e.Label)
		}
	}
	return m
}

// separateCharges makes [N+](=O)[O-] of N(=O)=O.
func (m *electrons) separateCharges() {
	const most = 4 // bonds of N+
	for i, e := range m.g.Edges {
		n, o := e.From, e.To
		if m.g.Labels[n] == "O" {
			n, o = o, n
		}
		if e.Label == "=" && m.g.Labels[n] == "N" && m.g.Labels[o] == "O" && m.orders[n] > most {
			m.g.atoms[n].charge, m.g.atoms[o].charge = 1, -1
			m.g.Edges[i].Label = "-"
			m.g.Labels[n], m.g.Labels[o] = m.g.atoms[n].label(), m.g.atoms[o].label()
			m.orders[n]--
			m.orders[o]--
		}
	}
}

// order is the order of a bond, 1 of an aromatic one.
func order(label string) int { return max(1, map[string]int{"=": 2, "#": 3, "$": 4}[label]) }

// other is the atom at the other end of an edge.
func (m *electrons) other(edge, a int) int { return m.g.Edges[edge].From + m.g.Edges[edge].To - a }

// outer is how many electrons an element has in its outer shell; 0 of those that are in no
// aromatic ring.
func outer(symbol string) int {
	return map[string]int{"B": 3, "C": 4, "N": 5, "O": 6, "P": 5, "S": 6, "Se": 6, "Te": 6}[symbol]
}

// valence is the usual one of atoms with that number of electrons in the outer shell.
func valence(outer int) int { return max(0, min(outer, 8-outer)) }

// delocalised: an aromatic bond stands in the notation.
func (m *electrons) delocalised(a int) bool {
	return slices.ContainsFunc(m.bonds[a], func(e int) bool { return m.g.Edges[e].Label == ":" })
}

// implicit is how many hydrogens an atom has, by its usual valence. P, S and those below may have
// two or four bonds more.
func (m *electrons) implicit(a int) int {
	atom, bonds := m.g.atoms[a], m.orders[a]
	usual := valence(outer(atom.symbol) - atom.charge)
	switch {
	case outer(atom.symbol) == 0:
		return atom.hydrogens
	case m.delocalised(a) && atom.symbol != "C":
		return atom.hydrogens
	case m.delocalised(a):
		bonds++
	case slices.Contains([]string{"P", "S", "Se", "Te"}, atom.symbol):
		for usual < bonds+atom.hydrogens {
			usual += 2
		}
	}
	return max(atom.hydrogens, usual-bonds)
}

// none is the donation of an atom that cannot be part of an aromatic ring.
const none = -1

// donated is how many electrons, 0 to 2, an atom gives to a ring, or none. It is the model of
// RDKit, for B, C, N, O, P, S, Se and Te.
func (m *electrons) donated(a int) int {
	atom := m.g.atoms[a]
	shell := outer(atom.symbol)
	usual, degree := valence(shell), len(m.bonds[a])+atom.hydrogens
	multiple, beside := m.multiple(a)
	missing := valence(shell-atom.charge) - m.orders[a] - atom.hydrogens // bonds; below 0: there are more
	written := m.delocalised(a)
	if written && atom.symbol == "C" {
		missing--
	}
	switch {
	case shell == 0 || degree > 3 || multiple > 1:
		return none
	case !written && (missing < 0 || missing > 0 && (atom.symbol != "C" || atom.charge != 0)):
		return none
	}
	free := usual - degree + max(0, shell-usual-atom.charge)
	if atom.symbol == "C" {
		free -= max(0, missing)
	}
	if free > 1 && m.orders[a]-len(m.bonds[a]) > 1 { // a triple bond
		free = 1
	}
	stolen := beside >= 0 && m.attracts(beside, a)
	switch {
	case free < 0:
		return none
	case free == 0 && beside >= 0, free == 1 && stolen:
		return 0
	case free == 0 && multiple == 0, free == 1 && multiple == 0 && !written && atom.charge != 1:
		return none
	case free == 0:
		return 1
	case free == 1 && multiple == 0 && !written: // a cation
		return 0
	case free > 1 && stolen:
		free--
	}
	return 2 - free%2
}

// multiple is how many double and triple bonds an atom has, and the atom at the end of one that is
// in no ring; −1 without.
func (m *electrons) multiple(a int) (count, beside int) {
	beside = -1
	for _, e := range m.bonds[a] {
		if order(m.g.Edges[e].Label) == 1 {
			continue
		}
		if count++; !m.cyclic(e) {
			beside = m.other(e, a)
		}
	}
	return count, beside
}

// attracts: an atom takes the electrons of a double bond to another.
func (m *electrons) attracts(a, from int) bool {
	one, two := m.g.atoms[a].symbol, m.g.atoms[from].symbol
	if outer(one) != outer(two) {
		return outer(one) > outer(two)
	}
	return slices.Index(symbols, one) < slices.Index(symbols, two)
}
