package graph

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// parseSMILES reads a molecule by the grammar of OpenSMILES. The label of an atom is its isotope, symbol and charge: C,
// c where it is aromatic, N+, 13C. An aromatic atom other than carbon with hydrogens has an H (nH). The label of a bond
// is -, =, #, $ or : where it is aromatic. Hydrogens that are not separate atoms, chirality, the numbers of atom maps
// and the directions of bonds are read and do not count. A molecule ends at a blank, after which a title or an
// extension stands.
func (g *Graph) parseSMILES(text []byte) *Error {
	first := len(text) - len(bytes.TrimLeft(text, blanks))
	end := len(text)
	if length := bytes.IndexAny(text[first:], blanks); length >= 0 {
		end = first + length
	}
	p := &smilesParser{text: string(text[:end]), at: first, g: g, last: -1, rings: map[int]ring{}}
	for p.at < len(p.text) {
		if err := p.step(); err != nil {
			return err
		}
	}
	switch {
	case len(p.branches) > 0:
		return p.errorf(p.branches[len(p.branches)-1].at, "a branch that is not closed: write a ) after it")
	case p.bond != 0:
		return errorAt(p.at-1, string(p.bond),
			"a bond without an atom after it: remove it, or write the atom")
	case len(p.rings) > 0:
		number := slices.MinFunc(slices.Collect(maps.Keys(p.rings)),
			func(a, b int) int { return p.rings[a].at - p.rings[b].at })
		return p.errorf(p.rings[number].at, "ring %d, which is not closed: write %s at the atom that closes it", number,
			ringMark(number))
	}
	g.warn()
	return nil
}

func ringMark(number int) string {
	if number < 10 {
		return strconv.Itoa(number)
	}
	return "%" + strconv.Itoa(number)
}

const blanks = " \t\r\n"

// smilesParser reads a molecule from left to right.
type smilesParser struct {
	text string
	at   int
	g    *Graph

	last     int  // atom that a bond begins at; −1: no atom
	bond     byte // the bond that was written; 0: no bond
	branches []branch
	rings    map[int]ring
}

// branch is an open bracket: its place, and the atom before it.
type branch struct{ at, atom int }

// ring is an open ring: its place, its atom, and the bond that was written.
type ring struct {
	at, atom int
	bond     byte
}

const bondSymbols = "-=#$:/\\"

func (p *smilesParser) errorf(at int, format string, args ...any) *Error {
	return errorAt(at, p.text[at:], format, args...)
}

// step reads the next atom, bond, ring or bracket.
func (p *smilesParser) step() *Error {
	c, start := p.text[p.at], p.at
	switch {
	case c == '(':
		if p.last < 0 || p.bond != 0 {
			return p.errorf(start,
				"a branch without an atom before it: write the atom first, and the bond inside the branch")
		}
		if p.at++; p.at < len(p.text) && p.text[p.at] == ')' {
			return p.errorf(start, "an empty branch: remove it")
		}
		p.branches = append(p.branches, branch{start, p.last})
	case c == ')':
		if len(p.branches) == 0 || p.bond != 0 {
			return p.errorf(start,
				"a closing bracket where no branch ends: remove it, or open a branch before")
		}
		p.last = p.branches[len(p.branches)-1].atom
		p.branches = p.branches[:len(p.branches)-1]
		p.at++
	case c == '.':
		if p.last < 0 || p.bond != 0 {
			return p.errorf(start, "a dot without an atom before it: remove it")
		}
		p.last = -1
		if p.at++; p.at == len(p.text) {
			return p.errorf(start, "a dot without an atom after it: remove it")
		}
	case strings.IndexByte(bondSymbols, c) >= 0:
		if p.last < 0 || p.bond != 0 {
			return p.errorf(start, "a bond without an atom before it: remove it, or write the atom")
		}
		p.bond = c
		p.at++
	case c >= '0' && c <= '9' || c == '%':
		return p.ring()
	case c == '[':
		return p.bracket()
	default:
		return p.plainAtom()
	}
	return nil
}

// organic are the symbols that need no brackets, symbols of two letters first.
var organic = []string{"Cl", "Br", "B", "C", "N", "O", "P", "S", "F", "I", "b", "c", "n", "o", "p", "s", "*"}

func (p *smilesParser) plainAtom() *Error {
	for _, symbol := range organic {
		if strings.HasPrefix(p.text[p.at:], symbol) {
			p.at += len(symbol)
			p.atom(atom{symbol: symbol, aromatic: symbol[0] >= 'a'})
			return nil
		}
	}
	if p.text[p.at] == '>' {
		return p.errorf(p.at,
			"a > of a reaction or a dative bond, which are not read: give one molecule, with plain bonds")
	}
	return p.errorf(p.at,
		"where an atom belongs: use B, C, N, O, P, S, F, Cl, Br, I or *, and brackets for others, as in [Na+]")
}

// bracket reads [isotope symbol chirality hydrogens charge :class].
func (p *smilesParser) bracket() *Error {
	start := p.at
	end := strings.IndexByte(p.text[start:], ']')
	if end < 0 {
		return p.errorf(start, "a bracket that is not closed: write a ] after the atom")
	}
	part := bracketForm.FindStringSubmatch(p.text[start+1 : start+end])
	a := atom{bracket: true}
	sound := part != nil && slices.Contains(symbols, part[2])
	if sound {
		a.isotope = strings.TrimLeft(part[1], "0") // 02 is 2, and 0 is the usual mixture
		a.symbol = part[2]
		a.aromatic = part[2][0] >= 'a'
		a.hydrogens = countOf(part[3])
		a.charge = countOf(part[4])
	}
	if !sound || a.hydrogens > 9 || a.charge < -15 || a.charge > 15 {
		return errorAt(start, p.text[start:start+end+1],
			"which is not an atom in brackets: write isotope, symbol, @, H and charge in this order, as in [13CH3-]")
	}
	p.at = start + end + 1
	p.atom(a)
	return nil
}

