package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// module is a PTX file.
type module struct {
	file      string
	target    int // target of the PTX: 70 for ".target sm_70"
	globals   []variable
	functions []*function
}

// variable is memory with a name: of the module, a parameter, or local.
type variable struct {
	space        string // "global", "shared", "param" or "local"
	name         string
	bytes, align int // size and alignment; bytes is 0 if the launch sets the size
}

// function is a kernel.
type function struct {
	line    int
	name    string
	symbol  string // name of the function in C++
	mutant  int    // line of a mutant's fault, or 0
	params  []variable
	threads int // largest number of threads by .maxntid; 1024 without it
	body    []statement
}

// statement is a statement of a function's body.
type statement struct {
	line     int
	kind     kind
	guard    string // "%p1" of "@%p1 bra", or ""
	negated  bool   // the guard is negated: "@!%p1"
	op       string // "add.s32", a label, or a directive: ".reg"
	operands []string
}

type kind uint8

const (
	instruction kind = iota
	label
	directive
	open  // {
	close // }
)

// mistake makes an error with its place.
func (m *module) mistake(line int, format string, a ...any) error {
	return fmt.Errorf("%s:%d: %s", m.file, line, fmt.Sprintf(format, a...))
}

// reader goes through a text whose comments are blank.
type reader struct {
	*module
	text string
	at   int

	counted, lines int // place up to which lines were counted, and their number
}

var comment = regexp.MustCompile(`//[^\n]*`)

// line returns the number of the line that is read.
func (r *reader) line() int {
	r.lines += strings.Count(r.text[r.counted:r.at], "\n")
	r.counted = r.at
	return 1 + r.lines
}

// skip goes to the next character that is no space, and reports whether there is one.
func (r *reader) skip() bool {
	for r.at < len(r.text) && strings.ContainsRune(" \t\r\n", rune(r.text[r.at])) {
		r.at++
	}
	return r.at < len(r.text)
}

// take reads a match of a pattern here: its groups, or nil.
func (r *reader) take(pattern *regexp.Regexp) []string {
	found := pattern.FindStringSubmatchIndex(r.text[r.at:])
	if found == nil || found[0] != 0 {
		return nil
	}
	groups := make([]string, len(found)/2)
	for i := range groups {
		if found[2*i] >= 0 {
			groups[i] = r.text[r.at+found[2*i] : r.at+found[2*i+1]]
		}
	}
	r.at += found[1]
	return groups
}

var (
	headPattern   = regexp.MustCompile(`^\.(version|target|address_size)\s+(\S+)`)
	globalPattern = regexp.MustCompile(`^(?:\.(?:visible|weak|extern)\s+)?\.(global|shared)\s+\.align\s+(\d+)` +
		`\s+\.b8\s+([\w$]+)\[(\d*)\]\s*;`)
	functionPattern = regexp.MustCompile(`^(?:\.(?:visible|weak)\s+)?\.entry\s+([\w$]+)\s*\(([^)]*)\)\s*`)
	boundPattern    = regexp.MustCompile(`^\.(maxntid|minnctapersm)\s+(\d+)((?:\s*,\s*1)*)\s*`)
	paramPattern    = regexp.MustCompile(`^\.(param|local)\s+(?:\.align\s+(\d+)\s+)?\.([bsuf]\d+)` +
		`\s+([\w$]+)(?:\[(\d+)\])?$`)
	restPattern = regexp.MustCompile(`^[^\n]*`)
)

// parse reads a module.
func parse(file, text string) (*module, error) {
	m := &module{file: file}
	r := &reader{module: m, text: comment.ReplaceAllString(text, "")}
	for r.skip() {
		line := r.line()
		if head := r.take(headPattern); head != nil {
			if head[1] == "target" {
				m.target, _ = strconv.Atoi(strings.TrimPrefix(head[2], "sm_"))
			} else if head[1] == "address_size" && head[2] != "64" {
				return nil, m.mistake(line, "addresses of %s bits; 64 are known", head[2])
			}
		} else if r.global() {
			continue
		} else if f := r.take(functionPattern); f != nil {
			fn, err := r.function(line, f)
			if err != nil {
				return nil, err
			}
			m.functions = append(m.functions, fn)
		} else {
			return nil, m.mistake(line, "not known: %s", r.take(restPattern)[0])
		}
	}
	if m.target == 0 {
		return nil, m.mistake(1, "no .target sm_NN")
	}
	return m, nil
}

