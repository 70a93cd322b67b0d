package graph

import (
	"fmt"
	"strconv"
	"strings"
)

// tables reads the atoms and bonds of version V3000, up to M END. Other blocks are not read.
func (p *molReader) tables() *Error {
	block, atoms, bonds := "", -1, -1
	numbers := map[string]int{} // of the atoms, from 1
	for p.at < len(p.text) {
		text, at := p.tableLine()
		if strings.HasPrefix(text, "M  END") {
			break
		}
		words := strings.Fields(strings.TrimPrefix(text, tableMark))
		var err *Error
		switch {
		case !strings.HasPrefix(text, tableMark) || len(words) == 0:
		case words[0] == "BEGIN" && len(words) > 1:
			block = words[1]
		case words[0] == "END":
			block = ""
		case words[0] == "COUNTS" && len(words) > 2:
			atoms, bonds = fromZero(words[1]), fromZero(words[2])
		case block == "ATOM":
			err = p.tableAtom(text, at, words, numbers)
		case block == "BOND":
			if len(words) < 4 {
				return errorAt(at, text, "where a bond belongs: number, type and two atoms")
			}
			err = p.join(text, at, numbers[words[2]], numbers[words[3]], fromZero(words[1]))
		}
		if err != nil {
			return err
		}
	}
	if atoms != len(p.symbols) || bonds != len(p.g.Edges) {
		return errorAt(0, p.text, "a MOL block of version V3000 with %d atoms and %d bonds, and its COUNTS say "+
			"%d and %d: it may be cut short", len(p.symbols), len(p.g.Edges), atoms, bonds)
	}
	return nil
}

// tableMark begins the lines of version V3000.
const tableMark = "M  V30 "

// tableLine is a line with those that continue it, which stand behind a - at its end.
func (p *molReader) tableLine() (text string, at int) {
	text, at = p.line()
	for strings.HasPrefix(text, tableMark) && strings.HasSuffix(text, "-") && p.at < len(p.text) {
		more, _ := p.line()
		text = strings.TrimSuffix(text, "-") + strings.TrimPrefix(more, tableMark)
	}
	return text, at
}

// tableAtom reads number, symbol, three coordinates, the number of an atom map, and KEY=value.
func (p *molReader) tableAtom(text string, at int, words []string, numbers map[string]int) *Error {
	if len(words) < 6 || numbers[words[0]] != 0 {
		return errorAt(at, text, "where an atom belongs: a new number, its symbol and three coordinates")
	}
	charge, isotope := 0, 0
	for _, word := range words[6:] {
		key, value, _ := strings.Cut(word, "=")
		into, known := map[string]*int{"CHG": &charge, "MASS": &isotope}[key]
		if !known {
			continue
		}
		v, err := strconv.Atoi(value)
		if err != nil || v < -999 || v > 999 {
			return errorAt(at, text, "an atom whose %s is no whole number from -999 to 999", key)
		}
		*into = v
	}
	p.add(words[1], charge, isotope)
	numbers[words[0]] = len(p.symbols)
	return nil
}

// add adds an atom.
func (p *molReader) add(symbol string, charge, isotope int) {
	if elementAt(symbol) != symbol && symbol != "D" && symbol != "T" {
		p.g.Warnings = append(p.g.Warnings, fmt.Sprintf("atom %d, %s, is no element", len(p.symbols)+1, symbol))
	}
	p.symbols, p.charge = append(p.symbols, symbol), append(p.charge, charge)
	p.isotope, p.aromatic = append(p.isotope, isotope), append(p.aromatic, false)
}

// fromZero is a whole number from 0, or −1.
func fromZero(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
