package seq

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

// SymbolError is a symbol outside the alphabet.
type SymbolError struct {
	At     int    // place in the text, in bytes from 0
	Symbol string // the symbol as the text has it
	Msg    string // the remedy, for people
}

func (e *SymbolError) Error() string { return fmt.Sprintf("found %q: %s", e.Symbol, e.Msg) }

// Encoder turns the texts of sequences into a Set. Line ends in a text are no symbols.
type Encoder struct {
	set     Set
	letters [256]int32
	words   map[string]int32 // codes of words
	frames  *frames          // codes of vectors
	fixed   bool             // the alphabet does not grow: other symbols are unknown
	given   bool             // an alphabet was given
	graphs  GraphStats
	lost    int // number of symbols that were unknown
}

// NewEncoder starts a set over an alphabet of the given kind, which words and integers fill.
func NewEncoder(k Kind) *Encoder {
	a := &Alphabet{Kind: k, Letters: letterCount(k), Standard: k == Graphs}
	e := &Encoder{set: Set{Alphabet: a, Start: []int{0}}, letters: letterTable(k), words: map[string]int32{}}
	if k == Vectors {
		e.frames = newFrames(a)
	}
	return e
}

// EncoderFor starts a set over the alphabet of a training set. Vectors that are new are added to a copy of it.
func EncoderFor(a *Alphabet) *Encoder {
	e := NewEncoder(a.Kind)
	e.set.Alphabet = a
	e.given = true
	if a.OfVectors() != nil {
		e.Grow()
	}
	e.fixed = a.Kind != Vectors
	for c, w := range a.Words {
		e.words[w] = int32(c)
	}
	return e
}

// Grow lets a copy of an alphabet that was given take in the words, integers and vectors that it lacks. The codes of
// the others stay.
func (e *Encoder) Grow() {
	e.set.Alphabet = e.set.Alphabet.clone()
	e.fixed = false
	if v := e.set.Alphabet.OfVectors(); v != nil {
		e.frames = newFrames(v)
	}
}

// Add codes the text of one sequence, or returns a *SymbolError and leaves the set as it was. Blanks around a text are
// not part of it; blanks within a text are symbols of bytes, and end words and integers. They separate blocks of DNA
// and proteins, where the number of a position may stand before or after a line.
func (e *Encoder) Add(text []byte) error {
	before := len(e.set.Codes)
	err := e.checkText(text)
	if err != nil {
		return err
	}
	switch e.set.Alphabet.Kind {
	case Words, Integers:
		err = e.addTokens(text)
	case Vectors:
		err = e.addFrames(text)
	case Graphs:
		err = e.addGraph(text)
	case Trees:
		err = e.addTree(text)
	case Bytes:
		e.addText(text)
	default:
		err = e.addLetters(text)
	}
	if err != nil {
		e.set.Codes = e.set.Codes[:before]
		return err
	}
	e.set.Start = append(e.set.Start, len(e.set.Codes))
	return nil
}

// checkText refuses what is not UTF-8, unless symbols are bytes: a model file has words and labels as JSON.
func (e *Encoder) checkText(text []byte) error {
	if e.set.Alphabet.Kind == Bytes || utf8.Valid(text) {
		return nil
	}
	at := 0
	for r, size := utf8.DecodeRune(text); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(text[at:]) {
		at += size
	}
	return &SymbolError{At: at, Symbol: string(text[at : at+1]), Msg: "not UTF-8 text: encode the sequence as UTF-8"}
}

func (e *Encoder) addLetters(text []byte) error {
	at := 0
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		from, to := residues(line)
		for i := at + from; i < at+to; i++ {
			if isBlank(text[i]) {
				continue
			}
			code := e.letters[text[i]]
			if code == noLetter {
				return e.notLetterError(text, i)
			}
			if code == Unknown {
				e.lost++
			}
			e.set.Codes = append(e.set.Codes, code)
		}
		at += len(line) + 1
	}
	return nil
}

// addText codes the bytes of a text.
func (e *Encoder) addText(text []byte) {
	trimmed := bytes.Trim(text, " \t\r\n")
	for i, c := range trimmed {
		if c != '\n' && (c != '\r' || i+1 == len(trimmed) || trimmed[i+1] != '\n') {
			e.set.Codes = append(e.set.Codes, e.letters[c])
		}
	}
}

// notLetterError returns the error for a symbol of a text that is not a letter.
func (e *Encoder) notLetterError(text []byte, at int) error {
	symbol, _ := utf8.DecodeRune(text[at:])
	name := map[Kind]string{DNA: "DNA (ACGTU and the IUPAC codes)", Protein: "proteins"}[e.set.Alphabet.Kind]
	return &SymbolError{At: at, Symbol: string(symbol), Msg: "not a letter of " + name +
		": correct it, or write " + e.set.Alphabet.Symbol(Unknown) + " for what is not known"}
}

// addTokens codes words or integers.
func (e *Encoder) addTokens(text []byte) error {
	for at := 0; at < len(text); {
		if isBlank(text[at]) {
			at++
			continue
		}
		end := at
		for end < len(text) && !isBlank(text[end]) {
			end++
		}
		code, err := e.token(text[at:end])
		if err != nil {
			err.At = at
			return err
		}
		e.set.Codes = append(e.set.Codes, code)
		at = end
	}
	return nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (e *Encoder) token(token []byte) (int32, *SymbolError) {
	a := e.set.Alphabet
	if a.Kind == Words {
		if code, known := e.words[string(token)]; known {
			return code, nil
		}
		return e.label(string(token)), nil
	}
	v, err := strconv.ParseUint(string(token), 10, 31)
	switch {
	case err != nil || v == math.MaxInt32:
		msg := "symbols must be whole numbers 0, 1, 2 … up to 2147483646 between blanks"
		if !strings.ContainsAny(string(token), "0123456789") {
			msg += ", or letters or words throughout (" + usererror.Key("tokens") + "=chars, " +
				usererror.Key("tokens") + "=words)"
		}
		return 0, &SymbolError{Symbol: shorten(token), Msg: msg}
	case int(v) >= a.Letters && e.fixed:
		e.lost++
		return Unknown, nil
	}
	a.Letters = max(a.Letters, int(v)+1)
	return int32(v), nil
}

func shorten(token []byte) string {
	const longest = 40
	if r := []rune(string(token)); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return string(token)
}

// Empty reports whether the sequence that was added last has no symbols.
func (e *Encoder) Empty() bool {
	n := e.set.N()
	return n > 0 && len(e.set.At(n-1)) == 0
}

// Set returns the added sequences, and the number of their unknown symbols.
func (e *Encoder) Set() (set *Set, unknown int) {
	s := e.set
	return &s, e.lost
}
