package main

import (
	"fmt"
	"slices"
	"strings"
)

// code is an instruction to translate: its operands, and its type, the last part of its name.
type code struct {
	*emitter
	name     string   // "cvt"
	parts    []string // between name and type: ".rn", ".f32"
	t        typ
	operands []string
}

// opcodes are the known instructions. Each function writes C++, or fails.
var opcodes = map[string]func(c *code) string{
	"add": by(formula(3, "(%[1]s)(%[2]s + %[3]s)", " "+integers+" "+floats, ".rn "+floats)),
	"sub": by(formula(3, "(%[1]s)(%[2]s - %[3]s)", " "+integers+" "+floats, ".rn "+floats)),
	"fma": by(formula(4, "std::fma(%[2]s, %[3]s, %[4]s)", ".rn "+floats)),
	"rem": by(formula(3, "ptx::rem<%[1]s>(%[2]s, %[3]s)", " "+integers)),
	"min": by(formula(3, "ptx::min<%[1]s>(%[2]s, %[3]s)", " "+integers+" "+floats)),
	"max": by(formula(3, "ptx::max<%[1]s>(%[2]s, %[3]s)", " "+integers+" "+floats)),
	"neg": by(formula(2, "-%[2]s", " s16 s32 s64 "+floats)), "abs": by(formula(2, "std::fabs(%[2]s)", " "+floats)),
	"sqrt":  by(formula(2, "std::sqrt(%[2]s)", ".rn "+floats)),
	"rsqrt": by(formula(2, "ptx::rough(1 / std::sqrt(ptx::rough(%[2]s)))", ".approx.ftz f64")),
	"and":   by(formula(3, "(%[1]s)(%[2]s & %[3]s)", " pred "+untyped)),
	"or":    by(formula(3, "(%[1]s)(%[2]s | %[3]s)", " pred "+untyped)),
	"xor":   by(formula(3, "(%[1]s)(%[2]s ^ %[3]s)", " pred "+untyped)),
	// An address is the same in every space of the double.
	"cvta": by(formula(2, "%[2]s", ".to.global u64", ".to.shared u64", ".to.local u64", ".global u64", ".shared u64",
		".local u64")),
	"mad": by(formula(4, "(%[1]s)("+low+" + %[4]s)", ".lo "+integers)),
	"div": by(formula(3, "ptx::div<%[1]s>(%[2]s, %[3]s)", " "+integers), formula(3, "%[2]s / %[3]s", ".rn "+floats)),
	"rcp": by(formula(2, "1 / %[2]s", ".rn "+floats),
		formula(2, "ptx::rough(1 / ptx::rough(%[2]s))", ".approx.ftz f64")),
	"not": by(formula(2, "!%[2]s", " pred"), formula(2, "(%[1]s)~%[2]s", " "+untyped)),
	"bfe": by(formula(4, "ptx::bfe<%[1]s>(%[2]s, %[3]s, %[4]s)", " u32")),
	"mul": product, "shl": shift, "shr": shift, "setp": compare, "selp": choose, "mov": move, "cvt": convert,
	"ld": load, "st": store, "bar": barrier, "shfl": shuffle, "mma": matrices, "bra": branch, "ret": leave,
}

// instruction returns a statement as C++.
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

// plain fails unless the instruction has n operands and one of these forms: the text before its type, and the types.
func (c *code) plain(n int, forms ...string) {
	if !c.is(n, forms) {
		c.fail("instruction %s%s.%s of %d operands", c.name, strings.Join(c.parts, ""), c.t.name(), len(c.operands))
	}
}

// is reports whether plain does not fail.
func (c *code) is(n int, forms []string) bool {
	return len(c.operands) == n && slices.ContainsFunc(forms, func(form string) bool {
		before, kinds, _ := strings.Cut(form, " ")
		return before == strings.Join(c.parts, "") && slices.Contains(strings.Fields(kinds), c.t.name())
	})
}

// name returns the type's name in PTX, such as "u32", or "" if it has no name.
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

// in returns source operand i, from 1, as the instruction's type.
func (c *code) in(i int) string { return c.value(c.operands[i], c.t) }

// out assigns the result.
func (c *code) out(format string, a ...any) string {
	return c.put(c.operands[0], c.t, fmt.Sprintf(format, a...))
}

// rule is an instruction of some operands, with forms as in plain. format is the C++ for its type, %[1]s, and its
// sources, from %[2]s on.
type rule struct {
	operands int
	format   string
	forms    []string
}

