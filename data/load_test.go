package data

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/data/sets"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/usererror"
)

func init() { usererror.DashOptions() } // messages are as the command prints them

// SetsDir returns the folder of the named sets; without one, the test is skipped.
func SetsDir(t *testing.T) string {
	dir := os.Getenv(DataDirEnv)
	if dir == "" {
		t.Skip("set " + DataDirEnv + " to the folder of the named sets to compare with their files")
	}
	return dir
}

// numbered returns a table whose first input is the row number; labels go round.
func numbered(rows, classes int) string {
	var b strings.Builder
	b.WriteString("id,const,target\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,7,%d\n", i, i%classes)
	}
	return b.String()
}

// A file of test rows is compared with the training rows: there is no model yet.
func TestTestFileLacksAnInput(t *testing.T) {
	_, _, _, err := Load(Source{Data: write(t, "t.csv", "a,b,y\n1,2,0.5\n2,1,1.5\n"),
		Test: write(t, "u.csv", "a,y\n1,0.5\n")})
	must.Contain(t, fmt.Sprint(err), `column "b" is missing: the training rows have it`)
}

func TestHoldOut(t *testing.T) {
	path := write(t, "t.csv", numbered(105, 3))
	split := func(seed uint64) (train, test []float64) {
		a, b, notes, err := Load(Source{Data: path, Seed: seed})
		must.OK(t, err)
		if all := strings.Join(notes, "\n"); !strings.Contains(all, "11 of 105 rows held out") ||
			!strings.Contains(all, `constant in the training rows, so it carries no information: "const"`) {
			t.Errorf("notes %s", all)
		}
		for i, l := range b.Labels {
			if int(l) != int(b.Row(i)[0])%3 {
				t.Errorf("row %v has label %d", b.Row(i), l)
			}
		}
		if a.Fingerprint == b.Fingerprint || fmt.Sprint(a.Classes) != fmt.Sprint(b.Classes) {
			t.Error("the parts do not look like parts")
		}
		return matrix.Column(make([]float64, a.N()), a.X, 0), matrix.Column(make([]float64, b.N()), b.X, 0)
	}
	train, test := split(1)
	if len(train) != 94 || len(test) != 11 || !slices.IsSorted(train) || !slices.IsSorted(test) {
		t.Fatalf("%d and %d rows", len(train), len(test))
	}
	all := slices.Sorted(slices.Values(slices.Concat(train, test)))
	for i, v := range all {
		if v != float64(i) {
			t.Fatalf("row %d is missing or stands twice", i)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if _, again := split(1); !slices.Equal(test, again) {
		t.Error("the same seed gives other rows")
	}
	if _, other := split(2); slices.Equal(test, other) {
		t.Error("another seed gives the same rows")
	}
	if _, other := split(1 + 1<<32); slices.Equal(test, other) {
		t.Error("the high half of the seed does not count")
	}
}

// TestHeldOutIsFair: each row is drawn about as often as any other.
func TestHeldOutIsFair(t *testing.T) {
	var count [20]int
	const draws = 5000
	for seed := range uint64(draws) {
		for _, r := range drawn(len(count), tenth(len(count)), heldOutSite, seed) {
			count[r]++
		}
	}
	for r, n := range count { // mean 500, standard deviation 21
		if n < 400 || n > 600 {
			t.Errorf("row %d was drawn %d times of %d", r, n, draws)
		}
	}
	if n := len(drawn(2, tenth(2), heldOutSite, 1)); n != 1 {
		t.Errorf("%d of 2 rows held out", n)
	}
}

func TestTestFile(t *testing.T) {
	train, test, _, err := Load(Source{
		Data: write(t, "train.csv", "a,b,target\n1,2,0.5\n3,4,1.5\n"),
		Test: write(t, "test.csv", "target,b,a\n9,8,7\n"),
	})
	must.OK(t, err)
	must.Equal(t, train.N(), 2)
	must.Equal(t, fmt.Sprint(test.X.Float64s(), test.Y), "[7 8] [9]")
}

func TestBadSources(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "spam"), 0o755)
	good := write(t, "good.csv", numbered(20, 2))
	for _, c := range []struct {
		name string
		s    Source
		want string
	}{
		{"nothing", Source{}, "no data given"},
		{"no file", Source{Data: "none.csv"}, "none.csv: there is no such file"},
		{"a pipe for two", Source{Data: "-", Test: "-"}, "standard input: has the rows of one file"},
		{"misspelt set", Source{Data: "powerplnt"}, `powerplnt: there is no such file (did you mean "powerplant"?)`},
		{"start of a set", Source{Data: "power"}, `power: there is no such file (did you mean "powerplant"?)`},
		{"fold of a file", Source{Data: good, Fold: 1}, good + ": a file has no folds"},
		{"no test file", Source{Data: good, Test: "none.csv"}, "none.csv: there is no such file"},
		{"test file of a set", Source{Data: "powerplant", Test: good},
			"powerplant needs no other file: leave the file"},
		{"fold 4", Source{Data: "powerplant", Fold: 4}, "powerplant has no fold 4: its folds are 1 to 3"},
		{"fold −1", Source{Data: "eeg", Fold: -1}, "eeg has no fold -1: its folds are 1 to 5"},
		{"fold 6", Source{Data: "spam", Fold: 6}, "spam has no fold 6: its folds are 1 to 5"},
		{"no folder", Source{Data: "spam"},
			"the set spam is read from a folder: name it with --set data-dir=DIR or GPDRF_DATA"},
		{"other folder", Source{Data: "eeg", DataDir: dir}, "gpdrf-gpu data fetch eeg --data-dir " + dir},
		{"empty folder", Source{Data: "spam", DataDir: dir},
			filepath.Join(dir, "spam", "fold1.train.csv.gz") + ": there is no such file"},
		{"one row", Source{Data: write(t, "t.csv", "a,b\n1,2\n")}, "has 1 row: at least two to train on"},
		{"two rows", Source{Data: write(t, "t.csv", "a,b\n1,2\n3,4\n")},
			"has 2 rows: at least two to train on and one to test on are needed"},
		{"one training row", Source{Data: write(t, "t.csv", "id,const,target\n1,1,2\n"), Test: good},
			"has 1 row to train on: "},
		{"constant target", Source{Data: write(t, "t.csv", "a,b\n1,7.5\n3,7.5\n4,7.5\n")},
			`the target column "b" holds the value 7.5 only`},
		{"others held out", Source{Data: write(t, "t.csv", "a,b\n1,7.5\n3,7.5\n"),
			Test: write(t, "u.csv", "a,b\n1,8\n")}, `holds the value 7.5 only: there is nothing to learn; ` +
			`its other values are in rows that are held out: take`},
		{"one class", Source{Data: write(t, "t.csv", "a,b\n1,1\n3,1\n4,1\n"),
			ReadOptions: ReadOptions{Task: "classification"}},
			`the target column "b" holds the class "1" only`},
		{"one class of sequences", Source{Data: write(t, "t.fasta", ">1\nAC\n>1\nGT\n>1\nGA\n"),
			ReadOptions: ReadOptions{Task: "classification"}},
			`the label of each row holds the class "1" only: at least two classes are needed; labels are the headers`},
		{"class held out", Source{Data: write(t, "t.csv", "a,b\n1,0\n3,1\n4,2\n"),
			ReadOptions: ReadOptions{Task: "classification"}}, "(--test FILE, --set validation=FILE)"},
	} {
		_, _, _, err := Load(c.s)
		wantError(t, c.name, err, strings.Contains, c.want)
	}
}

