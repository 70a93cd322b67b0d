package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// molHead is the number of lines of a MOL block before its counts.
const molHead = 3

// IsMol reports whether a text is a MOL block, whose fourth line ends in its version.
func IsMol(text []byte) bool {
	for range molHead {
		_, rest, more := bytes.Cut(text, []byte("\n"))
		if !more {
			return false
		}
		text = rest
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimRight(line, " \t\r")
	return bytes.HasSuffix(line, []byte("V2000")) || bytes.HasSuffix(line, []byte("V3000"))
}

// parseMol reads a MOL block of version V2000 or V3000. Labels are the same as in SMILES: an atom with a bond of type 4
// is aromatic, and has a small symbol.
func (g *Graph) parseMol(text []byte) *Error {
	p := &molParser{text: string(text), g: g}
	for range molHead {
		p.line()
	}
	counts, at := p.line()
	read := func() *Error { return p.columns(counts, at) }
	if strings.HasSuffix(strings.TrimSpace(counts), "V3000") {
		read = p.tables
	}
	if err := read(); err != nil {
		return err
	}
	p.finish()
	return nil
}

// columns reads the atoms, bonds and properties of version V2000.
func (p *molParser) columns(counts string, at int) *Error {
	atoms, bonds := number(counts, 0, 3), number(counts, 3, 6)
	if atoms < 0 || bonds < 0 {
		return errorAt(at, counts, "where the numbers of atoms and bonds belong, three characters each")
	}
	for range atoms {
		if err := p.atom(); err != nil {
			return err
		}
	}
	for range bonds {
		line, at := p.line()
		if err := p.join(line, at, number(line, 0, 3), number(line, 3, 6), number(line, 6, 9)); err != nil {
			return err
		}
	}
	return p.properties()
}

// finish makes nodes of the atoms.
func (p *molParser) finish() {
	for i := range p.g.atoms {
		a := &p.g.atoms[i]
		small := strings.ToLower(a.symbol)
		a.aromatic = a.aromatic && elementAt(small) == small
		p.g.Labels = append(p.g.Labels, a.label())
	}
	p.g.warn()
}

type molParser struct {
	text   string
	at     int
	g      *Graph
	listed bool  // charges stand in properties, which replace the charges of the atoms
	differ []int // atoms whose isotope is from a difference of mass
}

func (p *molParser) add(symbol string, charge, isotope int) {
	if mass, heavy := map[string]int{"D": 2, "T": 3}[symbol]; heavy { // SMILES write D and T as isotopes of H
		symbol, isotope = "H", mass
	}
	if elementAt(symbol) != symbol {
		p.g.Warnings = append(p.g.Warnings, fmt.Sprintf("atom %d, %s, is not an element", len(p.g.atoms)+1, symbol))
	}
	p.g.atoms = append(p.g.atoms, atom{symbol: symbol, charge: charge, isotope: isotopeText(isotope)})
}

// isotopeText returns the number of an isotope as text; "" for 0, the usual mixture.
func isotopeText(isotope int) string { return strings.TrimPrefix(strconv.Itoa(isotope), "0") }

// line returns the next line, and its place.
func (p *molParser) line() (line string, at int) {
	at = p.at
	line, _, _ = strings.Cut(p.text[at:], "\n")
	p.at = min(at+len(line)+1, len(p.text))
	return strings.TrimRight(line, "\r"), at
}

// number returns the number in some columns of a line; 0 where they are blank or missing, and −1 where it is not a
// whole number from 0.
func number(line string, from, to int) int {
	word := strings.TrimSpace(line[min(from, len(line)):min(to, len(line))])
	if word == "" {
		return 0
	}
	return fromZero(word)
}

// commonest are the most frequent isotopes of usual elements. An atom of version V2000 may give its isotope as a
// difference from these.
var commonest = map[string]int{"H": 1, "B": 11, "C": 12, "N": 14, "O": 16, "F": 19, "Si": 28, "P": 31, "S": 32,
	"Cl": 35, "I": 127}

func (p *molParser) atom() *Error {
	line, at := p.line()
	symbol := ""
	if len(line) >= 32 {
		symbol = strings.TrimSpace(line[31:min(34, len(line))])
	}
	if symbol == "" || strings.HasPrefix(line, "M  ") {
		return errorAt(at, line,
			"where an atom belongs, with its symbol in the columns 32 to 34")
	}
	code := number(line, 36, 39)
	if code < 0 || code > 7 {
		return errorAt(at, line, "whose charge, in the columns 37 to 39, is not a number from 0 to 7")
	}
	charges := [8]int{0, 3, 2, 1, 0, -1, -2, -3} // 4 is a radical
	difference, err := strconv.Atoi(cmp.Or(strings.TrimSpace(line[min(34, len(line)):min(36, len(line))]), "0"))
	if err != nil {
		return errorAt(at, line, "whose difference of mass, in the columns 35 and 36, is not a whole number")
	}
	isotope := 0
	if mass := commonest[symbol]; difference != 0 && mass > 0 {
		isotope = max(0, mass+difference)
		p.differ = append(p.differ, len(p.g.atoms))
	} else if difference != 0 {
		p.g.Warnings = append(p.g.Warnings, fmt.Sprintf("atom %d, %s, has a difference of mass, which a line M  ISO "+
			"can tell as an isotope", len(p.g.atoms)+1, symbol))
	}
	p.add(symbol, charges[code], isotope)
	return nil
}

// join adds the bond of a line between two atoms.
func (p *molParser) join(line string, at, a, b, kind int) *Error {
	if n := len(p.g.atoms); a < 1 || b < 1 || a > n || b > n {
		return errorAt(at, line, "a bond to an atom that does not exist: the %d atoms have the numbers 1 to %d", n, n)
	}
	label, known := map[int]string{1: "-", 2: "=", 3: "#", 4: ":"}[kind]
	if !known {
		return errorAt(at, line, "a bond of type %d: types are 1, 2, 3, and 4 of aromatic ones", kind)
	}
	if kind == 4 {
		p.g.atoms[a-1].aromatic, p.g.atoms[b-1].aromatic = true, true
	}
	p.g.Edges = append(p.g.Edges, Edge{a - 1, b - 1, label})
	return nil
}

// properties reads charges and isotopes up to M END: M CHG, a number, and pairs of atom and value. The charges in the
// table of atoms do not count if there is a line of CHG or RAD (radicals). The differences of mass do not count if
// there is a line of ISO.
func (p *molParser) properties() *Error {
	for p.at < len(p.text) {
		line, at := p.line()
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "M  END"):
			return nil
		case len(words) < 3 || words[0] != "M" || !slices.Contains([]string{"CHG", "ISO", "RAD"}, words[1]):
			continue
		}
		if words[1] != "ISO" && !p.listed {
			p.listed = true
			for i := range p.g.atoms {
				p.g.atoms[i].charge = 0
			}
		}
		switch words[1] {
		case "RAD":
			continue
		case "ISO":
			for _, i := range p.differ {
				p.g.atoms[i].isotope = ""
			}
			p.differ = nil
		}
		pairs := words[3:]
		for ; len(pairs) >= 2; pairs = pairs[2:] {
			atom, bad := strconv.Atoi(pairs[0])
			value, wrong := strconv.Atoi(pairs[1])
			if bad != nil || wrong != nil || atom < 1 || atom > len(p.g.atoms) || value < -999 || value > 999 {
				break
			}
			if words[1] == "CHG" {
				p.g.atoms[atom-1].charge = value
			} else {
				p.g.atoms[atom-1].isotope = isotopeText(value)
			}
		}
		if count, err := strconv.Atoi(words[2]); err != nil || len(pairs) > 0 || 2*count != len(words)-3 {
			return errorAt(at, line, "where pairs of an atom and its value belong, as many as the line says")
		}
	}
	return nil
}

