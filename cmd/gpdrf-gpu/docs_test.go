// These tests compare docs with the program.

package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

var update = flag.Bool("update", false, "write docs/cli.md and the expected output of the scripts again")

func TestCLIDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "cli.md")
	notes := must.Get(os.ReadFile("cli-notes.md"))(t)
	_, tail, found := strings.Cut(string(notes), "\n## ")
	if !found {
		t.Fatal("cli-notes.md has no headings")
	}
	want := (&program{}).markdown() + "\n## " + tail
	if *update {
		must.OK(t, os.WriteFile(path, []byte(want), 0o666))
	}
	got := must.Get(os.ReadFile(path))(t)
	if string(got) != want {
		t.Error("docs/cli.md is not what the program says of itself: go test ./cmd/gpdrf-gpu -run CLIDocs -update")
	}
}

// The roles of flats.csv in docs/data.md are those that info prints.
func TestRolesInDocs(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../docs/data.md"))(t))
	_, page, _ = strings.Cut(page, "These rows are flats.csv:\n\n")
	page, _, found := strings.Cut(strings.ReplaceAll(page, "\n    ", "\n"), "\n\nAll roles:")
	rows, rest, _ := strings.Cut(strings.TrimSpace(page), "\n\n")
	_, roles, _ := strings.Cut(rest, "\n\n")
	t.Chdir(t.TempDir())
	must.OK(t, os.WriteFile("flats.csv", []byte(rows+"\n"), 0o666))
	var said bytes.Buffer
	p := &program{ctx: t.Context(), console: console{out: io.Discard, err: &said}}
	if p.run([]string{"gpdrf-gpu", "info", "flats.csv"}); !found || said.String() != roles+"\n" {
		t.Errorf("info prints\n%sand docs/data.md has\n%s", said.String(), roles)
	}
}

// The defaults of flags and keys that several commands have, in docs/defaults.md, are those of the help.
func TestDefaultsInDocs(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../docs/defaults.md"))(t))
	pattern := regexp.MustCompile("(?m)^\\| `(?:--)?([a-z-]+)` \\| ([a-z, ]+) \\| (\\S.*?) \\|")
	rows := pattern.FindAllStringSubmatch(page, -1)
	for _, v := range (&program{}).verbs() {
		for _, row := range rows {
			if !slices.Contains(strings.Split(row[2], ", "), v.name) {
				continue
			}
			all := slices.Concat(v.flags, v.keys)
			i := slices.IndexFunc(all, func(f flagSpec) bool { return f.name == row[1] })
			if i < 0 || !strings.Contains(all[i].describe(), row[3]) {
				t.Errorf("%s of %s: docs/defaults.md has %q", row[1], v.name, row[3])
			}
		}
	}
	if len(rows) < 14 {
		t.Errorf("only %d rows found: is the pattern still right?", len(rows))
	}
}

// markdown writes docs/cli.md without the part that is not made from flags: cmd/gpdrf-gpu/cli-notes.md.
func (p *program) markdown() string {
	var b strings.Builder
	b.WriteString("# The command line\n\nWritten by `go test ./cmd/gpdrf-gpu -run CLIDocs -update` " +
		"from the program's own help.\n\n")
	b.WriteString("    gpdrf-gpu COMMAND [flags] [argument]\n\nFlags may stand before and after the " +
		"argument; after `--` nothing is a flag. A switch is written\n`--name=true` or `--name=false`; " +
		"`--name` alone is true.\n\n")
	b.WriteString("Flags are for options that people change often. Keys are the other options, given by `--set` " +
		"or by\na config file.\n\n")
	b.WriteString("Exit codes: 0; 2 for bad input or usage; 1 for a failure; 130 after Ctrl-C, which " +
		"saves the model so\nfar. `train --resume` on a run that has ended exits with 0.\n\n" +
		"Flags of all commands but completion and man:\n\n")
	listFlags(&b, commonFlags())
	b.WriteString("\nCommands:\n\n")
	for _, v := range p.verbs() {
		fmt.Fprintf(&b, "- [%s](#gpdrf-gpu-%s): %s\n", v.name, v.name, v.line)
	}
	for _, v := range p.verbs() {
		fmt.Fprintf(&b, "\n## gpdrf-gpu %s\n\n%s.\n\n    %s\n\n%s\n\n", v.name,
			strings.ToUpper(v.line[:1])+v.line[1:], v.synopsis("\n    "), wrap(v.about, "", helpWidth))
		for _, e := range v.examples {
			fmt.Fprintf(&b, "    %s\n        %s\n", e.command, e.what)
		}
		list := func(group string, flags []flagSpec) {
			own := slices.DeleteFunc(slices.Clone(flags), isCommon)
			if len(own) > 0 || flags == nil {
				fmt.Fprintf(&b, "\n**%s**\n", group)
			}
			if len(own) > 0 {
				b.WriteString("\n")
				listFlags(&b, own)
			}
		}
		eachGroup(v.flags, list)
		v.eachKeyGroup(list)
	}
	return b.String()
}

// isCommon reports whether all commands have the flag.
func isCommon(f flagSpec) bool {
	return slices.ContainsFunc(commonFlags(), func(c flagSpec) bool { return c.name == f.name })
}

func listFlags(b *strings.Builder, flags []flagSpec) {
	for _, f := range flags {
		flag := "`" + f.synopsis() + "`"
		text := strings.ReplaceAll(f.describe(), "<", `\<`)
		if len(flag) > helpWidth {
			flag = strings.ReplaceAll(flag, "|", "` | `")
		}
		fmt.Fprintf(b, "- %s\n", wrap(flag+": "+text, "  ", helpWidth))
	}
}

// There are at least two blanks between a flag and its text.
func TestHelpColumns(t *testing.T) {
	for _, v := range (&program{}).verbs() {
		for line := range strings.Lines(v.help(true)) {
			if strings.HasPrefix(line, "  --") && len(line) > 30 && line[28] != ' ' && line[29] == ' ' {
				t.Errorf("%s: %s", v.name, line)
			}
		}
	}
}
