package seq

import "bytes"

// Census counts the bytes of sequences, from which Detect tells their alphabet.
type Census struct{ Bytes [256]int }

// Add counts the text of one sequence, without the blanks at the ends of its lines.
func (c *Census) Add(text []byte) {
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		for _, b := range bytes.TrimRight(line, " \t\r") {
			c.Bytes[b]++
		}
	}
}

// Shares of the symbols that decide. A stray symbol must not turn DNA into a text: it is
// an error of its line.
const (
	mostlyDNA     = 0.95 // A C G T U and the codes for several bases, among the evidence
	surelyDNA     = 0.80 // A C G T U among the evidence
	mostlyProtein = 0.99 // letters of proteins among the evidence
	seldomMasked  = 0.50 // X, N of DNA and gaps among all, unless DNA has its four letters
	oneCase       = 0.02 // letters of the rarer case among all, which are unknown residues
	mostlyNumbers = 0.97 // digits and what else numbers have among all
	fewRare       = 0.04 // B J O U Z among the evidence: texts have more O and U
	longBlock     = 8    // letters between blanks: blocks of residues are longer than words
)

// Detect tells the alphabet of the sequences counted, by this rule: whole numbers between blanks
// are integers; digits, with semicolons and nearly nothing but what numbers are written with, are
// vectors; nearly all letters of DNA is DNA; nearly all letters of amino acids, nearly all of one
// case and with few of B J O U Z, is a protein; everything else is bytes. Words are never guessed.
// Gaps and the letters of masks, X and in DNA N, are no evidence.
func (c *Census) Detect() Kind {
	total, digits, numeric := 0, c.of("0123456789"), c.of("0123456789.,;+-eE")
	for _, n := range c.Bytes {
		total += n
	}
	blanks := c.of(" \t")
	total -= blanks
	switch {
	case total == 0:
		return Bytes
	case digits == total && blanks > 0:
		return Integers
	case c.Bytes[';'] > 0 && digits > 0 && atLeast(numeric, mostlyNumbers, total):
		return Vectors
	case c.isDNA(total, blanks):
		return DNA
	case c.isProtein(total, blanks):
		return Protein
	}
	return Bytes
}

// of counts some characters.
func (c *Census) of(chars string) (n int) {
	for _, char := range []byte(chars) {
		n += c.Bytes[char]
	}
	return n
}

func atLeast(n int, share float64, of int) bool { return float64(n) >= share*float64(of) }

// gaps are those of aligned sequences, and what masks them in any alphabet.
const gaps = "-.Xx"

// isDNA: letters that DNA never has are rare among all symbols. Blanks between blocks and
// many masks need all four letters beside them: other strings have x, too.
func (c *Census) isDNA(total, blanks int) bool {
	bases := c.of("ACGTUacgtu")
	evidence := total - c.of(gaps+"Nn")
	plain := blanks == 0 && atLeast(bases, seldomMasked, total)
	all := c.of("Aa") > 0 && c.of("Cc") > 0 && c.of("Gg") > 0 && c.of("TtUu") > 0
	return bases > 0 && (plain || all) && longBlock*blanks <= total && atLeast(bases, surelyDNA, evidence) &&
		atLeast(bases+c.of("RYSWKMBDHVryswkmbdhv"), mostlyDNA, evidence)
}

func (c *Census) isProtein(total, blanks int) bool {
	masked, letters, upper, lower := c.of(gaps), 0, 0, 0
	evidence := total - masked
	for char, n := range c.Bytes {
		if proteinTable[char] != noLetter {
			letters += n
		}
		switch {
		case char >= 'A' && char <= 'Z':
			upper += n
		case char >= 'a' && char <= 'z':
			lower += n
		}
	}
	return atLeast(evidence, seldomMasked, total) && longBlock*blanks <= total &&
		atLeast(letters-masked, mostlyProtein, evidence) &&
		!atLeast(c.of("BJOUZbjouz"), fewRare, evidence) && !atLeast(min(upper, lower), oneCase, total)
}

var proteinTable = letterTable(Protein)