// TestNameWins: a file called spam must be given as ./spam.
func TestNameWins(t *testing.T) {
	t.Chdir(t.TempDir())
	os.WriteFile("spam", []byte(numbered(20, 2)), 0o644)
	if _, _, _, err := Load(Source{Data: "spam"}); err == nil {
		t.Error("the file spam was read as the set")
	}
	if train, _, _, err := Load(Source{Data: "./spam"}); err != nil || train.Name != "spam" {
		t.Error(err)
	}
}

// TestDataDirectory reads a set from a folder in the published layout.
func TestDataDirectory(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"powerplant", "protein"} {
		os.Mkdir(filepath.Join(dir, name), 0o755)
		for file, text := range map[string]string{"fold2.train.csv.gz": zipped("a,target\n1,0.5\n2,1.5\n"),
			"fold2.test.csv.gz": zipped("a,target\n3,2.5\n")} {
			os.WriteFile(filepath.Join(dir, name, file), []byte(text), 0o644)
		}
	}
	t.Setenv(DataDirEnv, t.TempDir()) // which is for the caller to read
	train, test, _, err := Load(Source{Data: "protein", Fold: 2, DataDir: dir})
	must.OK(t, err)
	must.Equal(t, fmt.Sprintln(train.N(), test.Y[0], train.Name), "2 2.5 protein\n")
	must.Contain(t, train.Path, dir)
	// its folds there are standardised: their own units are not known
	powerplant, _ := sets.Find("powerplant")
	for _, any := range []string{"", t.TempDir(), dir} {
		train, _, _, err = Load(Source{Data: "powerplant", DataDir: any})
		if err != nil || train.Path != "powerplant (embedded)" || powerplant.From(any) != "embedded" {
			t.Errorf("from %q: %v, %v, want the embedded one", any, train, err)
		}
	}
}

// A set whose folder lacks a file says how to get it.
func TestNamedSetWithoutFiles(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "mnist"), 0o755)
	if _, _, _, err := Load(Source{Data: "mnist", DataDir: dir}); err == nil ||
		!strings.Contains(err.Error(), "there is no such file; to get the set: gpdrf-gpu data fetch mnist") {
		t.Error(err)
	}
}

// Rows for a model that exists are read as its file was written, where the options leave it open.
func TestLoadAsTheModel(t *testing.T) {
	first := write(t, "a.csv", "a;b;target\n1,5;2;3\n2,5;1;4\n3,5;3;7,5\n")
	open := TableOptions{Dialect: Dialect{Separator: "auto", Decimal: "auto", Thousands: "auto", Header: "auto"}}
	given := open
	given.Separator, given.Decimal = ";", "comma"
	train := func(path string, opt ReadOptions) (*Dataset, error) {
		ds, _, _, err := Load(Source{Data: path, Test: NoTest, ReadOptions: opt})
		return ds, err
	}
	old := must.Get(train(first, ReadOptions{TableOptions: given}))(t)
	schema := old.Schema()
	again := write(t, "b.csv", "a;b;target\n7,989;2;3\n2,512;1;4\n3,125;3;7,512\n")
	ds := must.Get(train(again, ReadOptions{Schema: &schema, TableOptions: open}))(t)
	must.Equal(t, ds.Row(0)[0], 7.989)
	wrong := given
	wrong.Separator = ","
	if _, err := train("nothere.csv", ReadOptions{TableOptions: wrong}); err == nil ||
		!strings.Contains(err.Error(), "the comma cannot both separate cells and mark decimals") {
		t.Errorf("options that contradict each other, and no file: %v", err)
	}
}
