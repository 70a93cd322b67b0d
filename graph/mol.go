package graph

import (
	"bytes"
	"strconv"
	"strings"
)

// molHead is how many lines a MOL block has before its counts.
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

// parseMol reads a MOL block of version V2000 or V3000. Labels are those of SMILES: an atom with a bond of
// type 4 is aromatic, and has a small symbol.
func (g *Graph) parseMol(text []byte) *Error {
	p := &molReader{text: string(text), g: g}
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
func (p *molReader) columns(counts string, at int) *Error {
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
		if err := p.bond(); err != nil {
			return err
		}
	}
	return p.properties()
}

// finish makes nodes of the atoms.
func (p *molReader) finish() {
	for a, symbol := range p.symbols {
		made := atom{symbol: symbol, charge: p.charge[a]}
		made.aromatic = p.aromatic[a] && elementAt(strings.ToLower(symbol)) == strings.ToLower(symbol)
		if p.isotope[a] != 0 {
			made.isotope = strconv.Itoa(p.isotope[a])
		}
		p.g.Labels, p.g.atoms = append(p.g.Labels, made.label()), append(p.g.atoms, made)
	}
	p.g.warn()
}

type molReader struct {
	text string
	at   int
	g    *Graph

	symbols         []string
	charge, isotope []int
	aromatic        []bool
	listed          bool // charges stand in properties, which replace those of the atoms
}

// line is the next line, and its place.
func (p *molReader) line() (line string, at int) {
	at = p.at
	line, _, _ = strings.Cut(p.text[at:], "\n")
	p.at = min(at+len(line)+1, len(p.text))
	return strings.TrimRight(line, "\r"), at
}

// number is the number in some columns of a line; 0 where they are blank or missing, and −1 where
// it is no whole number from 0.
func number(line string, from, to int) int {
	word := strings.TrimSpace(line[min(from, len(line)):min(to, len(line))])
	if word == "" {
		return 0
	}
	return fromZero(word)
}

func (p *molReader) atom() *Error {
	line, at := p.line()
	symbol := ""
	if len(line) >= 32 {
		symbol = strings.TrimSpace(line[31:min(34, len(line))])
	}
	if symbol == "" || strings.HasPrefix(line, "M  ") {
		return errorAt(at, line,
			"where an atom belongs, with its symbol in the columns 32 to 34")
	}
	charge := number(line, 36, 39)
	if charge < 0 || charge > 7 {
		return errorAt(at, line, "whose charge, in the columns 37 to 39, is no number from 0 to 7")
	}
	if charge != 0 && charge != 4 { // 4 is a radical
		charge = 4 - charge
	} else {
		charge = 0
	}
	p.add(symbol, charge, 0)
	return nil
}

func (p *molReader) bond() *Error {
	line, at := p.line()
	return p.join(line, at, number(line, 0, 3), number(line, 3, 6), number(line, 6, 9))
}

// join adds the bond between two atoms that a line is about.
func (p *molReader) join(line string, at, a, b, kind int) *Error {
	if a < 1 || b < 1 || a > len(p.symbols) || b > len(p.symbols) {
		return errorAt(at, line,
			"a bond to an atom that does not exist: the %d atoms have the numbers 1 to %d",
			len(p.symbols), len(p.symbols))
	}
	label, known := map[int]string{1: "-", 2: "=", 3: "#", 4: ":"}[kind]
	if !known {
		return errorAt(at, line, "a bond of type %d: types are 1, 2, 3, and 4 of aromatic ones", kind)
	}
	if kind == 4 {
		p.aromatic[a-1], p.aromatic[b-1] = true, true
	}
	p.g.Edges = append(p.g.Edges, Edge{a - 1, b - 1, label})
	return nil
}

// properties reads charges and isotopes up to M END: M CHG, how many, and pairs of atom and value.
func (p *molReader) properties() *Error {
	for p.at < len(p.text) {
		line, at := p.line()
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "M  END"):
			return nil
		case len(words) < 3 || words[0] != "M" || words[1] != "CHG" && words[1] != "ISO":
			continue
		}
		if words[1] == "CHG" && !p.listed {
			p.listed = true
			clear(p.charge)
		}
		pairs := words[3:]
		for ; len(pairs) >= 2; pairs = pairs[2:] {
			atom, bad := strconv.Atoi(pairs[0])
			value, wrong := strconv.Atoi(pairs[1])
			if bad != nil || wrong != nil || atom < 1 || atom > len(p.symbols) || value < -999 || value > 999 {
				break
			}
			if words[1] == "CHG" {
				p.charge[atom-1] = value
			} else {
				p.isotope[atom-1] = value
			}
		}
		if count, err := strconv.Atoi(words[2]); err != nil || len(pairs) > 0 || 2*count != len(words)-3 {
			return errorAt(at, line, "where pairs of an atom and its value belong, as many as the line says")
		}
	}
	return nil
}
