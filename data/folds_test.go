package data

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Folds are disjoint, cover all rows, and have equal shares of each class, whatever the seed.
func TestFolds(t *testing.T) {
	const rows, classes = 107, 3
	path := write(t, "t.csv", numbered(rows, classes))
	for _, folds := range []int{2, 5, 10} {
		var seen []float64
		for fold := 1; fold <= folds; fold++ {
			train, test, notes, err := Load(Source{Data: path, Folds: folds, Fold: fold, Seed: uint64(fold)})
			must.OK(t, err)
			if want := fmt.Sprintf("%d of 107 rows are for testing, fold %d of %d, with equal shares of "+
				"each class", test.N(), fold, folds); !slices.ContainsFunc(notes,
				func(n string) bool { return strings.HasSuffix(n, want) }) {
				t.Errorf("notes %q lack %s", notes, want)
			}
			if train.N()+test.N() != rows || test.N() < rows/folds || test.N() > rows/folds+1 {
				t.Errorf("%d folds: %d and %d rows", folds, train.N(), test.N())
			}
			var count [classes]int
			for i, l := range test.Labels {
				count[l]++
				id := test.Row(i)[0]
				seen = append(seen, id)
				if test.OriginalRows[i] != int(id) {
					t.Errorf("row %v is number %d", id, test.OriginalRows[i])
				}
				if int(id)%classes != int(l) || test.RowLocation(i) != fmt.Sprintf("%s:%d", path, int(id)+2) {
					t.Errorf("row %v has label %d and stands at %s", id, l, test.RowLocation(i))
				}
			}
			if slices.Max(count[:])-slices.Min(count[:]) > 2 { // 36, 36 and 35 rows of the classes
				t.Errorf("fold %d of %d has %v rows of the classes", fold, folds, count)
			}
		}
		slices.Sort(seen)
		for i, id := range seen {
			if len(seen) != rows || id != float64(i) {
				t.Fatalf("%d folds: row %d is missing or stands twice", folds, i)
			}
		}
	}
}

// Rows that are held out for the test keep their numbers in the file.
func TestHeldOutRowsKeepTheirNumbers(t *testing.T) {
	_, test, _, err := Load(Source{Data: write(t, "t.csv", numbered(50, 2))})
	must.OK(t, err)
	for i, number := range test.OriginalRows {
		if float64(number) != test.Row(i)[0] {
			t.Errorf("row %v is number %d", test.Row(i)[0], number)
		}
	}
	if len(test.OriginalRows) != test.N() {
		t.Errorf("%d of %d test rows have a number", len(test.OriginalRows), test.N())
	}
}

// The folds of these rows, worked out by another program: python's hashlib and sorted.
func TestFoldsOf(t *testing.T) {
	if got, want := foldsOf(nil, 10, 3), []int{3, 2, 1, 3, 1, 2, 1, 1, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("folds %v, want %v", got, want)
	}
	if got, want := foldsOf([]int32{1, 0, 1, 0, 1, 0, 1, 0, 1, 1}, 10, 2),
		[]int{2, 1, 1, 1, 2, 2, 1, 2, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("folds of classes %v, want %v", got, want)
	}
}

