//go:build ignore

// Command tests reads what go test -json writes and prints what go test would have: a line for each
// package, and the output of tests that fail. It notes in a file which tests were skipped, and why.
//
//	go test -json ./... | tests FILE
//	tests -skipped FILE      lists the tests that no run has run
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) == 3 && os.Args[1] == "-skipped" {
		list(os.Args[2])
		return
	}
	if len(os.Args) != 2 {
		log.Fatal("usage: go test -json ... | tests FILE, or tests -skipped FILE")
	}
	notes, err := os.OpenFile(os.Args[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		log.Fatal(err)
	}
	if err := filter(os.Stdin, notes); err != nil {
		log.Fatal(err)
	}
	if err := notes.Close(); err != nil {
		log.Fatal(err)
	}
}

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// filter prints what matters of the events, and lines that are none, and notes the tests that
// passed or were skipped.
func filter(from io.Reader, notes io.Writer) error {
	said := map[string]map[string][]string{} // by package and test: what it has printed
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
			fmt.Print(line)
			continue
		}
		tests := said[e.Package]
		if tests == nil {
			tests = map[string][]string{}
			said[e.Package] = tests
		}
		switch {
		case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
			fmt.Print(e.Output)
		case e.Action == "output" && e.Test != "":
			if !strings.HasPrefix(e.Output, "=== ") {
				tests[e.Test] = append(tests[e.Test], e.Output)
			}
		case e.Action == "fail" && e.Test != "":
			fmt.Print(strings.Join(tests[e.Test], ""))
			delete(tests, e.Test)
		case e.Action == "fail": // what a test has said that did not come to its end
			for _, output := range tests {
				fmt.Print(strings.Join(output, ""))
			}
		case e.Action == "skip" && e.Test != "", e.Action == "pass" && e.Test != "":
			if _, err := fmt.Fprintf(notes, "%s\t%s %s\t%s\n", e.Action, e.Package, e.Test,
				reason(tests[e.Test])); err != nil {
				return err
			}
			delete(tests, e.Test)
		}
	}
}

// reason is why a test was skipped: what it said, in a line.
func reason(output []string) string {
	var said []string
	for _, line := range output {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "---") {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}

// list prints the tests that were skipped and that no other run has run.
func list(path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	passed, skipped := map[string]bool{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if f[0] == "pass" {
			passed[f[1]] = true
		} else {
			skipped[f[1]] = f[2]
		}
	}
	elsewhere := 0
	for _, test := range slices.Sorted(maps.Keys(skipped)) {
		if passed[test] {
			elsewhere++
			continue
		}
		fmt.Printf("%s: %s\n", test, skipped[test])
	}
	fmt.Printf("%d tests were not run; %d more were skipped in one step and run in another\n",
		len(skipped)-elsewhere, elsewhere)
}
