package seq

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/gpdrf/gpdrf-gpu/internal/stats"
)

// frames numbers the vectors of an alphabet: equal vectors have the same number.
type frames struct {
	alphabet *Alphabet        // alphabet to which new vectors are added
	code     map[string]int32 // code of a vector, by its bits
	line     []float32        // the vector that is being read
}

// newFrames returns frames that know the vectors of a.
func newFrames(a *Alphabet) *frames {
	f := &frames{alphabet: a, code: map[string]int32{}}
	for c := range int32(a.Letters) {
		f.code[frameBits(a.frame(c))] = c
	}
	return f
}

// number returns the code of a vector, and adds a new vector to the alphabet.
func (f *frames) number(frame []float32) int32 {
	a := f.alphabet
	bits := frameBits(frame)
	code, known := f.code[bits]
	if !known {
		code = int32(a.Letters)
		f.code[bits] = code
		a.Frames = append(a.Frames, frame...)
		a.Letters++
	}
	return code
}

func frameBits(frame []float32) string {
	bits, _ := binary.Append(nil, binary.LittleEndian, frame)
	return string(bits)
}

func (a *Alphabet) frame(code int32) []float32 {
	return a.Frames[int(code)*a.Width:][:a.Width:a.Width]
}

// addFrames codes a text of vectors: numbers between commas, vectors between semicolons.
func (e *Encoder) addFrames(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	at := 0
	for part := range bytes.SplitSeq(text, []byte{';'}) {
		if err := e.addFrame(part, at); err != nil {
			return err
		}
		at += len(part) + 1
	}
	return nil
}

// addFrame codes the vector that stands at byte `at` of its text.
func (e *Encoder) addFrame(text []byte, at int) error {
	a, f := e.set.Alphabet, e.frames
	f.line = f.line[:0]
	from := at
	for part := range bytes.SplitSeq(text, []byte{','}) {
		token := bytes.TrimSpace(part)
		v, err := strconv.ParseFloat(string(token), 32)
		if err != nil || !stats.IsFinite(v) {
			lead := len(part) - len(bytes.TrimLeft(part, " \t\r\n"))
			return &SymbolError{At: from + lead, Symbol: shorten(token),
				Msg: "vectors hold finite numbers between commas, and stand between semicolons: correct it, " +
					"or leave this vector out"}
		}
		f.line = append(f.line, float32(v)+0) // +0 in place of −0
		from += len(part) + 1
	}
	if a.Width == 0 {
		a.Width = len(f.line)
	}
	if len(f.line) != a.Width {
		return &SymbolError{At: at, Symbol: shorten(bytes.TrimSpace(text)),
			Msg: fmt.Sprintf("a vector of %d numbers, and those before have %d: all vectors need the same "+
				"length", len(f.line), a.Width)}
	}
	e.set.Codes = append(e.set.Codes, f.number(f.line))
	return nil
}

// frameText returns a vector as text, as in a file.
func frameText(frame []float32) string {
	var b []byte
	for i, v := range frame {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(v), 'g', -1, 32)
	}
	return string(b)
}
