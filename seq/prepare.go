package seq

import "slices"

// prepared is the memory of a sequence on its way to its features.
type prepared struct{ codes []int32 }

// of is x as the term wants it: a text without small letters.
func (p *prepared) of(t Term, x []int32) []int32 {
	if !t.Fold {
		return x
	}
	p.codes = append(p.codes[:0], x...)
	for i, c := range p.codes {
		if c >= 'a' && c <= 'z' {
			p.codes[i] = c &^ 0x20
		}
	}
	return p.codes
}

// otherStrand is the reverse complement of DNA: A for T, C for G.
func (p *prepared) otherStrand(x []int32) []int32 {
	p.codes = append(p.codes[:0], x...)
	slices.Reverse(p.codes)
	for i, c := range p.codes {
		if c != Unknown {
			p.codes[i] = 3 - c
		}
	}
	return p.codes
}
