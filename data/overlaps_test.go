package data

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// Rows of one group, or of one time, are an error where they are split, and nowhere else.
func TestOneGroup(t *testing.T) {
	table := write(t, "t.csv", "g,t,x,smiles,y\na,5,1,CC,1\na,5,2,CCC,3\na,5,3,CO,2\na,5,4,CCO,5\n")
	for want, roles := range map[string]RowRoles{
		"t.csv: all rows are one group, or have one time, by \"g\"":        {Group: "g"},
		"t.csv: all rows are one group, or have one time, by \"scaffold\"": {Group: scaffold},
		"t.csv: all rows are one group, or have one time, by \"t\"":        {Time: "t"}} {
		from := Source{Data: table, Test: NoTest, ReadOptions: ReadOptions{Target: "y", Sequence: "smiles",
			TableOptions: TableOptions{Roles: roles, Ignore: "x"}}}
		all, _, _, err := Load(from)
		if err != nil || all.N() != 4 {
			t.Fatalf("%+v: %v", roles, err)
		}
		if _, _, err := HoldOut(all, 0.25, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v, validation: %v", roles, err)
		}
		from.Test = ""
		if _, _, _, err := Load(from); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v, a tenth: %v", roles, err)
		}
		from.Folds, from.Fold = 2, 1
		if _, _, _, err := Load(from); err == nil || !strings.Contains(err.Error(), "too few") {
			t.Errorf("%+v, folds: %v", roles, err)
		}
	}
}

// Rows to test on that are training rows get a warning, unless rows repeat each other anyhow.
func TestCopiesOfTrainingRows(t *testing.T) {
	table := func(n, first int, row string) string {
		text := "k,x,y\n"
		for i := range n {
			text += fmt.Sprintf(row+"\n", first+i)
		}
		return text
	}
	const numbers = "a,%[1]d,%[1]d.5"
	for _, c := range []struct {
		train, test, want string
	}{
		{table(40, 0, numbers), table(40, 0, numbers), "new.csv: 40 of the 40 rows are training rows, too"},
		{table(40, 0, numbers), table(20, 29, numbers), "new.csv: 11 of the 20 rows are training rows, too"},
		{table(40, 0, numbers), table(20, 35, numbers), ""},
		{table(40, 0, numbers), table(40, 0, "a,%[1]d,%[1]d.25"), ""},

		{table(40, 0, numbers), "k,x,y\n" + strings.Repeat("a,1,1.5\n", 40), ""},
		{table(40, 0, numbers) + strings.TrimPrefix(table(40, 0, numbers), "k,x,y\n"), table(12, 3, numbers), ""},
	} {
		_, _, notes, err := Load(Source{Data: write(t, "t.csv", c.train), Test: write(t, "new.csv", c.test)})
		must.OK(t, err)
		got := strings.Join(notes, "\n")
		if has := strings.Contains(got, "training rows, too"); has != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Rows to test on of groups or times of the training rows get a warning, also where a cell is missing.
func TestOverlaps(t *testing.T) {
	const train = "g,t,x,y\na,2020-01-01,1,1\nb,2020-01-02,2,3\nb,2020-01-05,3,2\n"
	for _, c := range []struct{ test, want string }{
		{"g,t,x,y\nb,2021-01-01,1,1\nc,2020-01-05,1,1\nb,2020-01-04,2,1\n,,3,1\n",
			"new.csv: 2 of the 4 rows are of groups of the training rows, such as \"b\", so scores may be too good|" +
				"new.csv: 2 of the 4 rows are not later than the last training row, so scores may be too good"},
		{"g,t,x,y\nc,2021-01-01,1,1\n", "|"}, {"x,y\n1,1\n", "|"}, {"g,t,x,y\nc,soon,1,1\n", "|"},
	} {
		for k, roles := range []RowRoles{{Group: "g"}, {Time: "t"}} {
			from := Source{Data: write(t, "t.csv", train), Test: write(t, "new.csv", c.test),
				ReadOptions: ReadOptions{Target: "y",
					TableOptions: TableOptions{Roles: roles, Ignore: []string{"t", "g"}[k]}}}
			_, test, notes, err := Load(from)
			if err != nil || test.Groups != nil || test.Times != nil {
				t.Fatalf("%q: %v", c.test, err)
			}
			got := slices.DeleteFunc(notes, func(note string) bool { return !strings.HasPrefix(note, "warning: ") })
			if want := strings.Split(c.want, "|")[k]; !strings.Contains(strings.Join(got, "|"), want) ||
				(want == "") != (len(got) == 0) {
				t.Errorf("%q, %+v: %q, want %q", c.test, roles, got, want)
			}
		}
	}
}

// Dates that split the rows of a training are read in the same form in a file to train on further.
func TestDatedTimesAgain(t *testing.T) {
	const table = "t,x,y\n01/02/2020,1,1\n13/02/2020,2,3\n03/03/2020,3,2\n"
	for _, first := range []RowRoles{{Time: "t"}, {}} { // a time, or an input
		ds := must.Get(inRoles(t, table, first))(t)
		again := dataset(ReadFile(write(t, "new.csv", table), ReadOptions{Schema: throughJSON(t, ds),
			TableOptions: TableOptions{Roles: RowRoles{Time: "t"}}}))(t)
		if days := (again.Times[1] - again.Times[0]) / secondsPerDay; days != 12 {
			t.Errorf("%+v: %g days", first, days)
		}
	}
}

// Molecules to test on that have scaffolds of the training molecules get a warning; those without a ring do not.
func TestScaffoldOverlap(t *testing.T) {
	const train = "smiles,y\nCc1ccccc1,1\nOC1CCCC1,3\nCCO,2\nC1CC1,4\n"
	for rows, want := range map[string]int{
		// a node has the label of a bond of the training rows
		`"{""nodes"": [""-"", ""C"", ""C"", ""C""], ""edges"": [[0,1], [1,2], [2,0], [0,3]]}"` + "\nC\n": 0,
		"Fc1ccccc1\nCCC1CCCC1\nCC\nc1ccncc1\n": 2, "CC\nc1ccncc1\nC[Se]1CCCC1\n": 0} {
		test := "smiles,y\n" + strings.ReplaceAll(rows, "\n", ",1\n")
		from := Source{Data: write(t, "t.csv", train), Test: write(t, "new.csv", test),
			ReadOptions: ReadOptions{Target: "y", Sequence: "smiles",
				TableOptions: TableOptions{Roles: RowRoles{Group: scaffold}}}}
		all, held, notes, err := Load(from)
		if err != nil || held.Groups != nil {
			t.Fatalf("groups %v, %v: want none", held.Groups, err)
		}
		const warning = "new.csv: 2 of the 4 rows have scaffolds of the training rows, so scores may be too good"
		if got := strings.Count(strings.Join(notes, "\n"), "have scaffolds"); got != min(want, 1) ||
			(want > 0 && !strings.Contains(strings.Join(notes, "\n"), warning)) {
			t.Errorf("%s: %q", rows, notes)
		}
		if n := held.withScaffolds(all.scaffolds, map[int32]bool{0: true}); n != want/2 { // a part of the training rows
			t.Errorf("%s: %d molecules have the first scaffold", rows, n)
		}
	}
}
