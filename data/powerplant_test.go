package data_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gpdrf/gpdrf-gpu/data"
	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/data/sets"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

var writeFolds = flag.Bool("write-folds", false,
	"derive sets/powerplant/folds.json again from the fold files under GPDRF_DATA")

// foldsAbout heads powerplant/folds.json.
const foldsAbout = "Test rows of folds 1, 2, 3 as numbers of data rows of CCPP.csv.gz, from 0, in " +
	"the order of the fold files. " +
	"Written by: go test ./data -run TestEmbeddedPowerplant -write-folds. " +
	"The table repeats 41 of its rows; equal rows cannot be told apart, and the first one not yet taken " +
	"stands for each."

// cents is a row of the power plant table, inputs and target: every number there has two decimals at most, so
// hundredths are whole and compare exactly.
type cents [5]int

func compareCents(a, b cents) int { return slices.Compare(a[:], b[:]) }

func toCents(row []float64, y float64) (c cents) {
	for j, v := range append(slices.Clone(row), y) {
		c[j] = int(math.Round(100 * v))
	}
	return c
}

// dataset returns the rows of a reading, in a test that an error ends.
func dataset(d *data.Dataset, _ []string, err error) func(testing.TB) *data.Dataset {
	return must.Get(d, err)
}

func wholeTable(t *testing.T) *data.Dataset {
	path := filepath.Join(t.TempDir(), "powerplant.csv")
	must.OK(t, os.WriteFile(path, []byte(sets.Powerplant()), 0o644))
	return dataset(data.ReadFile(path, data.ReadOptions{}))(t)
}

// TestEmbeddedPowerplant standardises the embedded folds by their training rows and finds in them, as sets, the rows of
// the fold files.
func TestEmbeddedPowerplant(t *testing.T) {
	dir := data.SetsDir(t)
	if *writeFolds {
		deriveFolds(t, dir)
	}
	for fold := 1; fold <= data.Folds("powerplant"); fold++ {
		train, test, _, err := data.Load(data.Source{Data: "powerplant", DataDir: t.TempDir(), Fold: fold})
		must.OK(t, err)
		wantTrain, wantTest := foldFilesOf(t, dir, fold)
		scaler, _ := scaling.FitScaler("standard", train)
		target, _ := scaling.FitTargetScales(scaling.StandardTargets, train)
		compareFold(t, fmt.Sprintf("fold %d train", fold), train, wantTrain, scaler, target)
		compareFold(t, fmt.Sprintf("fold %d test", fold), test, wantTest, scaler, target)
		for i := range test.N() { // test rows also in the same order
			if d := math.Abs(scaling.Standardise(test.Y, target)[i] - wantTest.Y[i]); d > 1e-9 {
				t.Fatalf("fold %d: test row %d is off by %g", fold, i, d)
			}
		}
	}
}

// foldFilesOf reads a fold from its files.
func foldFilesOf(t *testing.T, dir string, fold int) (train, test *data.Dataset) {
	t.Helper()
	powerplant, _ := sets.Find("powerplant")
	trainFile, testFile := powerplant.Files(fold)
	train = dataset(data.ReadFile(filepath.Join(dir, "powerplant", trainFile), data.ReadOptions{}))(t)
	like := train.Schema()
	test = dataset(data.ReadFile(filepath.Join(dir, "powerplant", testFile), data.ReadOptions{Schema: &like}))(t)
	return train, test
}

// compareFold pairs the rows of both sets by their hundredths and compares what is paired.
func compareFold(t *testing.T, name string, got, want *data.Dataset, s scaling.Scaler, ts []scaling.TargetScale) {
	t.Helper()
	if got.N() != want.N() {
		t.Fatalf("%s: %d rows, want %d", name, got.N(), want.N())
	}
	type pair struct {
		key    cents
		scaled []float64
	}
	var a, b []pair
	x, y := s.Rows(got.X, 0, got.N()), scaling.Standardise(got.Y, ts)
	d := got.D()
	for i := range got.N() {
		a = append(a, pair{toCents(got.Row(i), got.Y[i]), append(slices.Clone(x[i*d:(i+1)*d]), y[i])})
		raw := make([]float64, d)
		for j, z := range want.Row(i) {
			raw[j] = s.Center[j] + s.Scale[j]*z
		}
		b = append(b, pair{toCents(raw, ts[0].Mean+ts[0].SD*want.Y[i]), append(slices.Clone(want.Row(i)), want.Y[i])})
	}
	byKey := func(p, q pair) int { return compareCents(p.key, q.key) }
	slices.SortFunc(a, byKey)
	slices.SortFunc(b, byKey)
	for i := range a {
		if a[i].key != b[i].key {
			t.Fatalf("%s: row %v against %v", name, a[i].key, b[i].key)
		}
		for j := range a[i].scaled {
			if diff := math.Abs(a[i].scaled[j] - b[i].scaled[j]); diff > 1e-9 {
				t.Fatalf("%s: %v column %d is off by %g", name, a[i].key, j, diff)
			}
		}
	}
}

