package seq

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Kind is a family of alphabets.
type Kind string

// The alphabets. A letter of DNA, a protein or a text is a byte of its line; words and integers stand between blanks.
const (
	DNA      Kind = "dna"     // A C G T, where U is T; lower case is upper case
	Protein  Kind = "protein" // the 20 amino acids; lower case is upper case
	Bytes    Kind = "bytes"   // any bytes: text in UTF-8
	Words    Kind = "words"   // the words between blanks
	Integers Kind = "ints"    // whole numbers from 0
	// numbers between commas, vectors between semicolons: a Codebook makes symbols of them
	Vectors Kind = "vectors"
	Graphs  Kind = "graphs" // graphs and molecules, coded by package graph
	Trees   Kind = "trees"
)

// Kinds lists the alphabets.
func Kinds() []Kind { return []Kind{DNA, Protein, Bytes, Words, Integers, Vectors, Graphs, Trees} }

// Unknown is the code of a symbol that stands for no letter of its alphabet.
const Unknown = -1

// Alphabet is the meaning of codes. The alphabet of a training set is part of its model.
type Alphabet struct {
	Kind    Kind `json:"kind"`
	Letters int  `json:"letters"` // codes are 0 … Letters−1, or Unknown
	// words, and labels of graphs: word c has code c
	Words []string `json:"words,omitempty"`

	Width int `json:"width,omitempty"` // number of elements of a vector, for vectors
	// vectors of the set [Letters,Width], which are no part of a model
	Frames []float32 `json:"-"`

	// alphabet of the attributes, for graphs whose nodes have vectors
	Attributes *Alphabet `json:"attributes,omitempty"`
	// molecules have the same labels in every notation; false in models of earlier versions
	Standard bool `json:"standard,omitempty"`
}

const (
	dnaLetters     = "ACGT"
	proteinLetters = "ACDEFGHIKLMNPQRSTVWY"
	dnaUnknown     = "RYSWKMBDHVNX-." // IUPAC's codes for several bases, and gaps
	proteinUnknown = "BJOUXZ*-."
)

const noLetter = -2 // mark of a symbol that may not stand in a text, in a table of letters

// letterTable returns the code of each byte in a text of DNA, protein or bytes.
func letterTable(k Kind) (table [256]int32) {
	for c := range table {
		table[c] = noLetter
	}
	set := func(letters string, first, step int32) {
		for i, c := range []byte(letters) {
			table[c] = first + int32(i)*step
			if c >= 'A' && c <= 'Z' {
				table[c|0x20] = table[c]
			}
		}
	}
	switch k {
	case DNA:
		set(dnaUnknown, Unknown, 0)
		set(dnaLetters, 0, 1)
		set("U", 3, 0)
	case Protein:
		set(proteinUnknown, Unknown, 0)
		set(proteinLetters, 0, 1)
	case Bytes:
		for c := range table {
			table[c] = int32(c)
		}
	}
	return table
}

// letterCount returns the number of letters of an alphabet that needs no data to be known.
func letterCount(k Kind) int {
	return map[Kind]int{DNA: len(dnaLetters), Protein: len(proteinLetters), Bytes: 256}[k]
}

// Symbol shows the letter with a code as a file would.
func (a *Alphabet) Symbol(code int32) string {
	if code == Unknown {
		return cmp.Or(map[Kind]string{DNA: "N", Protein: "X"}[a.Kind], "?")
	}
	switch a.Kind {
	case DNA:
		return dnaLetters[code : code+1]
	case Protein:
		return proteinLetters[code : code+1]
	case Bytes:
		return string([]byte{byte(code)})
	case Words:
		return a.Words[code]
	case Vectors:
		return frameText(a.frame(code))
	}
	return strconv.Itoa(int(code))
}

// Text returns a sequence as text, as in a file.
func (a *Alphabet) Text(x []int32) string {
	if a.Kind.IsGraph() {
		return a.graphText(x)
	}
	var b strings.Builder
	between := map[Kind]string{Words: " ", Integers: " ", Vectors: ";"}[a.Kind]
	for i, c := range x {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(a.Symbol(c))
	}
	return b.String()
}

// same reports whether codes of a and b mean the same.
func (a *Alphabet) same(b *Alphabet) bool {
	return a.Kind == b.Kind && a.Letters == b.Letters && slices.Equal(a.Words, b.Words)
}
