package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// typ is a type of PTX: 'b', 'u', 's' or 'f' and its bytes; a predicate is 'p' and has one.
type typ struct {
	kind  byte
	bytes int
	c     string // name in C++
}

var types = map[string]typ{
	".b8": {'b', 1, "uint8_t"}, ".b16": {'b', 2, "uint16_t"}, ".b32": {'b', 4, "uint32_t"},
	".b64": {'b', 8, "uint64_t"},
	".u8":  {'u', 1, "uint8_t"}, ".u16": {'u', 2, "uint16_t"}, ".u32": {'u', 4, "uint32_t"},
	".u64": {'u', 8, "uint64_t"},
	".s8":  {'s', 1, "int8_t"}, ".s16": {'s', 2, "int16_t"}, ".s32": {'s', 4, "int32_t"}, ".s64": {'s', 8, "int64_t"},
	".f32": {'f', 4, "float"}, ".f64": {'f', 8, "double"}, ".pred": {'p', 1, "bool"},
}

func (t typ) float() bool   { return t.kind == 'f' }
func (t typ) integer() bool { return t.kind == 'b' || t.kind == 'u' || t.kind == 's' }

// wide returns the integer type of twice the bytes.
func (t typ) wide() typ { return types[fmt.Sprintf(".%c%d", t.kind, 16*t.bytes)] }

// special are the registers that say which thread this is, all .u32.
var special = map[string]string{
	"%tid.x": "emu::current->tid.x", "%ntid.x": "emu::block_size.x",
	"%ctaid.x": "emu::block_index.x", "%ctaid.y": "emu::block_index.y", "%ctaid.z": "emu::block_index.z",
	"%nctaid.x": "emu::grid_size.x", "%nctaid.y": "emu::grid_size.y", "%nctaid.z": "emu::grid_size.z",
}

// cname returns the name in C++ of a register, label, variable or function.
func cname(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(name, "%"), "$"), "$", "_")
}

// bits returns an expression of one type as another type of the same size. One of both is a float.
func bits(to, from typ, expression string) string {
	if to.float() == from.float() {
		return fmt.Sprintf("(%s)(%s)", to.c, expression)
	}
	return fmt.Sprintf("ptx::bits<%s>(%s)", to.c, expression)
}

var (
	integerPattern = regexp.MustCompile(`^-?\d+$`)
	floatPattern   = regexp.MustCompile(`^0(?:f([0-9A-Fa-f]{8})|d([0-9A-Fa-f]{16}))$`)
	memoryPattern  = regexp.MustCompile(`^\[\s*([%\w$]+)\s*(?:\+\s*(-?\d+))?\s*\]$`)
)

// value returns an operand, read as a type of the same size.
func (e *emitter) value(operand string, t typ) string { return e.read(operand, t, false) }

// read returns an operand, read as a type. If the register is wider than the type, its low bits are read, if that is
// allowed.
func (e *emitter) read(operand string, t typ, narrower bool) string {
	if text, ok := special[operand]; ok && t == types[".u32"] {
		return text
	}
	if r, ok := e.registers[operand]; ok {
		switch {
		case r == t:
			return cname(operand)
		case t.integer() && r.integer() && (r.bytes == t.bytes || narrower && r.bytes > t.bytes):
			return fmt.Sprintf("(%s)%s", t.c, cname(operand))
		case r.bytes == t.bytes && t.kind != 'p' && r.kind != 'p':
			return bits(t, r, cname(operand))
		}
		e.fail("%s, a register of %d bytes, as %s of %d", operand, r.bytes, t.c, t.bytes)
		return ""
	}
	if f := floatPattern.FindStringSubmatch(operand); f != nil && t.float() {
		if t.bytes == 4 && f[1] != "" {
			return "ptx::bits<float>(0x" + f[1] + "u)"
		}
		if t.bytes == 8 && f[2] != "" {
			return "ptx::bits<double>(0x" + f[2] + "ull)"
		}
	}
	if integerPattern.MatchString(operand) {
		return e.literal(operand, t)
	}
	if t.integer() && t.bytes == 8 {
		if a := e.address(operand); a != "" {
			return a
		}
	}
	e.fail("operand %s", operand)
	return ""
}

// literal returns a whole number as a type.
func (e *emitter) literal(text string, t typ) string {
	if t.float() {
		e.fail("the whole number %s as %s", text, t.c)
	}
	if t.kind == 'p' {
		return strconv.FormatBool(text != "0")
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		u, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			e.fail("the number %s", text)
		}
		v = int64(u)
	}
	return fmt.Sprintf("(%s)0x%xull", t.c, uint64(v))
}

// address returns the address of a variable, or "".
func (e *emitter) address(name string) string {
	if _, ok := e.variables[name]; ok {
		return "(uint64_t)" + cname(name)
	}
	for _, g := range e.globals {
		if g.name == name {
			e.used[name] = true
			return "(uint64_t)" + cname(name)
		}
	}
	return ""
}

// memory returns the place that "[%rd1+8]" or "[name+8]" points to. A variable has room for bytes there.
func (e *emitter) memory(operand string, bytes int) string {
	m := memoryPattern.FindStringSubmatch(operand)
	if m == nil {
		e.fail("address %s", operand)
	}
	offset := 0
	if m[2] != "" {
		offset, _ = strconv.Atoi(m[2])
	}
	base := ""
	if r, ok := e.registers[m[1]]; ok {
		base = cname(m[1])
		if !r.integer() || r.bytes != 8 {
			e.fail("address %s in a register of another size", operand)
		}
	} else if base = e.address(m[1]); base == "" {
		e.fail("address %s", operand)
	}
	if v, ok := e.variables[m[1]]; ok && (offset < 0 || offset+bytes > v.bytes) {
		e.fail("%d bytes at %s, which has %d", bytes, operand, v.bytes)
	}
	return fmt.Sprintf("%s + (int64_t)%d", base, offset)
}

// put assigns a result of a type to a register of its size.
func (e *emitter) put(register string, t typ, expression string) string {
	r, ok := e.registers[register]
	switch {
	case !ok:
		e.fail("%s is not a register", register)
	case r == t:
		return fmt.Sprintf("%s = %s;", cname(register), expression)
	case r.bytes == t.bytes && r.kind != 'p' && t.kind != 'p':
		return fmt.Sprintf("%s = %s;", cname(register), bits(r, t, expression))
	}
	e.fail("%s, a register of %d bytes, gets %s", register, r.bytes, t.c)
	return ""
}

// extend assigns a result to a register of its size or more; a signed one keeps its sign.
func (e *emitter) extend(register string, t typ, expression string) string {
	if r := e.registers[register]; r.integer() && t.integer() && r.bytes > t.bytes {
		return fmt.Sprintf("%s = (%s)(%s)(%s);", cname(register), r.c, t.c, expression)
	}
	return e.put(register, t, expression)
}
