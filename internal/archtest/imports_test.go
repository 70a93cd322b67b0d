package archtest

import (
	"slices"
	"strings"
	"testing"
)

// mayImport lists the packages of this module that a package's code may import. "leaves" are the packages under
// internal/ that import nothing but each other. Tests may import others too, and commands all.
var mayImport = map[string][]string{
	// Backends are found by name: the library links them, as a command does, and no other package.
	".": {"train", "train/best", "train/options", "train/fitted", "train/rundir", "predict", "model",
		"data", "data/cellformat", "device", "device/cpu", "device/gpu", "leaves"},
	"device":          {},
	"device/cpu":      {"device", "internal/simd", "internal/philox", "internal/hostmem"},
	"device/gpu":      {"device", "cuda"},
	"cuda":            {},
	"model":           {"device", "internal/philox"},
	"graph":           {},
	"seq":             {"graph", "device", "leaves"},
	"data":            {"data/matrix", "data/cellformat", "data/sets", "seq", "graph", "leaves"},
	"data/matrix":     {},
	"data/cellformat": {"leaves"},
	"data/scaling":    {"data", "data/matrix", "leaves"},
	"data/summary":    {"data", "data/matrix", "data/scaling", "seq", "leaves"},
	"data/sets":       {"leaves"},
	"data/columnar":   {"leaves"},
	// only the run knows all five
	"train": {"dist", "train/options", "train/step", "train/fitted", "train/memory", "train/rundir",
		"model", "data", "data/scaling", "seq", "device", "leaves"},
	// a search trains as a user would
	"train/best": {"train", "train/options", "train/fitted", "train/rundir", "model", "data", "data/scaling", "device",
		"leaves"},
	"train/options": {"model", "data", "data/scaling", "data/cellformat", "seq", "leaves"},
	"train/step":    {"model", "device", "dist"},
	"dist":          {"leaves"},
	"dist/mpi":      {"dist", "leaves"},
	"dist/nccl":     {"dist", "device", "leaves"},
	"dist/disttest": {"dist"},
	"train/memory":  {"device", "leaves"},
	"train/fitted": {"dist", "train/options", "train/memory", "model", "data", "data/scaling", "seq", "device",
		"leaves"},
	"train/rundir": {"train/options", "train/fitted", "model", "data", "data/scaling", "leaves"},
	"acquisition":  {"leaves"},
	"predict":      {"acquisition", "train/fitted", "model", "data", "data/scaling", "device", "leaves"},
	"report":       {"predict", "train/options", "train/fitted", "train/rundir", "model", "data", "device", "leaves"},
	"onnx":         {"train/fitted", "model", "data", "data/scaling", "device", "leaves"},
	// no leaf: only commands import it
	"internal/workload": {"train/options", "train/step", "model", "data", "device", "dist"},
	"serve": {"predict", "serve/inference", "train/fitted", "train/rundir",
		"train/options", "model", "data", "device", "leaves"},
	"serve/inference": {},
	"bench/parts":     {"leaves"},
	"bench/plots":     {},
}

// homes lists the packages whose code, tests aside, may import a module of another project. A module that is not listed
// may be imported anywhere.
var homes = map[string][]string{
	"gorgonia.org/cu":              {"cuda"},
	"github.com/ebitengine/purego": {"dist/mpi"},
	"gorgonia.org/tensor":          {"data"},
	// off the hot path
	"gonum.org/v1/gonum":            {"bench", "data", "internal/exactgp", "internal/metrics", "internal/stats"},
	"gonum.org/v1/plot":             {"bench/plots"},
	"github.com/urfave/cli/v2":      {"cmd"},
	"github.com/vbauerster/mpb":     {"cmd"},
	"github.com/mattn/go-runewidth": {"cmd"},
	"golang.org/x/term":             {"cmd"},
	"C":                             {"cuda", "dist/nccl"},
	"log":                           {"cmd", "serve"},
	"google.golang.org/grpc":        {}, // it adds 1.8 MB to the program
	"google.golang.org/protobuf":    {"internal/wire", "serve"},
	"github.com/prometheus":         {"serve"},
	"github.com/parquet-go":         {"data/columnar"},
	"github.com/google/flatbuffers": {"data/columnar"}, // the descriptions in files of Arrow
}

func within(dir string, packages []string) bool {
	return slices.ContainsFunc(packages, func(r string) bool { return dir == r || strings.HasPrefix(dir, r+"/") })
}

// command reports whether a file is part of a program, which puts the packages together.
func command(f *file) bool { return f.syntax.Name.Name == "main" }

// isLeaf reports whether a package is one of the leaves: it is under internal/, and has no line in mayImport.
func isLeaf(dir string) bool { return strings.HasPrefix(dir, "internal/") && mayImport[dir] == nil }

func (m *module) own(to string) (dir string, ok bool) {
	if to == modulePath {
		return ".", true
	}
	return strings.CutPrefix(to, modulePath+"/")
}

func TestImports(t *testing.T) {
	m := load(t)
	for _, f := range m.code() {
		if command(f) {
			continue
		}
		allowed, known := mayImport[f.dir]
		if !known && strings.HasPrefix(f.dir, "internal/") {
			allowed, known = []string{"leaves"}, true
		}
		if !known {
			t.Errorf("%s is in a folder that has no line in mayImport: %s", f.path, f.dir)
			continue
		}
		for to, at := range m.imports(f) {
			dir, own := m.own(to)
			if !own {
				continue
			}
			if slices.Contains(allowed, dir) || slices.Contains(allowed, "leaves") && isLeaf(dir) {
				continue
			}
			t.Errorf("%s: %s may not import %s, only %v", at, f.dir, dir, allowed)
		}
	}
}

func TestImportsOfOthers(t *testing.T) {
	m := load(t)
	for _, f := range m.code() {
		for to, at := range m.imports(f) {
			for home, users := range homes {
				if (to == home || strings.HasPrefix(to, home+"/")) && !within(f.dir, users) {
					t.Errorf("%s: only %v may import %s", at, users, to)
				}
			}
		}
	}
}
