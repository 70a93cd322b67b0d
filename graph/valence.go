package graph

import (
	"fmt"
	"strings"
)

// mostBonds is how many bonds an element can have, by those of usual organic molecules; others are
// not looked at.
var mostBonds = map[string]int{"B": 3, "C": 4, "N": 5, "O": 2, "F": 1, "P": 5, "S": 6, "Cl": 7, "Br": 7, "I": 7}

// warn warns of atoms with more bonds than they can have. Each unit of charge may add one.
func (p *smilesReader) warn() {
	bonds := make([]int, len(p.g.Labels))
	copy(bonds, p.hydrogen)
	rings, shared := make([]int, len(p.g.Labels)), make([]bool, len(p.g.Labels))
	for _, e := range p.g.Edges {
		order := map[string]int{"=": 2, "#": 3, "$": 4}[e.Label]
		for _, a := range []int{e.From, e.To} {
			bonds[a] += max(order, 1)
			shared[a] = shared[a] || order > 1
			if e.Label == ":" {
				rings[a]++
			}
		}
	}
	for a, label := range p.g.Labels {
		element := elementAt(trimIsotope(label))
		if p.aromatic[a] && element != "" {
			element = strings.ToUpper(element[:1]) + element[1:]
		}
		most, known := mostBonds[element]
		// one bond of an aromatic carbon is double, in the ring or beside it
		if p.aromatic[a] && element == "C" && rings[a] >= 2 && !shared[a] {
			bonds[a]++
		}
		if most += max(p.charge[a], -p.charge[a]); known && bonds[a] > most {
			p.g.Warnings = append(p.g.Warnings,
				fmt.Sprintf("atom %d, %s, has %d bonds, and %d are usual", a+1, label, bonds[a], most))
		}
	}
}

func trimIsotope(label string) string {
	_, rest := leading(label, "0123456789")
	return rest
}
