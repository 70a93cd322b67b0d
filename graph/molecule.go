package graph

import (
	"slices"
	"strings"
)

// atom is a node of a molecule as it is written.
type atom struct {
	isotope, symbol string // isotope or "", and symbol with a capital, also of an aromatic atom
	aromatic        bool   // the atom is written as aromatic
	hydrogens       int    // number of hydrogens that are not nodes of the graph
	charge          int
	bracket         bool // the atom has exactly these hydrogens; for other atoms, the usual valence tells their number
}

// label returns isotope, symbol and charge, and an H where an aromatic atom other than carbon has hydrogens: a hydrogen
// of carbon is usual, and is not written.
func (a atom) label() string {
	symbol := a.symbol
	if a.aromatic {
		if symbol = strings.ToLower(symbol); a.hydrogens > 0 && symbol != "c" {
			symbol += "H"
		}
	}
	return a.isotope + symbol + chargeText(a.charge)
}

// Standardise gives a molecule the same labels for every notation of it. Hydrogens are left out, except isotopes,
// charged hydrogens, and hydrogens without a single neighbour. Rings are aromatic by their electrons, also where single
// and double bonds are written (findAromatic). An atom that is written as aromatic stays aromatic. N(=O)=O is
// [N+](=O)[O-]. A graph that is no molecule stays as it is.
func (g *Graph) Standardise() {
	if g.atoms == nil {
		return
	}
	g.dropHydrogens()
	m := newMolecule(g)
	for i, e := range g.Edges {
		if e.Label == ":" && !m.isInRing(i) {
			g.Edges[i].Label = "-"
		}
	}
	m.separateCharges()
	for a := range g.atoms {
		if !g.atoms[a].bracket {
			g.atoms[a].hydrogens = m.hydrogens(a)
		}
	}
	m.findAromatic()
	for a := range g.atoms {
		g.Labels[a] = g.atoms[a].label()
	}
}

// dropHydrogens makes plain hydrogens part of the atom that they are bound to.
func (g *Graph) dropHydrogens() {
	near := g.neighbours()
	plain := func(a int) bool { return g.Labels[a] == "H" && g.atoms[a].hydrogens == 0 }
	kept := make([]bool, len(g.atoms))
	for a := range g.atoms {
		if plain(a) && len(near[a]) == 1 && !plain(near[a][0].To) {
			g.atoms[near[a][0].To].hydrogens++
		} else {
			kept[a] = true
		}
	}
	rest := g.among(kept)
	g.atoms, g.Labels, g.Edges = rest.atoms, rest.Labels, rest.Edges
}

// molecule counts the electrons of atoms that take part in rings.
type molecule struct {
	g      *Graph
	bonds  [][]int // numbers of the edges of each atom
	orders []int   // sum of the bond orders of each atom; an aromatic bond counts as 1
	inRing []int8  // 1 for an edge in a ring, −1 for another, 0 if that is not known yet
}

func newMolecule(g *Graph) *molecule {
	m := &molecule{g: g, bonds: make([][]int, len(g.atoms)), orders: make([]int, len(g.atoms)),
		inRing: make([]int8, len(g.Edges))}
	for i, e := range g.Edges {
		for _, a := range []int{e.From, e.To} {
			m.bonds[a] = append(m.bonds[a], i)
			m.orders[a] += bondOrder(e.Label)
		}
	}
	return m
}

// separateCharges makes [N+](=O)[O-] of N(=O)=O.
func (m *molecule) separateCharges() {
	const most = 4 // largest number of bonds of N+
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

// bondOrder returns the order of a bond by its label; 1 for an aromatic bond.
func bondOrder(label string) int {
	switch label {
	case "=":
		return 2
	case "#":
		return 3
	case "$":
		return 4
	}
	return 1
}

func (m *molecule) otherEnd(edge, a int) int { return m.g.Edges[edge].From + m.g.Edges[edge].To - a }

// outerElectrons returns the number of electrons in an element's outer shell; 0 for elements that are in no aromatic
// ring.
func outerElectrons(symbol string) int {
	switch symbol {
	case "B":
		return 3
	case "C":
		return 4
	case "N", "P":
		return 5
	case "O", "S", "Se", "Te":
		return 6
	}
	return 0
}

// usualValence returns the usual valence of atoms with this number of electrons in the outer shell.
func usualValence(outer int) int { return max(0, min(outer, 8-outer)) }

// isDelocalised reports whether an atom has an aromatic bond in the notation.
func (m *molecule) isDelocalised(a int) bool {
	return slices.ContainsFunc(m.bonds[a], func(e int) bool { return m.g.Edges[e].Label == ":" })
}

// hydrogens returns the number of hydrogens of an atom, by its usual valence. P, S and the elements below them may have
// two or four bonds more.
func (m *molecule) hydrogens(a int) int {
	atom, bonds := m.g.atoms[a], m.orders[a]
	usual := usualValence(outerElectrons(atom.symbol) - atom.charge)
	switch {
	case outerElectrons(atom.symbol) == 0:
		return atom.hydrogens
	case m.isDelocalised(a) && atom.symbol != "C":
		return atom.hydrogens
	case m.isDelocalised(a):
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

// piElectrons returns the number of electrons, 0 to 2, that an atom gives to a ring, or the constant none. It follows
// RDKit for B, C, N, O, P, S, Se and Te.
func (m *molecule) piElectrons(a int) int {
	atom := m.g.atoms[a]
	shell := outerElectrons(atom.symbol)
	usual := usualValence(shell)
	degree := len(m.bonds[a]) + atom.hydrogens
	multiple, beside := m.multipleBonds(a)
	missing := usualValence(shell-atom.charge) - m.orders[a] - atom.hydrogens // bonds to add, negative: too many
	written := m.isDelocalised(a)
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
	if free > 1 && m.orders[a]-len(m.bonds[a]) > 1 { // the atom has a triple bond
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
	case free == 1 && multiple == 0 && !written: // the atom is a cation
		return 0
	case free > 1 && stolen:
		free--
	}
	return 2 - free%2
}

// multipleBonds counts the double and triple bonds of an atom. It also returns the atom at the end of such a bond that
// is in no ring, or −1.
func (m *molecule) multipleBonds(a int) (count, beside int) {
	beside = -1
	for _, e := range m.bonds[a] {
		if bondOrder(m.g.Edges[e].Label) == 1 {
			continue
		}
		count++
		if !m.isInRing(e) {
			beside = m.otherEnd(e, a)
		}
	}
	return count, beside
}

// attracts reports whether atom a takes the electrons of its double bond to another.
func (m *molecule) attracts(a, from int) bool {
	one, two := m.g.atoms[a].symbol, m.g.atoms[from].symbol
	if outerElectrons(one) != outerElectrons(two) {
		return outerElectrons(one) > outerElectrons(two)
	}
	return slices.Index(symbols, one) < slices.Index(symbols, two)
}
