package graph

import (
	"fmt"
	"maps"
	"slices"
)

// Bounds beyond which rings are not looked at: atoms of a ring, atoms on the way to it, shortest rings through one
// bond, rings that share their electrons, and sets of such rings.
const (
	maxRingAtoms = 24
	maxNear      = 1 << 10
	maxRings     = 16
	maxFused     = 6
	maxSets      = 1 << 14
)

// findAromatic marks the aromatic rings. A ring has 4n+2 electrons, and so have rings that share bonds, without the
// bonds that they share. Rings are the shortest ones through each bond.
func (m *molecule) findAromatic() {
	gives := make([]int, len(m.g.atoms))
	for a := range gives {
		gives[a] = m.piElectrons(a)
	}
	rings := m.rings(gives)
	open := map[int]bool{} // bonds of rings that are not aromatic yet
	for _, r := range rings {
		for _, e := range r {
			open[e] = true
		}
	}
	near := neighbours(rings)
	found := map[int]bool{}
	sets := make([][]int, len(rings))
	for i := range rings {
		sets[i] = []int{i}
	}
	for size := 1; size <= maxFused && len(open) > 0; size++ {
		for _, set := range sets {
			if m.isAromatic(rings, set, gives) {
				m.mark(rings, set, found)
			}
		}
		maps.DeleteFunc(open, func(e int, _ bool) bool { return found[e] })
		sets = growSets(sets, near)
	}
	m.relabel(found)
}

// neighbours returns for each ring the numbers of the rings that share one bond with it.
func neighbours(rings [][]int) (near [][]int) {
	of := map[int][]int{} // numbers of the rings through each bond
	for i, r := range rings {
		for _, e := range r {
			of[e] = append(of[e], i)
		}
	}
	for i, r := range rings {
		shared := map[int]int{}
		for _, e := range r {
			for _, j := range of[e] {
				shared[j]++
			}
		}
		near = append(near, nil)
		for j, n := range shared {
			if n == 1 && j != i {
				near[i] = append(near[i], j)
			}
		}
	}
	return near
}

// growSets returns the sets with one more ring, which shares a bond with a ring of the set; nil if there are too many.
func growSets(sets, near [][]int) (grown [][]int) {
	seen := map[string]bool{}
	for _, set := range sets {
		for _, i := range set {
			for _, j := range near[i] {
				if slices.Contains(set, j) {
					continue
				}
				with := append(slices.Clone(set), j)
				slices.Sort(with)
				if key := fmt.Sprint(with); !seen[key] {
					seen[key] = true
					grown = append(grown, with)
				}
				if len(grown) > maxSets {
					return nil
				}
			}
		}
	}
	return grown
}

// isAromatic reports whether a set of rings is aromatic by the number of its electrons. An atom of three rings is
// inside, and does not count.
func (m *molecule) isAromatic(rings [][]int, set, gives []int) bool {
	count := map[int]int{} // number of ends of bonds at each atom: two in each ring
	for _, i := range set {
		for _, e := range rings[i] {
			count[m.g.Edges[e].From]++
			count[m.g.Edges[e].To]++
		}
	}
	sum := 0
	for a, n := range count {
		if n <= 4 {
			sum += gives[a]
		}
	}
	return sum%4 == 2
}

// mark makes the atoms of a set of rings aromatic, and finds the bonds that are in only one of the rings.
func (m *molecule) mark(rings [][]int, set []int, found map[int]bool) {
	count := map[int]int{}
	for _, i := range set {
		for _, e := range rings[i] {
			count[e]++
			m.g.atoms[m.g.Edges[e].From].aromatic = true
			m.g.atoms[m.g.Edges[e].To].aromatic = true
		}
	}
	for e, n := range count {
		found[e] = found[e] || n == 1
	}
}

// relabel makes the bonds aromatic that were found. A bond that was written as aromatic between atoms of aromatic
// rings, and was not found, becomes single.
func (m *molecule) relabel(found map[int]bool) {
	for e, aromatic := range found {
		switch edge := &m.g.Edges[e]; {
		case aromatic && (edge.Label == "-" || edge.Label == "="):
			edge.Label = ":"
		case !aromatic && edge.Label == ":":
			edge.Label = "-"
		}
	}
}

// rings returns the shortest rings through each bond, as numbers of edges. No atom of a ring has the donation none.
func (m *molecule) rings(gives []int) (rings [][]int) {
	seen := map[string]bool{}
	for e, edge := range m.g.Edges {
		if gives[edge.From] == none || gives[edge.To] == none {
			continue
		}
		for _, r := range m.shortestRings(e) {
			slices.Sort(r)
			atoms := func(e int) bool { return gives[m.g.Edges[e].From] == none || gives[m.g.Edges[e].To] == none }
			if key := fmt.Sprint(r); !seen[key] && !slices.ContainsFunc(r, atoms) {
				seen[key] = true
				rings = append(rings, r)
			}
		}
	}
	return rings
}

// isInRing reports whether an edge is part of a ring.
func (m *molecule) isInRing(e int) bool {
	if m.inRing[e] == 0 {
		m.inRing[e] = -1
		if len(m.shortestRings(e)) > 0 {
			m.inRing[e] = 1
		}
	}
	return m.inRing[e] > 0
}

// shortestRings returns the shortest rings through an edge, as numbers of edges.
func (m *molecule) shortestRings(e int) (rings [][]int) {
	from, to := m.g.Edges[e].From, m.g.Edges[e].To
	away := map[int]int{from: 0} // distance of each atom from one end, without the edge
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		a := queue[0]
		if far, found := away[to]; found && away[a] >= far || away[a] >= maxRingAtoms-1 || len(away) > maxNear {
			break
		}
		for _, b := range m.bonds[a] {
			next := m.otherEnd(b, a)
			if _, known := away[next]; b != e && !known {
				away[next] = away[a] + 1
				queue = append(queue, next)
			}
		}
	}
	if _, found := away[to]; !found {
		return nil
	}
	var back func(a int, path []int)
	back = func(a int, path []int) {
		if a == from {
			rings = append(rings, slices.Clone(path))
		}
		for _, b := range m.bonds[a] {
			next := m.otherEnd(b, a)
			if far, known := away[next]; known && far == away[a]-1 && b != e && len(rings) < maxRings {
				back(next, append(path, b))
			}
		}
	}
	back(to, []int{e})
	return rings
}