// deriveFolds finds each fold's test rows in the table. The files are standardised by constants that they do not hold;
// but training and test rows together are the whole table, so the extremes of each column give the constants back.
func deriveFolds(t *testing.T, dir string) {
	table := wholeTable(t)
	rowsOf := map[cents][]int{}
	for i := range table.N() {
		key := toCents(table.Row(i), table.Y[i])
		rowsOf[key] = append(rowsOf[key], i)
	}
	var folds [][]int
	for fold := 1; fold <= data.Folds("powerplant"); fold++ {
		train, test := foldFilesOf(t, dir, fold)
		back := make([]func(float64) float64, table.D()+1)
		for j := range back {
			back[j] = affine(values(table, j), append(values(train, j), values(test, j)...))
		}
		taken := map[cents]int{}
		var rows []int
		for i := range test.N() {
			raw := make([]float64, table.D())
			for j, z := range test.Row(i) {
				raw[j] = back[j](z)
			}
			key := toCents(raw, back[table.D()](test.Y[i]))
			if taken[key] == len(rowsOf[key]) {
				t.Fatalf("fold %d: test row %d, %v, is not in the table", fold, i, key)
			}
			rows = append(rows, rowsOf[key][taken[key]])
			taken[key]++
		}
		folds = append(folds, rows)
	}
	text := fmt.Sprintf("{\"about\": %q,\n \"folds\": [\n", foldsAbout)
	for i, rows := range folds {
		line, _ := json.Marshal(rows)
		text += string(line) + []string{",\n", ",\n", "\n]}\n"}[i]
	}
	must.OK(t, os.WriteFile("sets/powerplant/folds.json", []byte(text), 0o644))
	t.Skip("powerplant/folds.json is written: run the test again without -write-folds")
}

// values of input j, or of the target for j = D.
func values(d *data.Dataset, j int) []float64 {
	if j == d.D() {
		return slices.Clone(d.Y)
	}
	return matrix.Column(make([]float64, d.N()), d.X, j)
}

// affine maps the extremes of from to those of to.
func affine(to, from []float64) func(float64) float64 {
	a, b := slices.Min(to), slices.Max(to)
	c, d := slices.Min(from), slices.Max(from)
	return func(z float64) float64 { return a + (b-a)*(z-c)/(d-c) }
}

func TestEmbeddedPowerplantShape(t *testing.T) {
	for fold, want := range []int{99, 99, 98} {
		train, test, _, err := data.Load(data.Source{Data: "powerplant", DataDir: t.TempDir(), Fold: fold + 1})
		must.OK(t, err)
		must.Equal(t, []int{train.N(), test.N(), train.D()}, []int{9568 - want, want, 4})
		must.Equal(t, train.Task, data.Regression)
		rows := sets.PowerplantTestRows(fold + 1)
		slices.Sort(rows)
		if len(slices.Compact(rows)) != want {
			t.Errorf("fold %d: a test row stands twice", fold+1)
		}
	}
	table := wholeTable(t)
	distinct := map[cents]bool{}
	for i := range table.N() {
		distinct[toCents(table.Row(i), table.Y[i])] = true
	}
	if n := table.N() - len(distinct); n != 41 {
		t.Errorf("%d repeated rows, foldsAbout says 41", n)
	}
	if y := table.Y[0]; y != 481.3 {
		t.Errorf("first target %g, want 481.3 MW", y)
	}
}

// TestNamedSets reads the first and the last fold of each: the sizes of the paper's table.
func TestNamedSets(t *testing.T) {
	dir := data.SetsDir(t)
	for name, want := range map[string]struct {
		train, inputs int
		task          data.Task
		scaling       string
	}{
		"powerplant": {9469, 4, data.Regression, "standard"},
		"protein":    {45515, 9, data.Regression, "standard"},
		"spam":       {4532, 57, data.Classification, "tails"},
		"eeg":        {14857, 14, data.Classification, "tails"},
	} {
		for _, fold := range []int{1, data.Folds(name)} {
			start := time.Now()
			train, test, notes, err := data.Load(data.Source{Data: name, DataDir: dir, Fold: fold})
			must.OK(t, err)
			took := time.Since(start)
			if more := train.N() - want.train; more < 0 || more > 1 {
				t.Errorf("%s %d: %d rows to train on, want %d or one more", name, fold, train.N(), want.train)
			}
			if test.N() < 60 {
				t.Errorf("%s %d: %d test rows", name, fold, test.N())
			}
			must.Equal(t, train.D(), want.inputs)
			must.Equal(t, train.Task, want.task)
			if s, err := scaling.FitScaler("auto", train); err != nil || s.Kind != want.scaling {
				t.Errorf("%s %d: scaling %s, %v", name, fold, s.Kind, err)
			}
			if fold == 1 {
				t.Logf("%s: %v; %v", name, took.Round(time.Millisecond), notes)
			}
		}
	}
}
