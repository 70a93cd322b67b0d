package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// notices writes what a program was linked with, the licences of that, and their texts. Modules
// with the same text share it.
func notices(w io.Writer, all []module) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "gpdrf-gpu contains Go's own library (std) and these modules:\n\n")
	var texts []string
	owners := map[string][]string{}
	for _, m := range all {
		if m.licences != nil {
			fmt.Fprintf(b, "  %v: %s\n", m, strings.Join(m.licences, ", "))
		}
		for _, t := range m.texts {
			if owners[t.content] == nil {
				texts = append(texts, t.content)
			}
			owners[t.content] = append(owners[t.content], m.path+", "+t.name)
		}
	}
	for _, text := range texts {
		fmt.Fprintf(b, "\n%s\n%s\n\n%s", strings.Repeat("=", 80), strings.Join(owners[text], "\n"), text)
	}
	return b.Flush()
}
