package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mutant is a kernel with a fault, by its line in the list:
//
//	image | kernel | tests | pattern | replacement | which
//
// The pattern is a regular expression for an instruction, written "add.s32 %r1, %r2, %r3", with its
// guard before it; which is the number of the match that is replaced, from the end if it is
// negative; "1+2" are two. An empty replacement drops the instruction. tests are those of
// device/gpu that must find it, or - for all that launch the kernel. The kernel "elementwise" is
// each with a bound on its threads, which is then what the pattern is for.
type mutant struct {
	line                                int
	image                               int
	kernel, tests, pattern, replacement string
	which                               []int
}

// readMutants reads a list; # starts a comment.
func readMutants(path string) ([]mutant, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []mutant
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		if text := strings.TrimSpace(lines.Text()); text == "" || text[0] == '#' {
			continue
		}
		f := strings.Split(lines.Text(), "|")
		if len(f) != 6 {
			return nil, fmt.Errorf("%s:%d: %d fields between bars; a mutant has 6", path, n, len(f))
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		m := mutant{line: n, kernel: f[1], tests: f[2], pattern: f[3], replacement: f[4]}
		if m.image, err = strconv.Atoi(f[0]); err != nil {
			return nil, fmt.Errorf("%s:%d: the image %s is not a number, as 70", path, n, f[0])
		}
		for _, text := range strings.Split(f[5], "+") {
			which, err := strconv.Atoi(text)
			if err != nil || which == 0 {
				return nil, fmt.Errorf("%s:%d: which match is %s: expected 1, or -1 for the last", path, n, f[5])
			}
			m.which = append(m.which, which)
		}
		all = append(all, m)
	}
	return all, lines.Err()
}

// text is an instruction as the patterns of mutants see it.
func (s statement) text() string {
	text := s.op
	if len(s.operands) > 0 {
		text += " " + strings.Join(s.operands, ", ")
	}
	if s.guard == "" {
		return text
	}
	if s.negated {
		return "@!" + s.guard + " " + text
	}
	return "@" + s.guard + " " + text
}

// bound is the place in a function of the comparison of a thread's number in the grid with how many
// there are, or −1.
func (f *function) bound() int {
	special, number := map[string]string{}, ""
	for i, s := range f.body {
		switch {
		case s.op == "mov.u32" && strings.HasPrefix(s.operands[1], "%"):
			special[s.operands[0]] = s.operands[1]
		case s.op == "mad.lo.s32" && special[s.operands[1]] == "%ctaid.x" && special[s.operands[2]] == "%ntid.x" && special[s.operands[3]] == "%tid.x":
			number = s.operands[0]
		case s.op == "setp.ge.s32" && s.operands[1] == number:
			return i
		}
	}
	return -1
}

// places are where the function is changed: none if it has too few matches.
func (u mutant) places(f *function, pattern *regexp.Regexp) (at []int) {
	if u.kernel == "elementwise" {
		if i := f.bound(); i >= 0 && pattern.MatchString(f.body[i].text()) {
			return []int{i}
		}
		return nil
	}
	var all []int
	for i, s := range f.body {
		if s.kind == instruction && pattern.MatchString(s.text()) {
			all = append(all, i)
		}
	}
	for _, which := range u.which {
		if max(which, -which) > len(all) {
			return nil
		}
		if which < 0 {
			which += len(all) + 1
		}
		at = append(at, all[which-1])
	}
	return at
}

// applied is the function with the fault, and what was changed; nil if the pattern is not there.
func (u mutant) applied(f *function) (*function, string, error) {
	pattern, err := regexp.Compile(u.pattern)
	if err != nil {
		return nil, "", err
	}
	wrong := *f
	wrong.body = slices.Clone(f.body)
	var changes []string
	for _, at := range u.places(f, pattern) {
		old := f.body[at]
		if u.replacement == "" {
			wrong.body[at] = statement{line: old.line, kind: directive, operands: []string{".pragma \"dropped\""}}
			changes = append(changes, fmt.Sprintf("%d: without %s", old.line, old.text()))
			continue
		}
		text := pattern.ReplaceAllString(old.text(), u.replacement)
		found := statementPattern.FindStringSubmatch(text + ";")
		if found == nil || text == old.text() {
			return nil, "", fmt.Errorf("%q is changed to %q", old.text(), text)
		}
		wrong.body[at] = statement{line: old.line, negated: found[1] == "!", guard: found[2], op: found[3], operands: split(found[4])}
		changes = append(changes, fmt.Sprintf("%d: %s for %s", old.line, text, old.text()))
	}
	if changes == nil {
		return nil, "", nil
	}
	return &wrong, strings.Join(changes, "; "), nil
}