// A named set is split as one, its two files joined: of sequences, words that only one file has are known in both.
func TestFoldsOfANamedSet(t *testing.T) {
	dir := t.TempDir()
	for set, files := range map[string]map[string]string{
		"reuters": {"train.tsv.gz": "0\ta b\n1\tb c\n0\tc c\n1\ta c\n", "test.tsv.gz": "0\td d\n1\te a\n"},
		"protein": {"fold1.train.csv.gz": "a,target\n1,0.5\n2,1.5\n3,2.5\n4,3.5\n",
			"fold1.test.csv.gz": "a,target\n5,4.5\n6,5.5\n"},
	} {
		os.Mkdir(filepath.Join(dir, set), 0o755)
		for name, text := range files {
			os.WriteFile(filepath.Join(dir, set, name), []byte(text), 0o644)
		}
	}
	for _, set := range []string{"reuters", "protein"} {
		var seen []string
		for fold := 1; fold <= 3; fold++ {
			train, test, _, err := Load(Source{Data: set, DataDir: dir, Folds: 3, Fold: fold,
				ReadOptions: ReadOptions{Tokens: "words"}})
			must.OK(t, err)
			if train.N() != 4 || test.N() != 2 || train.Name != set {
				t.Errorf("%s: %d and %d rows", train.Name, train.N(), test.N())
			}
			for i := range test.N() {
				seen = append(seen, strings.TrimPrefix(test.RowLocation(i), dir))
				if test.Sequences != nil && slices.Min(test.Sequences.At(i)) < 0 {
					t.Errorf("%s: a word of the set is unknown", test.RowLocation(i))
				}
			}
			if set == "reuters" && len(train.Sequences.Alphabet.Words) != 5 {
				t.Errorf("words %v", train.Sequences.Alphabet.Words)
			}
		}
		if slices.Sort(seen); len(slices.Compact(seen)) != 6 {
			t.Errorf("%s: rows %v", set, seen)
		}
	}
	train, test, _, err := Load(Source{Data: "powerplant", Folds: 4, Fold: 4})
	must.OK(t, err)
	must.Equal(t, train.N()+test.N(), 9568)
	must.Equal(t, test.N(), 2392)
}

// An archive with a test part is split as a whole, and a kernel of the rows' own goes with its rows.
func TestFoldsOfAnArchive(t *testing.T) {
	archive := write(t, "a.npz", zipOf("x_train.npy", npy("<f4", "4, 1", []float32{1, 2, 3, 4}),
		"y_train.npy", npy("<f8", "4,", []float64{.1, .2, .3, .4}),
		"x_test.npy", npy("<f4", "2, 1", []float32{5, 6}), "y_test.npy", npy("<f8", "2,", []float64{.5, .6})))
	train, test, notes, err := Load(Source{Data: archive, Folds: 2})
	must.OK(t, err)
	must.Equal(t, fmt.Sprint(train.N(), test.N(), strings.Contains(fmt.Sprint(notes), "own test part")), "3 3 false")
	for i := range test.N() {
		if x := test.Row(i)[0]; test.Y[i] != x/10 {
			t.Errorf("the row of %v has the target %v", x, test.Y[i])
		}
	}
}

func TestBadFolds(t *testing.T) {
	good := write(t, "good.csv", numbered(20, 2))
	for _, c := range []struct {
		s    Source
		want string
	}{
		{Source{Data: good, Folds: 1}, good + ": cannot be split into 1 fold: give 2 or more"},
		{Source{Data: good, Folds: -2}, "cannot be split into -2 folds"},
		{Source{Data: good, Folds: 5, Fold: 6}, good + ": has no fold 6: its folds are 1 to 5"},
		{Source{Data: "eeg", Folds: 5, Fold: -1}, "eeg: has no fold -1: its folds are 1 to 5"},
		{Source{Data: good, Folds: 21}, good + ": has 20 rows: too few for 21 folds"},
		{Source{Data: good, Folds: 5, Test: good},
			"is tested on folds of its own rows: leave the test rows " + good + " out"},
		{Source{Data: "powerplant", Folds: 5, Test: good}, "leave the test rows " + good + " out"},
		{Source{Data: "eeg-blocked", Folds: 5}, "eeg-blocked has folds of its own, blocks of time"},
		{Source{Data: write(t, "t.csv", "a,b\n1,0\n3,1\n4,1\n5,2\n6,0\n"), Folds: 2,
			ReadOptions: ReadOptions{Task: "classification"}}, "has a single row of class 2"},
		{Source{Data: good, Fold: 1}, "a file has no folds: set their number with --folds"},
	} {
		_, _, _, err := Load(c.s)
		wantError(t, c.s.Data, err, strings.Contains, c.want)
	}
}
