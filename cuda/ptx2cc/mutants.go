package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mutant is a deliberate fault of a kernel, by its line in the list:
//
//	image | kernel | test | pattern | replacement | which
//
// The pattern is a regular expression of an instruction, such as "@%p1 add.s32 %r1, %r2, %r3". Which is the number of
// the match that is replaced; from the end if negative. An empty replacement drops the instruction. The test, one of
// device/conformance, must find the fault.
type mutant struct {
	line, image, which   int
	kernel, pattern, new string
}

// readMutants reads a list; # starts a comment.
func readMutants(path string) (all []mutant, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != 6 {
			return nil, fmt.Errorf("%s:%d: %d fields between bars; a mutant has 6", path, i+1, len(f))
		}
		for k := range f {
			f[k] = strings.TrimSpace(f[k])
		}
		m := mutant{line: i + 1, kernel: f[1], pattern: f[3], new: f[4]}
		if m.image, err = strconv.Atoi(f[0]); err != nil {
			return nil, fmt.Errorf("%s:%d: the image %s is not a number, such as 70", path, i+1, f[0])
		}
		if m.which, err = strconv.Atoi(f[5]); err != nil || m.which == 0 {
			return nil, fmt.Errorf("%s:%d: which match is %s: expected 1, or -1 for the last", path, i+1, f[5])
		}
		all = append(all, m)
	}
	return all, nil
}

// text returns an instruction as the patterns of mutants match it.
func (s statement) text() string {
	text := strings.TrimSpace(s.op + " " + strings.Join(s.operands, ", "))
	switch {
	case s.guard == "":
		return text
	case s.negated:
		return "@!" + s.guard + " " + text
	}
	return "@" + s.guard + " " + text
}

// applied returns a copy of the kernel with the fault.
func (u mutant) applied(f *function) (*function, error) {
	pattern, err := regexp.Compile(u.pattern)
	if err != nil {
		return nil, err
	}
	var matches []int
	for i, s := range f.body {
		if s.kind == instruction && pattern.MatchString(s.text()) {
			matches = append(matches, i)
		}
	}
	if max(u.which, -u.which) > len(matches) {
		return nil, fmt.Errorf("kernel %s has no match number %d of %s", u.kernel, u.which, u.pattern)
	}
	at := u.which - 1
	if u.which < 0 {
		at = len(matches) + u.which
	}
	wrong := *f
	wrong.body = slices.Clone(f.body)
	s := &wrong.body[matches[at]]
	if u.new == "" {
		*s = statement{line: s.line, kind: directive, operands: []string{".pragma \"dropped\""}}
		return &wrong, nil
	}
	text := pattern.ReplaceAllString(s.text(), u.new)
	found := statementPattern.FindStringSubmatch(text + ";")
	if found == nil || text == s.text() {
		return nil, fmt.Errorf("%q is changed to %q", s.text(), text)
	}
	*s = statement{line: s.line, negated: found[1] == "!", guard: found[2], op: found[3], operands: split(found[4])}
	return &wrong, nil
}

// mutated returns the kernels with the faults of a list, each with the number of its line.
func (m *module) mutated(list []mutant) (kernels []*function, err error) {
	for _, u := range list {
		if u.image != m.target {
			continue
		}
		at := slices.IndexFunc(m.functions, func(f *function) bool { return f.name == u.kernel })
		if at < 0 {
			return nil, fmt.Errorf("mutant of line %d: there is no kernel %s in %s", u.line, u.kernel, m.file)
		}
		wrong, err := u.applied(m.functions[at])
		if err != nil {
			return nil, fmt.Errorf("mutant of line %d: %w", u.line, err)
		}
		wrong.symbol, wrong.mutant = fmt.Sprintf("mutant_%d", u.line), u.line
		kernels = append(kernels, wrong)
	}
	return kernels, nil
}