// callers are the kernels that call a function.
func (m *module) callers(name string) (all []*function) {
	for _, f := range m.functions {
		if f.entry && slices.ContainsFunc(f.body, func(s statement) bool { return s.calls(name) }) {
			all = append(all, f)
		}
	}
	return all
}

func (s statement) calls(name string) bool {
	return s.kind == instruction && s.op == "call.uni" && slices.Contains(s.operands, name)
}

// mutated is the kernel with this fault in it as C++, or each kernel that calls the function with
// the fault, from a number on.
func (m *module) mutated(wrong *function, number int) (kernels []*function, text string, err error) {
	kernels = []*function{wrong}
	if !wrong.entry {
		renamed, name := *wrong, fmt.Sprintf("function_of_mutant_%d", number)
		renamed.name = name
		with := *m
		with.functions = append(slices.Clone(m.functions), &renamed)
		if text, err = with.emit(&renamed, name); err != nil {
			return nil, "", err
		}
		kernels = m.callers(wrong.name)
		for i, k := range kernels {
			copied := *k
			copied.body = slices.Clone(k.body)
			for j, s := range copied.body {
				if s.calls(wrong.name) {
					s.operands = slices.Clone(s.operands)
					s.operands[slices.Index(s.operands, wrong.name)] = name
					copied.body[j] = s
				}
			}
			kernels[i] = &copied
		}
		m = &with
	}
	for i, k := range kernels {
		symbol := fmt.Sprintf("mutant_%d", number+i)
		body, err := m.emit(k, symbol)
		if err != nil {
			return nil, "", err
		}
		text += body + m.register(k, symbol, number+i)
	}
	return kernels, text, nil
}

// writeMutants writes the mutants of this image, and names them: number, image, kernel, tests and
// change, with tabs between. The tests of what the translator itself refuses are "ptx2cc".
func (m *module) writeMutants(out, names io.Writer, list []mutant) error {
	var text strings.Builder
	text.WriteString(m.head())
	for _, f := range m.functions {
		if !f.entry {
			body, err := m.emit(f, f.name)
			if err != nil {
				return err
			}
			text.WriteString(body)
		}
	}
	number := m.target*1000 + 1
	for _, u := range list {
		if u.image != m.target {
			continue
		}
		made := 0
		for _, f := range m.functions {
			if u.kernel != "elementwise" && u.kernel != f.name {
				continue
			}
			wrong, change, err := u.applied(f)
			if err != nil {
				return fmt.Errorf("mutant of line %d: %w", u.line, err)
			}
			if wrong == nil {
				continue
			}
			kernels, body, err := m.mutated(wrong, number)
			tests := u.tests
			if errors.As(err, new(senseless)) {
				kernels, body, tests = []*function{f}, "", "ptx2cc"
			} else if err != nil {
				return fmt.Errorf("mutant of line %d: %w", u.line, err)
			}
			text.WriteString(body)
			for _, k := range kernels {
				if _, err := fmt.Fprintf(names, "%d\t%d\t%s\t%s\t%s\n", number, u.image, k.name, tests, change); err != nil {
					return err
				}
				made++
				number++
			}
		}
		if made == 0 {
			return fmt.Errorf("mutant of line %d: kernel %s of %s has no match number %v of %s", u.line, u.kernel, m.file, u.which, u.pattern)
		}
	}
	text.WriteString("} // namespace\n")
	_, err := io.WriteString(out, text.String())
	return err
}