// bracketForm has the parts of an atom in brackets: isotope, symbol, hydrogens and charge.
var bracketForm = regexp.MustCompile(`^(\d{0,3})(\*|[A-Za-z][a-z]?)(?:@@?(?:(?:TH|AL|SP|TB|OH)\d+)?)?(H\d*)?` +
	`(\+\d*|-\d*|\++|-+)?(?::\d+)?$`)

// countOf returns the number after a sign or an H, or the number of signs; 0 for "". Numbers of more than two digits,
// which no atom has, are 99.
func countOf(part string) int {
	if part == "" {
		return 0
	}
	n, number := len(part), strings.TrimLeft(part, "H+-")
	switch {
	case len(number) > 2:
		n = 99
	case number != "":
		n, _ = strconv.Atoi(number)
	}
	if part[0] == '-' {
		return -n
	}
	return n
}

// chargeText returns + or −, with a number where it is not 1.
func chargeText(charge int) string {
	switch {
	case charge == 0:
		return ""
	case charge == 1:
		return "+"
	case charge == -1:
		return "-"
	}
	return fmt.Sprintf("%+d", charge)
}

// elementAt returns the symbol of an element at the beginning of a text, or "".
func elementAt(text string) string {
	for _, length := range []int{2, 1} {
		if len(text) >= length && slices.Contains(symbols, text[:length]) {
			return text[:length]
		}
	}
	return ""
}

// symbols are the symbols of elements, of aromatic atoms, and * for any.
var symbols = strings.Fields(`* H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn
Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho
Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf
Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og b c n o p s se as te si`)

// atom adds an atom, and the bond to the atom before.
func (p *smilesParser) atom(a atom) {
	a.symbol = strings.ToUpper(a.symbol[:1]) + a.symbol[1:]
	p.g.Labels, p.g.atoms = append(p.g.Labels, a.label()), append(p.g.atoms, a)
	this := len(p.g.Labels) - 1
	if p.last >= 0 {
		p.join(p.last, this, p.bond)
	}
	p.last, p.bond = this, 0
}

// join adds a bond. A bond without a symbol is aromatic between aromatic atoms, and single otherwise.
func (p *smilesParser) join(a, b int, bond byte) {
	switch {
	case bond == 0 && p.g.atoms[a].aromatic && p.g.atoms[b].aromatic:
		bond = ':'
	case bond == 0 || bond == '/' || bond == '\\':
		bond = '-'
	}
	p.g.Edges = append(p.g.Edges, Edge{a, b, string(bond)})
}

// ring opens a ring at the last atom, or closes the ring of this number.
func (p *smilesParser) ring() *Error {
	start := p.at
	number := int(p.text[p.at] - '0')
	p.at++
	if p.text[start] == '%' {
		two := p.text[p.at:min(p.at+2, len(p.text))]
		if len(two) < 2 || strings.Trim(two, digits) != "" {
			return p.errorf(start,
				"the number of a ring with less than two digits: write %%10 to %%99, or one digit alone")
		}
		number, _ = strconv.Atoi(two)
		p.at += 2
	}
	if p.last < 0 {
		return p.errorf(start, "the number of a ring without an atom before it: write the atom first")
	}
	open, closes := p.rings[number]
	if !closes {
		p.rings[number] = ring{start, p.last, p.bond}
		p.bond = 0
		return nil
	}
	delete(p.rings, number)
	bond := p.bond
	p.bond = 0
	directed := func(b byte) bool { return b == '/' || b == '\\' }
	switch {
	case open.atom == p.last:
		return p.errorf(start, "a ring of a single atom: close it at another")
	case bond == 0:
		bond = open.bond
	case open.bond != 0 && open.bond != bond && !(directed(bond) && directed(open.bond)):
		return p.errorf(start,
			"ring %d, which opens with the bond %c and closes with %c: write one of them", number, open.bond, bond)
	}
	p.join(open.atom, p.last, bond)
	return nil
}

// maxBonds is the largest number of bonds of each element in usual organic molecules. Other elements are not looked at.
var maxBonds = map[string]int{"B": 3, "C": 4, "N": 5, "O": 2, "F": 1, "P": 5, "S": 6, "Cl": 7, "Br": 7, "I": 7}

// warn adds warnings about atoms with more bonds than they can have. Each unit of charge may add one.
func (g *Graph) warn() {
	bonds := make([]int, len(g.atoms))
	rings, shared := make([]int, len(g.atoms)), make([]bool, len(g.atoms))
	for _, e := range g.Edges {
		for _, a := range []int{e.From, e.To} {
			bonds[a] += bondOrder(e.Label)
			shared[a] = shared[a] || bondOrder(e.Label) > 1
			if e.Label == ":" {
				rings[a]++
			}
		}
	}
	for a, atom := range g.atoms {
		bonds[a] += atom.hydrogens
		most, known := maxBonds[atom.symbol]
		// one bond of an aromatic carbon is double, in the ring or beside it
		if atom.aromatic && atom.symbol == "C" && rings[a] >= 2 && !shared[a] {
			bonds[a]++
		}
		if most += max(atom.charge, -atom.charge); known && bonds[a] > most {
			g.Warnings = append(g.Warnings,
				fmt.Sprintf("atom %d, %s, has %d bonds, and %d are usual", a+1, g.Labels[a], bonds[a], most))
		}
	}
}
