// Command ptx2cc turns PTX into C++ for the driver double (cuda/double), statement by statement, so
// that the text a GPU would run is what the tests run. It knows the instructions that the committed
// images use, each as the PTX ISA defines it, and ends with file and line at any other.
//
//	ptx2cc kernels_sm80.ptx > kernels_sm80.cc
//	ptx2cc kernels_sm80.ptx mutants.txt names.tsv > mutants_sm80.cc
//
// The second writes copies of kernels with a fault each, and a list of them (mutants.go).
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 && len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: ptx2cc FILE.ptx [MUTANTS.txt NAMES.tsv]")
		os.Exit(2)
	}
	var code bytes.Buffer
	err := run(&code, os.Args[1:])
	if err == nil {
		_, err = code.WriteTo(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ptx2cc:", err)
		os.Exit(1)
	}
}

func run(code *bytes.Buffer, paths []string) error {
	text, err := os.ReadFile(paths[0])
	if err != nil {
		return err
	}
	m, err := parse(filepath.Base(paths[0]), string(text))
	if err != nil {
		return err
	}
	if len(paths) == 1 {
		return m.write(code)
	}
	list, err := readMutants(paths[1])
	if err != nil {
		return err
	}
	var names bytes.Buffer
	if err := m.writeMutants(code, &names, list); err != nil {
		return err
	}
	return os.WriteFile(paths[2], names.Bytes(), 0o666)
}
