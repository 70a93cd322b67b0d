// Command ptx2cc turns PTX into C++ for the driver test double (cuda/double), statement by statement. So the tests run
// the text that a GPU would run. It knows the instructions of the committed images, each as the PTX ISA defines it. Any
// other is an error with file and line.
//
//	ptx2cc kernels_sm80.ptx > kernels_sm80.cc
//	ptx2cc kernels_sm80.ptx mutants.txt > mutants_sm80.cc
//
// The second form writes copies of kernels, each with a fault (mutants.go).
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: ptx2cc FILE.ptx [MUTANTS.txt]")
		os.Exit(2)
	}
	code, err := translate(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "ptx2cc:", err)
		os.Exit(1)
	}
	fmt.Print(code)
}

// translate returns a PTX file as C++; with a list of mutants, only these.
func translate(path string, lists []string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	m, err := parse(filepath.Base(path), string(text))
	if err != nil {
		return "", err
	}
	kernels := m.functions
	for _, path := range lists {
		list, err := readMutants(path)
		if err != nil {
			return "", err
		}
		if kernels, err = m.mutated(list); err != nil {
			return "", err
		}
	}
	return m.write(kernels)
}
