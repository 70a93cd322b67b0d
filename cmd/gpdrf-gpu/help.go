package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/version"
)

const (
	helpWidth = 100
	tagline   = "deep Gaussian processes from the command line"
)

func (p *program) overview() string {
	var b strings.Builder
	b.WriteString("gpdrf-gpu " + version.Number + ": " + tagline + "\n\n")
	b.WriteString("A GP-DRF model is a Gaussian process layer with random-feature layers above it " +
		"(Laradji et al., 2019).\n\nStart with\n")
	command := func(what, line string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("  gpdrf-gpu %-34s  %s", what, line), " ") + "\n")
	}
	command("train", "a table that comes with the program, in about 40 seconds")
	command("train --data FILE --target COLUMN", "a table of your own")
	command("predict RUN --data FILE", "the predictions of a run for other rows")
	b.WriteString("\nCommands\n")
	for _, v := range p.verbs() {
		line := v.line
		for args := range strings.SplitSeq(v.args, "\n") {
			command(v.name+" "+args, line)
			line = ""
		}
	}
	command("help COMMAND", "flags and examples; help train --all lists the keys of a config file, too")
	command("--version", "the version of this program")
	return b.String()
}

// help prints the help of the command that the words name, or of the program.
func (p *program) help(words []string) error {
	commands := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == "--all" })
	switch len(commands) {
	case 0:
		fmt.Fprint(p.out, p.overview())
		return nil
	case 1:
		v, err := p.find(commands[0])
		if err != nil {
			return err
		}
		fmt.Fprint(p.out, v.help(len(commands) < len(words)))
		return nil
	}
	return usagef("help: explains one command, and %q came, too", commands[1])
}

// maxKeys is the number of keys that the short help of a verb shows. If there are more, it has one line about them.
const maxKeys = 10

// help returns the help text of a verb. With all it has every key of a config file.
func (v verb) help(all bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "gpdrf-gpu %s: %s\n\n  %s\n\n", v.name, v.line, v.synopsis("\n  "))
	b.WriteString(wrap(v.about, "", helpWidth))
	b.WriteString("\n\nExamples\n")
	for _, e := range v.examples {
		fmt.Fprintf(&b, "  %s\n      %s\n", e.command, e.what)
	}
	write := func(group string, flags []flagSpec) { writeFlags(&b, group, flags) }
	eachGroup(v.flags, write)
	keys := listedFlags(v.keys)
	if all || len(keys) <= maxKeys {
		v.eachKeyGroup(write)
	}
	if len(v.flags) == 0 {
		return b.String()
	}
	if len(keys) > 0 {
		b.WriteString("\n" + v.keyRule() + "\n")
	}
	b.WriteString("\nWrite a switch as --name=true or --name=false; --name alone is true. Flags may come before or " +
		"after\nthe argument.\n")
	if !all && len(keys) > maxKeys {
		fmt.Fprintf(&b, "--set has %d more keys, which a config file may have, too: gpdrf-gpu help %s --all, or "+
			"docs/cli.md.\n", len(keys), v.name)
	}
	return b.String()
}

// keyRule tells flags from keys.
func (v verb) keyRule() string {
	rule := "Flags are for options that people change often. Keys are the other options, given by --set"
	if v.flag("config") != nil {
		rule += " or a config file"
	}
	return wrap(rule+".", "", helpWidth)
}

// keysHeading returns the heading over the keys that --set takes.
func (v verb) keysHeading() string {
	if v.flag("config") == nil {
		return "Keys of --set"
	}
	return "Keys of --set, and of a config file, where a line is key: value"
}

func listedFlags(flags []flagSpec) []flagSpec {
	return slices.DeleteFunc(slices.Clone(flags), func(f flagSpec) bool { return f.unlisted })
}

func writeFlags(b *strings.Builder, group string, flags []flagSpec) {
	fmt.Fprintf(b, "\n%s\n", group)
	for _, f := range flags {
		head := "  " + f.synopsis()
		if len(head) >= 29 { // two blanks part the columns
			head += "\n" + strings.Repeat(" ", 30)
		}
		fmt.Fprintf(b, "%-30s%s\n", head, wrap(f.describe(), strings.Repeat(" ", 30), helpWidth))
	}
}

// synopsis returns the ways to call a verb, with a separator between them.
func (v verb) synopsis(separator string) string {
	var ways []string
	for args := range strings.SplitSeq(v.args, "\n") {
		way := strings.TrimSpace("gpdrf-gpu " + v.name + " " + args)
		if len(v.flags) > 0 {
			way += " [flags]"
		}
		ways = append(ways, way)
	}
	return strings.Join(ways, separator)
}

// eachKeyGroup visits the keys by heading. Several groups have one heading for all, without keys, before their own.
func (v verb) eachKeyGroup(visit func(group string, keys []flagSpec)) {
	keys := listedFlags(v.keys)
	switch {
	case len(keys) == 0:
	case slices.ContainsFunc(keys, func(f flagSpec) bool { return f.group != keys[0].group }):
		visit(v.keysHeading(), nil)
		eachGroup(keys, visit)
	default:
		visit(v.keysHeading(), keys)
	}
}

// eachGroup visits flags by heading, in the order of first appearance.
func eachGroup(flags []flagSpec, visit func(group string, flags []flagSpec)) {
	var order []string
	groups := map[string][]flagSpec{}
	for _, f := range listedFlags(flags) {
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
	case f.isKey:
		return f.name + "=" + strings.Replace(f.arg, switchArg, "true|false", 1)
	case f.isSwitch():
		return "--" + f.name
	}
	return "--" + f.name + " " + f.arg
}

// describe returns the help of a flag, with its default and the models that have it.
func (f flagSpec) describe() string {
	var notes []string
	if f.models != "" {
		notes = append(notes, "for "+f.models)
	}
	if f.def != "" {
		notes = append(notes, "default "+f.def)
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
