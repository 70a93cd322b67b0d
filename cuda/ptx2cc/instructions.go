package main

import (
	"fmt"
	"slices"
	"strings"
)

// code is an instruction that is translated: its operands, and its type, the last part of its name.
type code struct {
	*emitter
	name     string   // "cvt"
	parts    []string // between name and type: ".rn", ".f32"
	t        typ
	operands []string
}

// opcodes are the instructions that are known. Each writes C++, or fails.
var opcodes = map[string]func(c *code) string{
	"add": sum("+"), "sub": sum("-"), "mul": product, "mad": multiplyAdd, "fma": fusedMultiplyAdd, "div": quotient, "rem": remainder,
	"min": extremum, "max": extremum, "neg": negate, "abs": magnitude, "sqrt": root, "rcp": reciprocal, "rsqrt": reciprocalRoot,
	"and": logic("&"), "or": logic("|"), "xor": logic("^"), "not": complement, "shl": shift, "shr": shift, "bfe": field, "bfi": insert,
	"setp": compare, "selp": choose, "mov": move, "cvt": convert, "cvta": generic,
	"ld": load, "st": store, "bar": barrier, "shfl": shuffle, "mma": matrices,
	"bra": branch, "ret": leave, "call": call,
}

// instruction is a statement as C++.
func (e *emitter) instruction(s statement) string {
	name, rest, _ := strings.Cut(s.op, ".")
	c := &code{emitter: e, name: name, operands: s.operands}
	if rest != "" {
		c.parts = strings.Split("."+strings.ReplaceAll(rest, ".", " ."), " ")
		last := c.parts[len(c.parts)-1]
		if t, ok := types[last]; ok {
			c.t, c.parts = t, c.parts[:len(c.parts)-1]
		}
	}
	translate, ok := opcodes[name]
	if !ok {
		e.fail("instruction %s", s.op)
		return ""
	}
	return translate(c)
}

// plain fails unless the instruction has n operands and one of these forms: the text before its
// type, and the types.
func (c *code) plain(n int, forms ...string) {
	form := strings.Join(c.parts, "")
	for _, f := range forms {
		before, kinds, _ := strings.Cut(f, " ")
		if form == before && len(c.operands) == n && slices.Contains(strings.Fields(kinds), c.t.name()) {
			return
		}
	}
	c.fail("instruction %s%s.%s of %d operands", c.name, form, c.t.name(), len(c.operands))
}

// name is the type's name in PTX: "u32", or "" where there is none.
func (t typ) name() string {
	switch {
	case t.kind == 0:
		return ""
	case t.kind == 'p':
		return "pred"
	}
	return fmt.Sprintf("%c%d", t.kind, 8*t.bytes)
}

const (
	floats   = "f32 f64"
	integers = "u16 s16 u32 s32 u64 s64"
	untyped  = "b16 b32 b64"
)

// in is source operand i, from 1, as the instruction's type.
func (c *code) in(i int) string { return c.value(c.operands[i], c.t) }

// out assigns the result.
func (c *code) out(format string, a ...any) string {
	return c.put(c.operands[0], c.t, fmt.Sprintf(format, a...))
}

// exact says whether an operation of floats is .rn, which no compiler may fuse with another.
func (c *code) exact() bool { return slices.Contains(c.parts, ".rn") }

func sum(sign string) func(*code) string {
	return func(c *code) string {
		c.plain(3, " "+integers+" "+floats, ".rn "+floats)
		if c.exact() {
			return c.out("ptx::rounded(%s %s %s)", c.in(1), sign, c.in(2))
		}
		return c.out("(%s)(%s %s %s)", c.t.c, c.in(1), sign, c.in(2))
	}
}

func product(c *code) string {
	if c.t.float() {
		c.plain(3, " "+floats, ".rn "+floats)
		if c.exact() {
			return c.out("ptx::rounded(%s * %s)", c.in(1), c.in(2))
		}
		return c.out("%s * %s", c.in(1), c.in(2))
	}
	c.plain(3, ".lo "+integers, ".hi "+integers, ".wide u16 s16 u32 s32")
	switch c.parts[0] {
	case ".hi":
		return c.out("ptx::mul_hi<%s>(%s, %s)", c.t.c, c.in(1), c.in(2))
	case ".wide":
		w := c.t.wide()
		return c.put(c.operands[0], w, fmt.Sprintf("(%s)%s * (%s)%s", w.c, c.in(1), w.c, c.in(2)))
	}
	return c.out("%s", c.low(c.in(1), c.in(2)))
}

// low is the low half of a product. Short factors would be promoted to int, whose product may
// overflow.
func (c *code) low(a, b string) string {
	return fmt.Sprintf("(%s)((uint64_t)%s * (uint64_t)%s)", c.t.c, a, b)
}