// tables reads the atoms and bonds of version V3000, up to M END. Other blocks are not read.
func (p *molParser) tables() *Error {
	block, atoms, bonds := "", -1, -1
	numbers := map[string]int{} // index of each atom by its number in the table
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
	if atoms != len(p.g.atoms) || bonds != len(p.g.Edges) {
		return errorAt(0, p.text, "a MOL block of version V3000 with %d atoms and %d bonds, and its COUNTS say "+
			"%d and %d: it may be cut short", len(p.g.atoms), len(p.g.Edges), atoms, bonds)
	}
	return nil
}

// tableMark begins the lines of version V3000.
const tableMark = "M  V30 "

// tableLine returns a line with the lines that continue it: a - at the end of a line announces another.
func (p *molParser) tableLine() (text string, at int) {
	text, at = p.line()
	for strings.HasPrefix(text, tableMark) && strings.HasSuffix(text, "-") && p.at < len(p.text) {
		more, _ := p.line()
		text = strings.TrimSuffix(text, "-") + strings.TrimPrefix(more, tableMark)
	}
	return text, at
}

// tableAtom reads number, symbol, three coordinates, the number of an atom map, and KEY=value.
func (p *molParser) tableAtom(text string, at int, words []string, numbers map[string]int) *Error {
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
			return errorAt(at, text, "an atom whose %s is not a whole number from -999 to 999", key)
		}
		*into = v
	}
	p.add(words[1], charge, isotope)
	numbers[words[0]] = len(p.g.atoms)
	return nil
}

// fromZero parses a whole number from 0; it returns −1 for other words.
func fromZero(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
