// Command bench makes the figures that the project prints.
//
//	go run ./bench results     trains every row of docs/results.md and writes it
//
// Each row is one ordinary gpdrf-gpu command, so that a reader can run it alone. Its run folder is
// kept under build/results: a second call trains only what is not there yet.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "results" {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench results")
		os.Exit(2)
	}
	if err := results(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