func multiplyAdd(c *code) string {
	c.plain(4, ".lo "+integers)
	return c.out("(%s)(%s + %s)", c.t.c, c.low(c.in(1), c.in(2)), c.in(3))
}

func fusedMultiplyAdd(c *code) string {
	c.plain(4, ".rn "+floats)
	return c.out("std::fma(%s, %s, %s)", c.in(1), c.in(2), c.in(3))
}

func quotient(c *code) string {
	c.plain(3, " "+integers, ".rn "+floats)
	if c.t.float() {
		return c.out("%s / %s", c.in(1), c.in(2))
	}
	return c.out("ptx::div<%s>(%s, %s)", c.t.c, c.in(1), c.in(2))
}

func remainder(c *code) string {
	c.plain(3, " "+integers)
	return c.out("ptx::rem<%s>(%s, %s)", c.t.c, c.in(1), c.in(2))
}

func extremum(c *code) string {
	c.plain(3, " "+integers+" "+floats)
	return c.out("ptx::%s<%s>(%s, %s)", c.name, c.t.c, c.in(1), c.in(2))
}

func negate(c *code) string {
	c.plain(2, " s16 s32 s64 "+floats)
	return c.out("-%s", c.in(1))
}

func magnitude(c *code) string {
	c.plain(2, " s16 s32 s64 "+floats)
	if c.t.float() {
		return c.out("std::fabs(%s)", c.in(1))
	}
	return c.out("%[1]s < 0 ? -%[1]s : %[1]s", c.in(1))
}

func root(c *code) string {
	c.plain(2, ".rn "+floats)
	return c.out("std::sqrt(%s)", c.in(1))
}

func reciprocal(c *code) string {
	c.plain(2, ".rn "+floats, ".approx.ftz f64")
	if !c.exact() {
		return c.out("ptx::rough(1 / ptx::rough(%s))", c.in(1))
	}
	return c.out("1 / %s", c.in(1))
}

func reciprocalRoot(c *code) string {
	c.plain(2, ".approx.ftz f64")
	return c.out("ptx::rough(1 / std::sqrt(ptx::rough(%s)))", c.in(1))
}

func logic(sign string) func(*code) string {
	return func(c *code) string {
		c.plain(3, " pred "+untyped)
		return c.out("(%s)(%s %s %s)", c.t.c, c.in(1), sign, c.in(2))
	}
}

func complement(c *code) string {
	c.plain(2, " pred "+untyped)
	if c.t.kind == 'p' {
		return c.out("!%s", c.in(1))
	}
	return c.out("(%s)~%s", c.t.c, c.in(1))
}

func shift(c *code) string {
	if c.name == "shl" {
		c.plain(3, " "+untyped)
	} else {
		c.plain(3, " "+untyped+" "+integers)
	}
	return c.out("ptx::%s<%s>(%s, %s)", c.name, c.t.c, c.in(1), c.value(c.operands[2], types[".u32"]))
}

func field(c *code) string {
	c.plain(4, " u32 s32 u64 s64")
	u := types[".u32"]
	return c.out("ptx::bfe<%s>(%s, %s, %s)", c.t.c, c.in(1), c.value(c.operands[2], u), c.value(c.operands[3], u))
}

func insert(c *code) string {
	c.plain(5, " b32 b64")
	u := types[".u32"]
	return c.out("ptx::bfi<%s>(%s, %s, %s, %s)", c.t.c, c.in(1), c.in(2), c.value(c.operands[3], u), c.value(c.operands[4], u))
}

// comparisons are those of setp as C++ with the operands %[1]s and %[2]s, for integers, then
// floats.
var comparisons = map[string][2]string{
	".eq": {"%[1]s == %[2]s", "%[1]s == %[2]s"}, ".ne": {"%[1]s != %[2]s", "ptx::ne(%[1]s, %[2]s)"},
	".lt": {"%[1]s < %[2]s", "%[1]s < %[2]s"}, ".le": {"%[1]s <= %[2]s", "%[1]s <= %[2]s"},
	".gt": {"%[1]s > %[2]s", "%[1]s > %[2]s"}, ".ge": {"%[1]s >= %[2]s", "%[1]s >= %[2]s"},
	".equ": {"", "ptx::equ(%[1]s, %[2]s)"}, ".neu": {"", "%[1]s != %[2]s"},
	".ltu": {"", "!(%[1]s >= %[2]s)"}, ".leu": {"", "!(%[1]s > %[2]s)"},
	".gtu": {"", "!(%[1]s <= %[2]s)"}, ".geu": {"", "!(%[1]s < %[2]s)"},
	".num": {"", "!ptx::unordered(%[1]s, %[2]s)"}, ".nan": {"", "ptx::unordered(%[1]s, %[2]s)"},
}

