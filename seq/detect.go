package seq

import "strings"

// Census counts the bytes of sequences, from which Detect tells their alphabet.
type Census struct {
	Bytes     [256]int
	Sequences int
}

// Add counts the text of one sequence.
func (c *Census) Add(text []byte) {
	c.Sequences++
	for _, b := range text {
		c.Bytes[b]++
	}
}

// Shares of the symbols that decide. A stray symbol must not turn DNA into a text: it is
// an error of its line.
const (
	mostlyDNA     = 0.95 // A C G T U N among all
	surelyDNA     = 0.80 // A C G T U among all
	mostlyProtein = 0.99 // letters of proteins among all
	oneCase       = 0.02 // letters of the rarer case among all, which are unknown residues
	mostlyNumbers = 0.97 // digits and what else numbers have among all
	fewRare       = 0.04 // B J O U X Z among all: texts have more O and U
)

// Detect tells the alphabet of the sequences counted, by this rule: whole numbers between blanks
// are integers; digits, with semicolons and nearly nothing but what numbers are written with, are
// vectors; nearly all A C G T U N is DNA; nearly all letters of amino acids, nearly all of one case
// and with few of B J O U X Z, is a protein; everything else is bytes. Words are never guessed.
func (c *Census) Detect() Kind {
	total, blanks, digits, numeric := 0, 0, 0, 0
	var dna, unambiguous, protein, rare, upper, lower int
	for b, n := range c.Bytes {
		char := byte(b)
		switch {
		case char == '\n' || char == '\r':
			continue
		case char == ' ' || char == '\t':
			blanks += n
			continue
		case char >= '0' && char <= '9':
			digits += n
		case char >= 'A' && char <= 'Z':
			upper += n
		case char >= 'a' && char <= 'z':
			lower += n
		}
		total += n
		if strings.IndexByte("0123456789.,;+-eE", char) >= 0 {
			numeric += n
		}
		switch char &^ 0x20 {
		case 'A', 'C', 'G', 'T', 'U':
			dna += n
			unambiguous += n
		case 'N':
			dna += n
		}
		if proteinTable[char] != noLetter {
			protein += n
		}
		switch char &^ 0x20 {
		case 'B', 'J', 'O', 'U', 'X', 'Z':
			rare += n
		}
	}
	of := func(n int, share float64) bool { return float64(n) >= share*float64(total) }
	switch {
	case total == 0:
		return Bytes
	case digits == total && blanks > 0:
		return Integers
	case c.Bytes[';'] > 0 && digits > 0 && of(numeric, mostlyNumbers):
		return Vectors
	case blanks == 0 && of(dna, mostlyDNA) && of(unambiguous, surelyDNA):
		return DNA
	case blanks == 0 && of(protein, mostlyProtein) && !of(rare, fewRare) && !of(min(upper, lower), oneCase):
		return Protein
	}
	return Bytes
}

var proteinTable = letterTable(Protein)