func formula(operands int, format string, forms ...string) rule { return rule{operands, format, forms} }

// by translates an instruction by the first rule that fits it.
func by(rules ...rule) func(*code) string {
	return func(c *code) string {
		i := slices.IndexFunc(rules, func(r rule) bool { return c.is(r.operands, r.forms) })
		if i < 0 {
			c.plain(0)
		}
		parts := []any{c.t.c}
		for source := 1; source < rules[i].operands; source++ {
			parts = append(parts, c.in(source))
		}
		return c.out(rules[i].format, parts...)
	}
}

// low is the low half of a product. C++ would promote short factors to int, whose product may overflow.
const low = "(%[1]s)((uint64_t)%[2]s * (uint64_t)%[3]s)"

var sameWidth = by(formula(3, low, ".lo "+integers), formula(3, "%[2]s * %[3]s", " "+floats, ".rn "+floats),
	formula(3, "ptx::mul_hi<%[1]s>(%[2]s, %[3]s)", ".hi u16 u32"))

func product(c *code) string {
	if strings.Join(c.parts, "") != ".wide" {
		return sameWidth(c)
	}
	c.plain(3, ".wide u16 s16 u32 s32")
	w := c.t.wide()
	return c.put(c.operands[0], w, fmt.Sprintf("(%s)%s * (%s)%s", w.c, c.in(1), w.c, c.in(2)))
}

func shift(c *code) string {
	if c.name == "shl" {
		c.plain(3, " "+untyped)
	} else {
		c.plain(3, " "+untyped+" "+integers)
	}
	return c.out("ptx::%s<%s>(%s, %s)", c.name, c.t.c, c.in(1), c.value(c.operands[2], types[".u32"]))
}

// comparisons are the comparisons of setp as C++. Those with u are true if an operand is NaN.
var comparisons = map[string]string{
	".eq": "%s == %s", ".ne": "ptx::ne(%s, %s)",
	".lt": "%s < %s", ".le": "%s <= %s", ".gt": "%s > %s", ".ge": "%s >= %s",
	".neu": "%s != %s", ".ltu": "!(%s >= %s)", ".leu": "!(%s > %s)", ".gtu": "!(%s <= %s)", ".geu": "!(%s < %s)",
}

func compare(c *code) string {
	sign := strings.Join(c.parts, "")
	form, ok := comparisons[sign]
	unordered := strings.HasSuffix(sign, "u")
	equality := sign == ".eq" || sign == ".ne"
	if !ok || len(c.operands) != 3 || c.t.kind == 'p' || c.t.bytes < 2 || unordered && !c.t.float() ||
		c.t.kind == 'b' && !equality {
		c.fail("comparison %s.%s", sign, c.t.name())
	}
	return c.put(c.operands[0], types[".pred"], fmt.Sprintf(form, c.in(1), c.in(2)))
}

func choose(c *code) string {
	c.plain(4, " "+untyped+" "+integers+" "+floats)
	return c.out("%s ? %s : %s", c.value(c.operands[3], types[".pred"]), c.in(1), c.in(2))
}

// move translates mov, with its forms {low, high} for a number in parts.
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

// convert translates cvt, to whole numbers of integers alone. Its parts are a rounding, where the result may not hold
// the number, and the type of the result.
func convert(c *code) string {
	if len(c.operands) != 2 || c.t.kind == 'p' || len(c.parts) == 0 {
		c.fail("conversion cvt%s.%s of %d operands", strings.Join(c.parts, ""), c.t.name(), len(c.operands))
	}
	n := len(c.parts)
	rounding := strings.Join(c.parts[:n-1], "")
	if c.parts[n-1] == ".tf32" && rounding == ".rna" && c.t == types[".f32"] {
		return c.put(c.operands[0], c.t, "emu::to_tf32("+c.in(1)+")")
	}
	to := types[c.parts[n-1]]
	exact := to.integer() && c.t.integer() || to.float() && c.t.float() && to.bytes > c.t.bytes
	rounded := to.float() && (c.t.integer() || to.bytes < c.t.bytes)
	if to.kind == 'b' || !(exact && rounding == "" || rounded && rounding == ".rn") {
		c.fail("conversion cvt%s.%s", strings.Join(c.parts, ""), c.t.name())
	}
	return c.extend(c.operands[0], to, fmt.Sprintf("(%s)%s", to.c, c.read(c.operands[1], c.t, true)))
}