func compare(c *code) string {
	form := ""
	if len(c.parts) == 1 {
		form = comparisons[c.parts[0]][0]
		if c.t.float() {
			form = comparisons[c.parts[0]][1]
		} else if c.t.kind == 'b' && c.parts[0] != ".eq" && c.parts[0] != ".ne" {
			form = ""
		}
	}
	if form == "" || c.t.kind == 'p' || c.t.bytes < 2 || len(c.operands) != 3 {
		c.fail("comparison %s.%s", strings.Join(c.parts, ""), c.t.name())
	}
	return c.put(c.operands[0], types[".pred"], fmt.Sprintf(form, c.in(1), c.in(2)))
}

func choose(c *code) string {
	c.plain(4, " "+untyped+" "+integers+" "+floats)
	return c.out("%s ? %s : %s", c.value(c.operands[3], types[".pred"]), c.in(1), c.in(2))
}

// move is mov, with its forms {low, high} for a number in parts.
func move(c *code) string {
	c.plain(2, " pred "+untyped+" "+integers+" "+floats)
	to, from := group(c.operands[0]), group(c.operands[1])
	if len(to) == 1 && len(from) == 1 {
		return c.out("%s", c.in(1))
	}
	part, ok := types[fmt.Sprintf(".b%d", 8*c.t.bytes/max(len(to), len(from)))]
	if !ok || min(len(to), len(from)) != 1 || c.t.kind != 'b' {
		c.fail("mov of %d parts to %d", len(from), len(to))
	}
	if len(from) == 1 {
		text := fmt.Sprintf("{ uint64_t v = %s;", c.in(1))
		for i, r := range to {
			text += " " + c.put(r, part, fmt.Sprintf("(%s)(v >> %d)", part.c, 8*part.bytes*i))
		}
		return text + " }"
	}
	var joined []string
	for i, r := range from {
		joined = append(joined, fmt.Sprintf("(uint64_t)%s << %d", c.value(r, part), 8*part.bytes*i))
	}
	return c.out("(%s)(%s)", c.t.c, strings.Join(joined, " | "))
}

// roundings are those of cvt, of floats and to whole numbers.
var roundings = map[string]string{
	".rn": "ptx::RN", ".rz": "ptx::RZ", ".rm": "ptx::RM", ".rp": "ptx::RP",
	".rni": "ptx::RN", ".rzi": "ptx::RZ", ".rmi": "ptx::RM", ".rpi": "ptx::RP",
}

// convert is cvt, whose parts are a rounding, which is there only where the result may not hold the
// number, and the type to.
func convert(c *code) string {
	n := len(c.parts)
	if n == 0 || n > 2 || len(c.operands) != 2 || c.t.kind == 'p' {
		c.fail("a conversion of %d parts and %d operands", n, len(c.operands))
	}
	rounding := ""
	if n == 2 {
		rounding = c.parts[0]
	}
	if c.parts[n-1] == ".tf32" && rounding == ".rna" && c.t == types[".f32"] {
		return c.put(c.operands[0], c.t, "emu::to_tf32("+c.in(1)+")")
	}
	to, ok := types[c.parts[n-1]]
	from := c.read(c.operands[1], c.t, true)
	mode, known := roundings[rounding]
	whole := strings.HasSuffix(rounding, "i")
	text := ""
	switch {
	case !ok || to.kind == 'p' || to.kind == 'b' || rounding != "" && !known:
	case !to.float() && !c.t.float() && rounding == "":
		text = fmt.Sprintf("(%s)%s", to.c, from)
	case !to.float() && c.t.float() && whole:
		text = fmt.Sprintf("ptx::whole<%s>(%s, %s)", to.c, from, mode)
	case to.float() && to == c.t && whole:
		text = fmt.Sprintf("ptx::integral(%s, %s)", from, mode)
	case to.float() && c.t.float() && to.bytes > c.t.bytes && rounding == "":
		text = fmt.Sprintf("(%s)%s", to.c, from)
	case to.float() && (!c.t.float() || to.bytes < c.t.bytes) && rounding == ".rn":
		text = fmt.Sprintf("(%s)%s", to.c, from) // what narrow does, by an instruction
	case to.float() && (!c.t.float() || to.bytes < c.t.bytes) && rounding != "" && !whole:
		text = fmt.Sprintf("ptx::narrow<%s>(%s, %s)", to.c, from, mode)
	}
	if text == "" {
		c.fail("conversion cvt%s.%s", strings.Join(c.parts, ""), c.t.name())
	}
	return c.extend(c.operands[0], to, text)
}

// generic is cvta: an address is the same in every space of the double.
func generic(c *code) string {
	c.plain(2, ".to.global u64", ".to.shared u64", ".to.local u64", ".global u64", ".shared u64", ".local u64")
	return c.out("%s", c.in(1))
}
