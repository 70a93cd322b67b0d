package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/seq"
	"github.com/gpdrf/gpdrf-gpu/train/options"
)

// Every row of a support vector machine is a command that svm understands, on the maps and rows that GP-DRF has.
func TestSVMRowsAreCommands(t *testing.T) {
	names := map[string]bool{}
	for _, r := range allRows() {
		if names[r.name()] {
			t.Errorf("two rows have the name %s", r.name())
		}
		names[r.name()] = true
	}
	for _, s := range sets() {
		beside := s.svmRows()
		if len(beside) != len(s.rowsOf("gpdrf")) && s.svm {
			t.Errorf("%s: %d machines beside %d models", s.name, len(beside), len(s.rowsOf("gpdrf")))
		}
		for i, r := range beside {
			settings, _, err := svmOptions(strings.Fields(r.command())[svmWords:])
			if err != nil {
				t.Fatalf("%s: %v", r.command(), err)
			}
			cfg, err := options.Resolve(nil, settings)
			if err != nil {
				t.Fatalf("%s: %v", r.command(), err)
			}
			ours := strings.ReplaceAll(s.rowsOf("gpdrf")[i].command(), "/linear", "") + " "
			if options := fmt.Sprintf("--data %s ", cfg.Data); !strings.Contains(ours, options) ||
				!strings.Contains(ours, "--kernel "+cfg.KernelSpec+" ") ||
				cfg.Folds > 0 && !strings.Contains(ours, fmt.Sprintf("--folds %d --fold %d ", cfg.Folds, cfg.Fold)) {
				t.Errorf("%s stands beside %s", r.command(), ours)
			}
		}
	}
	for _, args := range [][]string{{"--data"}, {"music"}, {"--data", "music", "--by", "nll"}} {
		if _, _, err := svmOptions(args); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// genes writes a file of two classes that counts of symbols tell apart, and the options that read it.
func genes(t *testing.T) []string {
	t.Helper()
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%d\t%s%s\n", i%2, strings.Repeat([]string{"A", "C"}[i%2], 8+i%5), "GT"[:i%3])
	}
	path := filepath.Join(t.TempDir(), "genes.tsv")
	must.OK(t, os.WriteFile(path, []byte(b.String()), 0o666))
	return []string{"--data", path, "--folds", "4", "--fold", "2", "--kernel",
		"spectrum:1+spectrum:2/sqrt", "--tokens", "dna"}
}

// lengths writes a file of a regression, whose target is the share of a symbol, and its options.
func lengths(t *testing.T) []string {
	t.Helper()
	b := strings.Builder{}
	b.WriteString("dna,target\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%s%s,%g\n", strings.Repeat("A", 1+i%8), strings.Repeat("C", 8-i%8), 10+0.25*float64(i%8))
	}
	path := filepath.Join(t.TempDir(), "lengths.csv")
	must.OK(t, os.WriteFile(path, []byte(b.String()), 0o666))
	return []string{"--data", path, "--sequence", "dna", "--folds", "4", "--fold", "2", "--kernel", "spectrum:1"}
}

// What is written are the inner products of the rows, in the order of the fold.
func TestWriteGram(t *testing.T) {
	settings, _, err := svmOptions(genes(t))
	must.OK(t, err)
	cfg := must.Get(options.Resolve(nil, settings))(t)
	path := filepath.Join(t.TempDir(), "gram.npz")
	n, m, err := writeGram(path, cfg)
	must.OK(t, err)
	must.Equal(t, n, 30)
	must.Equal(t, m, 10)
	_, rows, tests, _, err := cfg.Load(nil, data.ReadControl{})
	must.OK(t, err)
	var want []float64
	for _, text := range []string{"spectrum:1", "spectrum:2/sqrt"} {
		spec, _ := seq.Parse(text)
		f := must.Get(seq.Fit(t.Context(), spec[0], rows.Sequences))(t)
		products, _, _ := spec[0].Products(f.Rows(tests.Sequences), f.Rows(rows.Sequences))
		for i, v := range products {
			if want = append(want, 0); len(want) > n*m {
				want = want[:n*m]
			}
			want[i] += v / 2
		}
	}
	got := arrayOf(t, path, "test.npy", "(10,30,)", n*m)
	if !slices.EqualFunc(got, want, func(a float32, b float64) bool { return math.Abs(float64(a)-b) < 1e-6 }) {
		t.Errorf("inner products %v, want %v", got[:5], want[:5])
	}
}

// arrayOf reads an array of size float32 in an archive.
func arrayOf(t *testing.T, path, name, shape string, size int) []float32 {
	t.Helper()
	z := must.Get(zip.OpenReader(path))(t)
	defer z.Close()
	r := must.Get(z.Open(name))(t)
	text, _ := io.ReadAll(r)
	if len(text) < 128 || len(text)-4*size != 128 || !bytes.Contains(text[:128],
		[]byte("'<f4', 'fortran_order': False, 'shape': "+shape+", }")) || text[127] != '\n' {
		t.Fatalf("%s: %d bytes, header %q", name, len(text), text[:min(len(text), 128)])
	}
	got := make([]float32, size)
	binary.Read(bytes.NewReader(text[128:]), binary.LittleEndian, got)
	return got
}

