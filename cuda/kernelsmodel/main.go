// Command kernelsmodel is a static model of the kernels of a training step. It reads the machine
// code that NVIDIA's assembler makes of the PTX, and the record of a step's launches. It says for
// each launch the least time that a card needs, and what it comes from. Nothing is measured.
//
//	kernelsmodel <folder with ptxas and nvdisasm> > docs/kernels-model.md
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gpdrf/gpdrf-gpu/internal/workload"
)

// workloads are the steps whose launches are recorded.
var workloads = []string{"mnist", "protein", "powerplant"}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: kernelsmodel <folder with ptxas and nvdisasm> > docs/kernels-model.md")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "kernelsmodel:", err)
		os.Exit(1)
	}
}

func run(tools string) error {
	work, err := os.MkdirTemp("", "kernelsmodel")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	records, launched := map[string][]launch{}, map[string]bool{}
	for _, name := range workloads {
		text, err := os.ReadFile("cuda/kernelsmodel/launches/" + name + ".txt")
		if err != nil {
			return err
		}
		if records[name], err = parseLaunches(string(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, l := range records[name] {
			launched[l.name] = true
		}
	}
	r := report{steps: map[string]map[string][]figure{}}
	if r.hash, err = sourceHash("cuda/kernels_sm80.ptx"); err != nil {
		return err
	}
	for _, c := range cards {
		kernels, err := assemble(tools, work, c.arch, c.image, launched)
		if err == nil && c.doubles != "" {
			err = replace(kernels, tools, work, c, launched)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.arch, err)
		}
		r.steps[c.name] = map[string][]figure{}
		for _, name := range workloads {
			if r.steps[c.name][name], err = c.figures(kernels, records[name]); err != nil {
				return fmt.Errorf("%s on %s: %w", name, c.name, err)
			}
		}
	}
	for name, record := range records {
		n, err := workload.Preset(name)
		if err != nil {
			return err
		}
		r.about = append(r.about, fmt.Sprintf("%s: %s; %d launches", name, n, len(record)))
	}
	return r.write(os.Stdout)
}

// replace puts the better products of doubles in the place of the others.
func replace(kernels map[string]code, tools, work string, c card, launched map[string]bool) error {
	better, err := assemble(tools, work, c.arch, c.doubles, launched)
	for name, k := range better {
		kernels[name] = k
	}
	return err
}

// sourceHash is the hash of the kernels' source, with which the PTX begins.
func sourceHash(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	words := strings.Fields(string(text))
	if len(words) < 3 || words[1] != "sha256" {
		return "", fmt.Errorf("%s does not begin with the hash of its source", file)
	}
	return words[2], nil
}

// unknownError is a kernel without a formula of its work.
type unknownError struct{ kernel string }

func (e *unknownError) Error() string {
	return "the work of kernel " + e.kernel + " is not known: add it to works in cuda/kernelsmodel/launch.go"
}

// assemble is those kernels of an image that are launched, for an architecture.
func assemble(tools, work, arch, image string, launched map[string]bool) (map[string]code, error) {
	file, cubin := "cuda/kernels_sm"+image+".ptx", filepath.Join(work, image+arch)
	ptx, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	args := []string{"-arch=" + arch, "-v", file, "-o", cubin}
	threads := map[string]int{}
	for _, m := range threadsPattern.FindAllStringSubmatch(string(ptx), -1) {
		if launched[m[1]] {
			args = append(args, "-e", m[1])
			threads[m[1]], _ = strconv.Atoi(m[2])
		}
	}
	said, err := exec.Command(filepath.Join(tools, "ptxas"), args...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("ptxas: %w\n%s", err, said)
	}
	text, err := exec.Command(filepath.Join(tools, "nvdisasm"), "-c", "-hex", cubin).Output()
	if err != nil {
		return nil, fmt.Errorf("nvdisasm: %w", err)
	}
	sass, err := parseSASS(string(text))
	if err != nil {
		return nil, err
	}
	all := map[string]code{}
	for name, r := range parseResources(string(said)) {
		r.threads = threads[name]
		all[name] = code{resources: r, sass: sass[name]}
	}
	return all, nil
}

var (
	entryPattern    = regexp.MustCompile(`Compiling entry function '(\w+)'`)
	registerPattern = regexp.MustCompile(`Used (\d+) registers`)
	sharedPattern   = regexp.MustCompile(`(\d+) bytes smem`)
	threadsPattern  = regexp.MustCompile(`(?s)\.entry (\w+)\(.*?\.maxntid (\d+)`)
)

// parseResources reads what ptxas -v says.
func parseResources(said string) map[string]resources {
	all, name := map[string]resources{}, ""
	for line := range strings.Lines(said) {
		if m := entryPattern.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
		if m := registerPattern.FindStringSubmatch(line); m != nil {
			r := resources{}
			r.registers, _ = strconv.Atoi(m[1])
			if m := sharedPattern.FindStringSubmatch(line); m != nil {
				r.shared, _ = strconv.Atoi(m[1])
			}
			all[name] = r
		}
	}
	return all
}
