package data

import (
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
	for _, c := range []struct {
		name, file string
		opt        ReadOptions
	}{
		{"table", table, ReadOptions{Sequence: "smiles", Target: "y", TableOptions: roles}},
		{"list", list, ReadOptions{Tokens: "graphs", Task: "regression", TableOptions: roles}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ds, notes, err := readText(c.file, c.opt)
			must.OK(t, err)
			must.Equal(t, ds.Groups, want)
			must.Equal(t, ds.Schema().Roles.Group, scaffold)
			must.Contain(t, strings.Join(notes, "\n"), "2 scaffolds of 4 molecules; 2 without a ring are one group")
			like := ds.Schema()
			further := dataset(readText(c.file, ReadOptions{Schema: &like, TableOptions: roles}))(t)
			must.Equal(t, further.Groups, want)
			predicted := dataset(readText(c.file, ReadOptions{Schema: &like, TargetOptional: true}))(t)
			must.Equal(t, predicted.Groups, nil)
		})
	}
	ds := dataset(readText(named, ReadOptions{Sequence: "smiles", Target: "y", TableOptions: roles}))(t)
	must.Equal(t, ds.Groups, []int32{0, 1, 0, 1, 0, 1}) // of the column of that name
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