// Targets of a regression have mean 0 and standard deviation 1 over the training rows.
func TestWriteTargets(t *testing.T) {
	settings, _, err := svmOptions(lengths(t))
	must.OK(t, err)
	cfg := must.Get(options.Resolve(nil, settings))(t)
	path := filepath.Join(t.TempDir(), "gram.npz")
	n, m, err := writeGram(path, cfg)
	must.OK(t, err)
	must.Equal(t, n, 30)
	must.Equal(t, m, 10)
	y := arrayOf(t, path, "train_labels.npy", "(30,)", n)
	sum, squares := 0.0, 0.0
	for _, v := range y {
		sum, squares = sum+float64(v), squares+float64(v)*float64(v)
	}
	if math.Abs(sum) > 1e-4 || math.Abs(squares/float64(n-1)-1) > 1e-4 {
		t.Errorf("training targets with sum %g and variance %g", sum, squares/float64(n-1))
	}
	arrayOf(t, path, "test_labels.npy", "(10,)", m)
}

// The whole way through scikit-learn, where make svm has installed it; without it the test is skipped, and fails if
// REQUIRE_PYTHON is set.
func TestMachine(t *testing.T) {
	t.Chdir("..")
	if _, err := os.Stat(svmPython); err != nil {
		if os.Getenv("REQUIRE_PYTHON") != "" {
			t.Fatal(err)
		}
		t.Skipf("needs %s with scikit-learn: make svm installs it", svmPython)
	}
	for _, by := range []string{"error", "auc", "evidence"} {
		m := must.Get(machine(append(genes(t), "--by", by)))(t)
		if e, _ := value(m.Test, "error"); e != 0 || m.NTrain != 30 || m.NTest != 10 ||
			!strings.Contains(m.Chosen, map[bool]string{true: ", amplitude ", false: ", C "}[by == "evidence"]) {
			t.Errorf("%+v", m)
		}
		if by == "evidence" {
			if nll, _ := value(m.Test, "nll"); !(nll > 0 && nll < math.Ln2) {
				t.Errorf("NLL %v of two classes that counts tell apart", nll)
			}
			continue
		}
		if a, _ := value(m.Test, "auc"); a != 1 {
			t.Errorf("AUC %v", a)
		}
	}
	m := must.Get(machine(append(lengths(t), "--by", "rmse")))(t)
	if e, ok := value(m.Test, "rmse"); !ok || e > .1 || m.NTest != 10 || !strings.Contains(m.Chosen, ", ε ") {
		t.Errorf("a regression: %+v", m)
	}
}

// The difference is paired over the folds; one split has the standard error of its rows.
func TestBeside(t *testing.T) {
	all := recordsByName{}
	put := func(rows []row, key string, scores ...float64) {
		for i, r := range rows {
			all[r.name()] = &record{Command: r.command(), NTest: 100, Chosen: "linear, C 1",
				Test: map[string]any{key: scores[min(i, len(scores)-1)]}}
		}
	}
	of := func(name string) set {
		return sets()[slices.IndexFunc(sets(), func(s set) bool { return s.name == name })]
	}
	put(of("scop-folds").svmRows(), "error", .3, .4, .3, .4, .35)
	put(of("scop-folds").rowsOf("gpdrf"), "error", .31, .41, .3, .4, .35) // +.004 ± √(.00012/4/5)
	put(of("music").svmRows(), "error", .2)
	put(of("music").rowsOf("gpdrf"), "error", .24)
	put(of("rad21").svmRows(), "auc", .97)
	put(of("rad21").rowsOf("gpdrf"), "auc", .96)
	put(of("esol").svmRows(), "rmse", .4, .5)
	put(of("esol").rowsOf("gpdrf"), "rmse", .4, .4) // −.09 ± .01
	var b strings.Builder
	machines(&b, all, notes{})
	for _, want := range []string{
		"| SCOP-FOLDS | 5 folds | error | 0.3500 ± 0.0224 | linear, C 1 | 0.3540 | +0.0040 ± 0.0024 | no |",
		"| MUSIC | one split | error | 0.2000 ± 0.0400 | linear, C 1 | 0.2400 | +0.0400 | yes |",
		"| RAD21 | one split | AUC | 0.9700 | linear, C 1 | 0.9600 | −0.0100 | – |",
		"| ESOL | 10 folds | RMSE | 0.4900 ± 0.0100 | linear, C 1 | 0.4000 | −0.0900 ± 0.0100 | yes |",
		"| REUTERS | one split | error | – | | – | not run yet | |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(b.String())
	}
}
