package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// emitter writes one kernel.
type emitter struct {
	*module
	registers map[string]typ
	variables map[string]variable // variables of the function: parameters, local memory
	labels    map[string]bool
	used      map[string]bool // variables of the module that the kernel names
	depot     string          // name of the kernel's local memory in C++, or ""
	at        int             // the line that is being translated
}

// unknown is the panic from which emit recovers.
type unknown struct{ error }

// fail reports the unknown part of this line.
func (e *emitter) fail(format string, a ...any) {
	panic(unknown{e.mistake(e.at, "not known: "+format, a...)})
}

// write returns the module as C++: its variables and some of its kernels, each with its entry in the double's register.
func (m *module) write(kernels []*function) (string, error) {
	var text strings.Builder
	text.WriteString(m.head())
	for _, f := range kernels {
		body, err := m.emit(f)
		if err != nil {
			return "", err
		}
		text.WriteString(body + m.register(f))
	}
	text.WriteString("} // namespace\n")
	return text.String(), nil
}

// head returns the text before all kernels.
func (m *module) head() string {
	text := fmt.Sprintf("// made by ptx2cc of %s: do not edit\n#include \"cuda/double/ptx.h\"\n\nnamespace {\n", m.file)
	for _, g := range m.globals {
		if g.space == "global" {
			text += fmt.Sprintf("alignas(4096) char %s[%d];\n"+
				"const bool known_%[1]s = (emu::know_tensor(%[1]s, %[3]d), true);\n",
				cname(g.name), (g.bytes+4095)/4096*4096, g.bytes)
		} else if g.bytes > 0 {
			text += fmt.Sprintf("emu::Shared %s_shared{\"%s\", 0, nullptr, 0};\n", cname(g.name), shortName(g.name))
		}
	}
	return text
}

// shortName returns the last part of a mangled name, which is the name in the source: "tile_a" of
// "_ZZ9tile_sums…E6tile_a".
func shortName(name string) string {
	last := regexp.MustCompile(`^.*E\d+(\D\w*)$`).FindStringSubmatch(name)
	if last == nil {
		return name
	}
	return last[1]
}

// register returns the kernel's entry in the double's register.
func (m *module) register(f *function) string {
	var sizes []string
	for _, p := range f.params {
		sizes = append(sizes, strconv.Itoa(p.bytes))
	}
	return fmt.Sprintf("void call_%s(void *const *params) { %[1]s((char *const *)params); }\n"+
		"emu::Register register_%[1]s(\"%[2]s\", %d, %d, {%s}, call_%[1]s, %[6]d);\n",
		cname(f.symbol), f.name, m.target, f.threads, strings.Join(sizes, ", "), f.mutant)
}

// emit returns a kernel as C++.
func (m *module) emit(f *function) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(unknown)
			if !ok {
				panic(r)
			}
			err = u.error
		}
	}()
	e := &emitter{module: m, registers: map[string]typ{}, variables: map[string]variable{}, labels: map[string]bool{},
		used: map[string]bool{}}
	prologue := ""
	for i, p := range f.params {
		e.variables[p.name] = p
		prologue += fmt.Sprintf("  char *const %s = params[%d];\n", cname(p.name), i)
	}
	for _, s := range f.body {
		if s.kind == label {
			e.labels[s.op] = true
		}
	}
	var body strings.Builder
	for _, s := range f.body {
		e.at = s.line
		switch s.kind {
		case open:
			body.WriteString("  {\n")
		case close:
			body.WriteString("  }\n")
		case label:
			fmt.Fprintf(&body, "%s:;\n", cname(s.op))
		case directive:
			outside, here := e.declare(s.operands[0])
			prologue += outside
			body.WriteString(here)
		default:
			text := e.instruction(s)
			if s.guard != "" {
				not := ""
				if s.negated {
					not = "!"
				}
				text = fmt.Sprintf("if (%s%s) { %s }", not, e.value(s.guard, types[".pred"]), text)
			}
			fmt.Fprintf(&body, "  %s\n", text)
		}
	}
	for _, g := range m.globals {
		switch {
		case !e.used[g.name] || g.space == "global":
		case g.bytes == 0:
			prologue += fmt.Sprintf("  char *const %s = (char *)emu::dynamic_shared;\n", cname(g.name))
		default:
			prologue += fmt.Sprintf("  char *const %s = (char *)emu::shared_array(%[1]s_shared, %d);\n", cname(g.name),
				g.bytes)
		}
	}
	return fmt.Sprintf("\nvoid %s(char *const *params) {\n%s%s}\n", cname(f.symbol), prologue, body.String()), nil
}

var (
	rangePattern    = regexp.MustCompile(`^\.reg (\.\w+) %(\w+)<(\d+)>$`)
	registerPattern = regexp.MustCompile(`^\.reg (\.\w+) (%?\w+)$`)
)

// declare returns a directive as C++. outside is for the top of the function, over which a goto may jump. here is for
// the place of the directive.
func (e *emitter) declare(text string) (outside, here string) {
	if r := rangePattern.FindStringSubmatch(text); r != nil {
		t, ok := types[r[1]]
		n, _ := strconv.Atoi(r[3])
		names := make([]string, n)
		for i := range names {
			names[i] = r[2] + strconv.Itoa(i)
			e.registers["%"+names[i]] = t
		}
		if ok && n > 0 {
			return fmt.Sprintf("  %s %s;\n", t.c, strings.Join(names, ", ")), ""
		}
	} else if r := registerPattern.FindStringSubmatch(text); r != nil {
		if t, ok := types[r[1]]; ok {
			e.registers[r[2]] = t
			return "", fmt.Sprintf("  %s %s;\n", t.c, cname(r[2]))
		}
	} else if strings.HasPrefix(text, ".pragma ") {
		return "", ""
	} else if strings.HasPrefix(text, ".local ") {
		v, err := (&reader{module: e.module}).variable(e.at, text)
		if err != nil {
			panic(unknown{err})
		}
		e.variables[v.name], e.depot = v, cname(v.name)
		return fmt.Sprintf("  alignas(%d) char %s[%d];\n", max(v.align, 8), e.depot, v.bytes), ""
	}
	e.fail("%s", text)
	return "", ""
}