// global reads a global or shared array here, if there is one. A kernel may declare shared arrays of its own.
func (r *reader) global() bool {
	g := r.take(globalPattern)
	if g == nil {
		return false
	}
	v := variable{space: g[1], name: g[3]}
	v.align, _ = strconv.Atoi(g[2])
	v.bytes, _ = strconv.Atoi(g[4])
	r.globals = append(r.globals, v)
	return true
}

// function reads the body of a kernel, which follows its head, with its name and its parameters.
func (r *reader) function(line int, head []string) (*function, error) {
	f := &function{line: line, name: head[1], symbol: head[1], threads: 1024}
	for _, text := range split(head[2]) {
		v, err := r.variable(line, text)
		if err != nil {
			return nil, err
		}
		f.params = append(f.params, v)
	}
	for bound := r.take(boundPattern); bound != nil; bound = r.take(boundPattern) {
		if bound[1] == "maxntid" {
			f.threads, _ = strconv.Atoi(bound[2])
		}
	}
	if !r.skip() {
		return nil, r.mistake(line, "%s has no end", f.name)
	}
	if r.text[r.at] != '{' {
		return nil, r.mistake(r.line(), "not known: %s", r.take(restPattern)[0])
	}
	r.at++
	return f, r.body(f)
}

// variable reads a parameter or local memory: ".param .align 4 .b8 x[20]".
func (r *reader) variable(line int, text string) (variable, error) {
	p := paramPattern.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
	if p == nil {
		return variable{}, r.mistake(line, "not a variable: %s", text)
	}
	v := variable{space: p[1], name: p[4], bytes: types["."+p[3]].bytes}
	if v.bytes == 0 {
		return v, r.mistake(line, "a variable of unknown type: %s", text)
	}
	v.align = v.bytes
	if p[2] != "" {
		v.align, _ = strconv.Atoi(p[2])
	}
	if p[5] != "" {
		n, _ := strconv.Atoi(p[5])
		v.bytes *= n
	}
	return v, nil
}

var (
	labelPattern     = regexp.MustCompile(`^([$\w]+):`)
	statementPattern = regexp.MustCompile(`^(?:@(!?)(%\w+)\s+)?([.\w]+)\s*((?:[^;{}]|\{[^;{}]*\})*);`)
)

// body reads statements up to the brace that ends the function.
func (r *reader) body(f *function) error {
	for depth := 1; r.skip(); {
		if r.global() {
			continue
		}
		s := statement{line: r.line()}
		switch found := []string(nil); {
		case r.text[r.at] == '{':
			r.at++
			depth++
			s.kind = open
		case r.text[r.at] == '}':
			r.at++
			if depth--; depth == 0 {
				return nil
			}
			s.kind = close
		default:
			if found = r.take(labelPattern); found != nil {
				s.kind, s.op = label, found[1]
				break
			}
			if found = r.take(statementPattern); found == nil {
				return r.mistake(s.line, "not known: %s", r.take(restPattern)[0])
			}
			s.negated, s.guard, s.op, s.operands = found[1] == "!", found[2], found[3], split(found[4])
			if strings.HasPrefix(s.op, ".") {
				s.kind = directive
				s.operands = []string{strings.Join(strings.Fields(s.op+" "+found[4]), " ")}
			}
		}
		f.body = append(f.body, s)
	}
	return r.mistake(f.line, "%s has no end", f.name)
}

var operandPattern = regexp.MustCompile(`(?:[^,{}\[\]]|\{[^{}]*\}|\[[^\[\]]*\])+`)

// split returns the operands of an instruction, between commas outside any brackets.
func split(text string) (all []string) {
	for _, operand := range operandPattern.FindAllString(text, -1) {
		if operand = strings.TrimSpace(operand); operand != "" {
			all = append(all, operand)
		}
	}
	return all
}

// group returns the parts of "{%r1, %r2}"; anything else is one part.
func group(operand string) []string {
	if n := len(operand); n >= 2 && operand[0] == '{' {
		return split(operand[1 : n-1])
	}
	return []string{operand}
}
