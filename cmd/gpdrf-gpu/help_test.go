package main

import (
	"strings"
	"testing"
)

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
