package main

import (
	"fmt"
	"slices"
	"strings"
)

// transfer reads the parts of ld and st: the space, and the registers, as many as the type has elements.
func (c *code) transfer(data string) (space string, registers []string) {
	n := 1
	for _, part := range c.parts {
		switch part {
		case ".global", ".shared", ".local", ".param":
			space = part
		case ".v2", ".v4":
			n = int(part[2] - '0')
		default:
			c.fail("memory %s", part)
		}
	}
	registers = group(data)
	if c.t.kind == 0 || c.t.kind == 'p' || len(registers) != n {
		c.fail("%s%s of %d registers", c.name, strings.Join(c.parts, ""), len(registers))
	}
	return space, registers
}

// spaces are the address spaces of access.h.
var spaces = map[string]string{".global": "emu::GLOBAL", ".shared": "emu::SHARED_SPACE", "": "emu::GENERIC"}

// pointer returns the C++ of a checked address.
func (c *code) pointer(space, operand string, elements int) string {
	bytes := elements * c.t.bytes
	address := c.memory(operand, bytes)
	switch space {
	case ".param":
		return "(char *)(" + address + ")"
	case ".local":
		if c.depot == "" {
			c.fail("local memory of a function that has none")
		}
		return fmt.Sprintf("ptx::local<%d>(%s, %s, %d)", bytes, c.depot, address, c.at)
	}
	return fmt.Sprintf("ptx::at<%s, %v, %d>(%s, %d)", spaces[space], c.name == "st", bytes, address, c.at)
}

// needs fails unless there are n operands.
func (c *code) needs(n int) {
	if len(c.operands) != n {
		c.fail("%s of %d operands", c.name, len(c.operands))
	}
}

func load(c *code) string {
	c.needs(2)
	space, registers := c.transfer(c.operands[0])
	text := fmt.Sprintf("{ const char *from = %s;", c.pointer(space, c.operands[1], len(registers)))
	for i, r := range registers {
		text += " " + c.extend(r, c.t, fmt.Sprintf("ptx::get<%s>(from + %d)", c.t.c, i*c.t.bytes))
	}
	return text + " }"
}

func store(c *code) string {
	c.needs(2)
	space, registers := c.transfer(c.operands[1])
	text := fmt.Sprintf("{ char *to = %s;", c.pointer(space, c.operands[0], len(registers)))
	for i, r := range registers {
		text += fmt.Sprintf(" ptx::set<%s>(to + %d, %s);", c.t.c, i*c.t.bytes, c.read(r, c.t, true))
	}
	return text + " }"
}

func barrier(c *code) string {
	if strings.Join(c.parts, "") != ".sync" || !slices.Equal(c.operands, []string{"0"}) {
		c.fail("barrier %s %s", strings.Join(c.parts, ""), strings.Join(c.operands, ", "))
	}
	return fmt.Sprintf("emu::block_barrier(\"%s:%d\");", c.file, c.at)
}

func shuffle(c *code) string {
	c.needs(5)
	kind := map[string]string{".sync.up": "UP", ".sync.down": "DOWN", ".sync.bfly": "BFLY",
		".sync.idx": "IDX"}[strings.Join(c.parts, "")]
	if kind == "" || c.t != types[".b32"] || strings.Contains(c.operands[0], "|") {
		c.fail("shuffle %s.%s", strings.Join(c.parts, ""), c.t.name())
	}
	return c.out("ptx::shfl(ptx::%s, %s, %s, %s, %s)", kind, c.in(1), c.in(2), c.in(3), c.in(4))
}

// matrices translates mma: the fragments of D, A, B and C in registers, and the function of mma.h.
func matrices(c *code) string {
	form, f := strings.Join(c.parts, "")+"."+c.t.name(), types[".f64"]
	sizes := []int{2, 1, 1, 2}
	switch form {
	case ".sync.aligned.m8n8k4.row.col.f64.f64.f64.f64":
	case ".sync.aligned.m16n8k4.row.col.f64.f64.f64.f64":
		sizes = []int{4, 2, 1, 4}
	case ".sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32":
		f, sizes = types[".f32"], []int{4, 4, 2, 4}
	default:
		c.fail("instruction mma%s", form)
	}
	c.needs(4)
	fragments := make([][]string, 4)
	for i, operand := range c.operands {
		fragments[i] = group(operand)
		if len(fragments[i]) != sizes[i] {
			c.fail("a fragment of %d registers, not %d", len(fragments[i]), sizes[i])
		}
	}
	text, arguments := "{", []string{}
	for i, r := range fragments[3] {
		text += fmt.Sprintf(" %s d%d = %s;", f.c, i, c.value(r, f))
		arguments = append(arguments, fmt.Sprintf("d%d", i))
	}
	for _, r := range append(fragments[1], fragments[2]...) {
		arguments = append(arguments, c.value(r, f))
	}
	text += fmt.Sprintf(" emu::mma(%s);", strings.Join(arguments, ", "))
	for i, r := range fragments[0] {
		text += " " + c.put(r, f, fmt.Sprintf("d%d", i))
	}
	return text + " }"
}

func branch(c *code) string {
	c.needs(1)
	if form := strings.Join(c.parts, ""); form != "" && form != ".uni" || !c.labels[c.operands[0]] {
		c.fail("branch to %s", strings.Join(c.operands, ", "))
	}
	return "goto " + cname(c.operands[0]) + ";"
}

func leave(c *code) string {
	c.needs(0)
	if len(c.parts) > 0 {
		c.fail("return")
	}
	return "return;"
}
