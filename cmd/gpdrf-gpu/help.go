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
	v.eachGroup(func(group string, flags []flag) {
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
	b.WriteString("\nA switch alone is on; --name=false turns it off. Flags may stand before and after the argument.\n")
	return b.String()
}

func (v verb) synopsis() string {
	return strings.TrimSpace(v.name + " " + v.args + " [flags]")
}

// eachGroup visits the flags by heading, in the order of first appearance.
func (v verb) eachGroup(visit func(group string, flags []flag)) {
	var order []string
	groups := map[string][]flag{}
	for _, f := range v.flags {
		if groups[f.group] == nil {
			order = append(order, f.group)
		}
		groups[f.group] = append(groups[f.group], f)
	}
	for _, g := range order {
		visit(g, groups[g])
	}
}

func (f flag) synopsis() string {
	if f.isSwitch() {
		return "--" + f.name
	}
	return "--" + f.name + " " + f.arg
}

// describe is the help of a flag with its default and the models that have it.
func (f flag) describe() string {
	var notes []string
	if f.models != "" {
		notes = append(notes, f.models+" only")
	}
	if d := f.preset(); d != "" {
		notes = append(notes, "default "+d)
	}
	if notes == nil {
		return f.help
	}
	return f.help + " (" + strings.Join(notes, "; ") + ")"
}

// preset is the default of an option of train.Config.
func (f flag) preset() string {
	if f.group == "Output" || f.group == "Files" {
		return ""
	}
	c, err := train.Resolve(nil, nil)
	if err != nil {
		panic("gpdrf-gpu: the defaults are not valid: " + err.Error())
	}
	for _, o := range train.Options() {
		if o.Key == f.name && o.Help == f.help {
			if text := c.Text(f.name); text != "0" || f.name != "epochs" && f.name != "time-limit" {
				return text
			}
		}
	}
	return ""
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

// markdown is docs/cli.md.
func (p *program) markdown() string {
	var b strings.Builder
	b.WriteString("# The command line\n\nWritten by `go test ./cmd/gpdrf-gpu -run CLIDocs -update` from the program's own help.\n\n")
	b.WriteString("    gpdrf-gpu COMMAND [flags] [argument]\n\nFlags may stand before and after the argument; after `--` nothing is a flag. A switch alone is on, and `--name=false` turns it off.\n\n")
	b.WriteString("Exit codes: 0; 2 for bad input or usage; 1 for a failure; 130 after Ctrl-C, which saves the model so far.\n")
	for _, v := range p.verbs() {
		fmt.Fprintf(&b, "\n## gpdrf-gpu %s\n\n    gpdrf-gpu %s\n\n%s\n\n", v.name, v.synopsis(), wrap(v.about, "", helpWidth))
		for _, e := range v.examples {
			fmt.Fprintf(&b, "    %s\n", e.command)
		}
		v.eachGroup(func(group string, flags []flag) {
			fmt.Fprintf(&b, "\n**%s**\n\n| flag | meaning | default |\n|---|---|---|\n", group)
			for _, f := range flags {
				meaning := f.help
				if f.models != "" {
					meaning += " (" + f.models + " only)"
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", escape(f.synopsis()), escape(meaning), escape(f.preset()))
			}
		})
	}
	b.WriteString(markdownTail)
	return b.String()
}

func escape(cell string) string { return strings.ReplaceAll(cell, "|", `\|`) }
