package main

import (
	"fmt"
	"slices"
	"strings"
)

// section is a part of the list: the commands of one source and machine, or the commands that were not run yet.
type section struct {
	made  string
	dates []string
	lines []line
}

// line is a command with its folds or seeds.
type line struct {
	row
	numbers []string
}

// commands lists the commands of rows.
func commands(b *strings.Builder, rows []row, all recordsByName, words notes) {
	fmt.Fprintf(b, "\n## Commands\n\n%s\n", words["Commands"])
	for _, s := range sections(rows, all) {
		fmt.Fprintf(b, "\n%s:\n\n", s.title())
		for _, l := range s.lines {
			fmt.Fprintf(b, "    %s\n", l)
		}
	}
}

// sections returns the sections in the order of their first rows, with the rows not run yet at the end.
func sections(rows []row, all recordsByName) (out []*section) {
	waiting := &section{}
	for _, r := range rows {
		s := waiting
		if m := all[r.name()]; m != nil {
			threads := "1 thread"
			if m.Threads != 1 {
				threads = fmt.Sprintf("%d threads", m.Threads)
			}
			made := fmt.Sprintf("Commit %s, %s, %s, %s", m.Commit, m.Device, m.Processor, threads)
			if i := slices.IndexFunc(out, func(s *section) bool { return s.made == made }); i >= 0 {
				s = out[i]
			} else {
				s = &section{made: made}
				out = append(out, s)
			}
			s.dates = append(s.dates, m.Date)
		}
		s.add(r)
	}
	if len(waiting.lines) > 0 {
		out = append(out, waiting)
	}
	return out
}

func (s *section) add(r row) {
	if n := len(s.lines); n == 0 || s.lines[n-1].group != r.group || s.lines[n-1].label != r.label {
		s.lines = append(s.lines, line{row: r})
	}
	last := &s.lines[len(s.lines)-1]
	last.numbers = append(last.numbers, fmt.Sprint(r.number))
}

func (s *section) title() string {
	if s.made == "" {
		return "Not run yet"
	}
	first, last := slices.Min(s.dates), slices.Max(s.dates)
	if first == last {
		return s.made + ", " + first
	}
	return s.made + ", " + first + " to " + last
}

// String returns the command in the syntax of a shell.
func (l line) String() string {
	if len(l.numbers) == 1 {
		return strings.ReplaceAll(typedCommand(l.template), varies, l.numbers[0])
	}
	return fmt.Sprintf("for k in %s; do %s; done", strings.Join(l.numbers, " "), typedCommand(l.template))
}
