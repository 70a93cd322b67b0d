package data

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// TestScaffoldGroups: groups are the scaffolds of molecules in every format, unless a column has the name.
func TestScaffoldGroups(t *testing.T) {
	smiles := []string{"Cc1ccccc1", "CCO", "Oc1ccccc1", "C1CCCCC1C", "CC(C)C", "C1CCCCC1(F)F"}
	want := []int32{0, 1, 0, 2, 1, 2}
	table, list, named := "smiles,y\n", "", "smiles,scaffold,y\n"
	for i, s := range smiles {
		y := string(rune('0'+i)) + ".5"
		table += s + "," + y + "\n"
		list += y + "\t" + s + "\n"
		named += s + "," + "ab"[i%2:i%2+1] + "," + y + "\n"
	}
	roles := TableOptions{Roles: RowRoles{Group: scaffold}}
	for file, opt := range map[string]ReadOptions{
		table: {Sequence: "smiles", Target: "y", TableOptions: roles},
		list:  {Tokens: "graphs", Task: "regression", TableOptions: roles},
	} {
		ds, notes, err := readText(file, opt)
		must.OK(t, err)
		if !slices.Equal(ds.Groups, want) || ds.Schema().Roles.Group != scaffold {
			t.Errorf("%s: groups %v, not %v", file, ds.Groups, want)
		}
		const note = "2 scaffolds of 4 molecules; 2 without a ring are one group"
		if !strings.Contains(strings.Join(notes, "\n"), note) {
			t.Errorf("notes %q", notes)
		}
		like := ds.Schema()
		again, _, err := readText(file, ReadOptions{Schema: &like, TableOptions: roles}) // to train further
		if err != nil || !slices.Equal(again.Groups, want) {
			t.Errorf("%s: %v, %v", file, again, err)
		}
		if new, _, err := readText(file, ReadOptions{Schema: &like, TargetOptional: true}); err != nil ||
			new.Groups != nil {
			t.Errorf("%s: rows to predict: %v, %v", file, new, err)
		}
	}
	ds, _, err := readText(named, ReadOptions{Sequence: "smiles", Target: "y", TableOptions: roles})
	if err != nil || !slices.Equal(ds.Groups, []int32{0, 1, 0, 1, 0, 1}) {
		t.Errorf("a column of that name: %v, %v", ds, err)
	}
}

func TestBadScaffolds(t *testing.T) {
	roles := TableOptions{Roles: RowRoles{Group: scaffold}}
	for _, c := range []struct {
		file string
		opt  ReadOptions
		want string
	}{
		{"x,y\n1,2\n3,4\n", ReadOptions{}, `has no column "scaffold" to group the rows, and no molecules`},
		{"1\t{\"nodes\": [\"C\"], \"edges\": []}\n2\t{\"nodes\": [\"Ann\"], \"edges\": []}\n",
			ReadOptions{Tokens: "graphs"}, `t.csv:2: found a node with the label "Ann", which is not an atom`},
		{"smiles,when,y\nC1CC1,1,1.5\nC1CCC1,2,2.5\n", ReadOptions{Sequence: "smiles", Target: "y"},
			`by the groups "scaffold" and by the times "when" together`},
		{"0\tACGT\n1\tACCT\n", ReadOptions{}, "no molecules that have scaffolds"},
		{"smiles,Scaffold,y\nC1CC1,1,1.5\nC1CCC1,2,2.5\n", ReadOptions{Sequence: "smiles", Target: "y"},
			`has no column "scaffold" that groups the rows (did you mean "Scaffold"?)`},
	} {
		c.opt.TableOptions = roles
		if strings.Contains(c.file, "when") {
			c.opt.Roles.Time = "when"
		}
		_, _, err := ReadFile(write(t, "t.csv", c.file), c.opt)
		wantError(t, c.file, err, strings.Contains, c.want)
	}
}
