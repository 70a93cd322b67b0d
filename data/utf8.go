package data

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"
)

// utf8Text passes a text on, and stops where it is no UTF-8.
type utf8Text struct {
	src  io.Reader
	name string
	line int    // at the end of what was passed on
	part []byte // the start of a rune that may go on
}

func (u *utf8Text) Read(to []byte) (int, error) {
	n, err := u.src.Read(to)
	text := to[:n]
	if len(u.part) > 0 {
		text = append(u.part, text...)
	}
	bad, line := badRune(text)
	switch {
	case bad < 0:
		bad, u.part = len(text), nil
	case err == nil && !utf8.FullRune(text[bad:]):
		u.part = slices.Clone(text[bad:])
	default:
		return 0, notUTF8(u.name, u.line+line-1, text[bad])
	}
	u.line += bytes.Count(text[:bad], []byte{'\n'})
	return n, err
}

// badRune is where the first bytes stand that are no UTF-8, and in which line, from 1; −1 if there
// are none.
func badRune(text []byte) (at, line int) {
	if utf8.Valid(text) {
		return -1, 0
	}
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at, 1 + bytes.Count(text[:at], []byte{'\n'})
}

func notUTF8(name string, line int, c byte) error {
	return &Error{File: name, Line: line, Msg: "is not UTF-8 text (byte 0x" + hex2(c) + "): save it as UTF-8"}
}
