package main

import "strings"

// halves fails where a number of 64 bits is put together of halves that were shuffled over
// different distances. Of a wrong low half no test with a tolerance would know: it is off by a
// millionth.
func (e *emitter) halves(s statement) {
	o := s.operands
	switch {
	case strings.HasPrefix(s.op, "shfl."):
		e.shuffled[o[0]] = s.op + " " + strings.Join(o[2:], ", ")
	case s.op == "cvt.u64.u32" || s.op == "shl.b64":
		e.shuffled[o[0]] = e.shuffled[o[1]]
	case s.op == "or.b64":
		e.alike(o[1], o[2])
	case s.op == "mov.b64" && len(group(o[1])) == 2:
		e.alike(group(o[1])[0], group(o[1])[1])
	default:
		if len(o) > 0 {
			delete(e.shuffled, o[0])
		}
	}
}

// alike fails unless both registers were shuffled in the same way, or one was not.
func (e *emitter) alike(a, b string) {
	if a, b := e.shuffled[a], e.shuffled[b]; a != "" && b != "" && a != b {
		panic(unknown{senseless{e.mistake(e.at, "the halves of a number are shuffled differently: %s, and %s", a, b)}})
	}
}
