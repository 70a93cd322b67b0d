package seq

import "bytes"

// AlphabetDetector counts the bytes of sequences, from which Detect tells their alphabet.
type AlphabetDetector struct {
	all      histogram
	residues histogram // bytes without the numbers of positions
	runs     [2]int    // numbers of runs of capitals, and of small letters
}

// histogram counts bytes.
type histogram [256]int

// Add counts the text of one sequence, without the blanks at the ends of its lines.
func (d *AlphabetDetector) Add(text []byte) {
	before := -1
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		for _, b := range bytes.TrimRight(line, " \t\r") {
			d.all[b]++
		}
		from, to := residues(line)
		for _, b := range line[from:to] {
			d.residues[b]++
			if small := int(b) >> 5 & 1; isLetter(b) && small != before {
				d.runs[small]++
				before = small
			}
		}
	}
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// residues returns the range of the residues in a line of DNA or a protein. It strips blanks, and a position: a number
// before or after the blocks of the line.
func residues(line []byte) (from, to int) {
	const digits, blanks = "0123456789", " \t\r\n"
	rest := bytes.TrimLeft(line, blanks)
	if after := bytes.TrimLeft(rest, digits); len(after) > 0 && isBlank(after[0]) {
		rest = bytes.TrimLeft(after, blanks)
	}
	from = len(line) - len(rest)
	rest = bytes.TrimRight(rest, blanks)
	if before := bytes.TrimRight(rest, digits); len(before) > 0 && isBlank(before[len(before)-1]) {
		rest = bytes.TrimRight(before, blanks)
	}
	return from, from + len(rest)
}

// Shares of the symbols that decide. A stray symbol must not turn DNA into a text: it is an error of its line.
const (
	mostlyDNA     = 0.95 // share of A C G T U and of the codes for several bases, among the evidence
	surelyDNA     = 0.80 // share of A C G T U among the evidence
	mostlyProtein = 0.99 // share of letters of proteins among the evidence
	seldomMasked  = 0.50 // share of X, N of DNA and gaps among all, unless all letters stand beside them
	oneCase       = 0.02 // share of letters of the rarer case among all, which are unknown residues
	mostlyNumbers = 0.97 // share of digits and other parts of numbers among all
	fewRare       = 0.04 // share of B J O U Z among the evidence: texts have more O and U
	longBlock     = 8    // number of letters between blanks or of one case: blocks are longer than words
)

// Detect tells the alphabet of the sequences counted, by this rule: whole numbers between blanks are integers; digits,
// with semicolons and nearly nothing but what numbers are written with, are vectors; nearly all letters of DNA is DNA;
// nearly all letters of amino acids, nearly all of one case or in long runs of each, and with few of B J O U Z, is a
// protein; everything else is bytes. Words are never guessed. Gaps and the letters of masks, X and in DNA N, are no
// evidence.
func (d *AlphabetDetector) Detect() Kind {
	digits, numeric := d.all.count("0123456789"), d.all.count("0123456789.,;+-eE")
	total, blanks := d.all.sizes()
	switch {
	case total == 0:
		return Bytes
	case digits == total && blanks > 0:
		return Integers
	case d.all[';'] > 0 && digits > 0 && atLeast(numeric, mostlyNumbers, total):
		return Vectors
	case d.residues.isDNA():
		return DNA
	case d.isProtein():
		return Protein
	}
	return Bytes
}

// count returns how often these characters occur.
func (h *histogram) count(chars string) (n int) {
	for _, char := range []byte(chars) {
		n += h[char]
	}
	return n
}

// hasAll reports whether each of the letters occurs, as a capital or a small one.
func (h *histogram) hasAll(letters string) bool {
	for _, l := range []byte(letters) {
		if h[l]+h[l|0x20] == 0 {
			return false
		}
	}
	return true
}

// sizes returns the counts of symbols and of blanks.
func (h *histogram) sizes() (total, blanks int) {
	for _, n := range h {
		total += n
	}
	blanks = h.count(" \t")
	return total - blanks, blanks
}

func atLeast(n int, share float64, of int) bool { return float64(n) >= share*float64(of) }

// gaps are the signs of a gap in aligned sequences, and masks of any alphabet.
const gaps = "-.Xx"

// isDNA reports whether the text is DNA: letters that DNA never has are rare among all symbols, and most others are
// bases or never a letter of another alphabet. A text with blanks between blocks, or with many masks, must have all
// four letters, since other strings have x, too.
func (h *histogram) isDNA() bool {
	total, blanks := h.sizes()
	bases := h.count("ACGTUacgtu")
	evidence := total - h.count(gaps+"Nn")
	coded := bases + h.count("RYSWKMBDHVryswkmbdhv")
	plain := blanks == 0 && atLeast(bases, seldomMasked, total)
	all := h.hasAll("ACG") && h.count("TtUu") > 0
	return bases > 0 && (plain || all) && longBlock*blanks <= total && atLeast(coded, mostlyDNA, evidence) &&
		(atLeast(bases, surelyDNA, evidence) || all && coded == evidence)
}

// isProtein reports whether the text is a protein. If more than half are masks, all letters must occur.
func (d *AlphabetDetector) isProtein() bool {
	t := &d.residues
	total, blanks := t.sizes()
	masked := t.count(gaps)
	letters := 0
	cases := [2]int{}
	evidence := total - masked
	for char, n := range t {
		if proteinTable[char] != noLetter {
			letters += n
		}
		if isLetter(byte(char)) {
			cases[char>>5&1] += n
		}
	}
	rarer := 0
	if cases[1] < cases[0] {
		rarer = 1
	}
	return (atLeast(evidence, seldomMasked, total) || t.hasAll(proteinLetters)) && longBlock*blanks <= total &&
		atLeast(letters-masked, mostlyProtein, evidence) && !atLeast(t.count("BJOUZbjouz"), fewRare, evidence) &&
		(!atLeast(cases[rarer], oneCase, total) || longBlock*d.runs[rarer] <= cases[rarer])
}

var proteinTable = letterTable(Protein)
