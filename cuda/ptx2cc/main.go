// Command ptx2cc turns PTX into C++ for the driver double (cuda/double), statement by statement. So
// the tests run the text that a GPU would run. It knows the instructions of the committed images,
// each as the PTX ISA defines it. Any other is an error with file and line.
//
//	ptx2cc kernels_sm80.ptx > kernels_sm80.cc
//	ptx2cc kernels_sm80.ptx mutants.txt > mutants_sm80.cc
//
// The second form writes copies of kernels with a fault each (mutants.go).
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: ptx2cc FILE.ptx [MUTANTS.txt]")
		os.Exit(2)
	}
	var code bytes.Buffer
	err := translate(&code, os.Args[1:])
	if err == nil {
		_, err = code.WriteTo(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ptx2cc:", err)
		os.Exit(1)
	}
}

func translate(code *bytes.Buffer, paths []string) error {
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
	return m.writeMutants(code, list)
}
