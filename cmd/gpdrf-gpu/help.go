package main

import (
	"fmt"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/train"
)

const helpWidth = 100

// overview is the help of the program.
func (p *program) overview() string {
	var b strings.Builder
	b.WriteString("gpdrf-gpu " + train.Version + ": deep Gaussian processes from the command line\n\n")
	b.WriteString("A GP-DRF model is a Gaussian process layer with random-feature layers above it (Laradji et al., 2019).\n\nCommands\n")
	for _, v := range p.verbs() {
		fmt.Fprintf(&b, "  gpdrf-gpu %-21s %s\n", strings.TrimSpace(v.name+" "+v.args), v.line)
	}
	b.WriteString("  gpdrf-gpu help COMMAND          options and examples of a command\n")
	b.WriteString("  gpdrf-gpu --version             which program this is\n\nStart with\n  gpdrf-gpu train\n")
	return b.String()
}

// help is a verb's help text.
func (v verb) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gpdrf-gpu %s: %s\n\n  gpdrf-gpu %s\n\n", v.name, v.line, v.synopsis())
	b.WriteString(wrap(v.about, "", helpWidth))
	b.WriteString("\n\nExamples\n")
	for _, e := range v.examples {
		fmt.Fprintf(&b, "  %s\n      %s\n", e.command, e.what)
	}
	v.eachGroup(func(group string, flags []flagSpec) {
		fmt.Fprintf(&b, "\n%s\n", group)
		for _, f := range flags {
			head := "  " + f.synopsis()
			if len(head) < 30 {
				fmt.Fprintf(&b, "%-30s%s\n", head, wrap(f.describe(), strings.Repeat(" ", 30), helpWidth))
			} else {
				fmt.Fprintf(&b, "%s\n%30s%s\n", head, "", wrap(f.describe(), strings.Repeat(" ", 30), helpWidth))
			}
		}
	})
	b.WriteString("\nA switch is written --name=true or --name=false; --name alone is true. Flags may stand before and after the argument.\n")
	return b.String()
}

func (v verb) synopsis() string {
	return strings.Join(strings.Fields(v.name+" "+v.args+" [flags]"), " ")
}

// eachGroup visits the flags by heading, in the order of first appearance.
func (v verb) eachGroup(visit func(group string, flags []flagSpec)) {
	var order []string
	groups := map[string][]flagSpec{}
	for _, f := range v.flags {
		if f.unlisted {
			continue
		}
		if groups[f.group] == nil {
			order = append(order, f.group)
		}
		groups[f.group] = append(groups[f.group], f)
	}
	for _, g := range order {
		visit(g, groups[g])
	}
}

func (f flagSpec) synopsis() string {
	switch {
	case f.arg == "":
		return "--" + f.name
	case f.isSwitch():
		return "--" + f.name + "=" + f.arg
	}
	return "--" + f.name + " " + f.arg
}

// describe is the help of a flag with its default and the models that have it.
func (f flagSpec) describe() string {
	var notes []string
	if f.models != "" {
		notes = append(notes, "for "+f.models)
	}
	if f.otherwise != "" {
		notes = append(notes, "default "+f.otherwise)
	}
	if notes == nil {
		return f.help
	}
	return f.help + " (" + strings.Join(notes, "; ") + ")"
}

// wrap breaks text into lines of at most width, those after the first with an indent.
func wrap(text, indent string, width int) string {
	var b strings.Builder
	column := len(indent)
	for i, word := range strings.Fields(text) {
		if i > 0 && column+1+len([]rune(word)) > width {
			b.WriteString("\n" + indent)
			column = len(indent)
		} else if i > 0 {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len([]rune(word))
	}
	return b.String()
}
