package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/internal/must"
)

// visits writes a table of patients who come several times, in the order of a shuffled time.
func visits(patients, most int) string {
	r := rand.New(rand.NewPCG(3, 3))
	var lines []string
	for p := range patients {
		for range 1 + r.IntN(most) {
			lines = append(lines, fmt.Sprintf("%g,p%d,%d,%g,%d,%g\n", r.NormFloat64(), p, len(lines)/2, r.Float64(),
				r.IntN(3), r.NormFloat64()))
		}
	}
	r.Shuffle(len(lines), func(a, b int) { lines[a], lines[b] = lines[b], lines[a] })
	return "x,patient,day,exposure,copies,y\n" + strings.Join(lines, "")
}

// inRoles reads a table with roles.
func inRoles(t *testing.T, table string, roles RowRoles) (*Dataset, error) {
	t.Helper()
	ds, _, err := ReadFile(write(t, "t.csv", table),
		ReadOptions{TableOptions: TableOptions{Roles: roles}, Target: "y"})
	return ds, err
}

func TestRoles(t *testing.T) {
	ds := must.Get(inRoles(t, visits(40, 5), RowRoles{Weights: "copies", Group: "2", Offset: "exposure"}))(t)
	n := ds.N()
	must.Equal(t, ds.Columns, []string{"x", "day"})
	must.Equal(t, []int{len(ds.Weights), len(ds.Offset)}, []int{n, n})
	must.Equal(t, []float64{slices.Min(ds.Weights), slices.Max(ds.Weights)}, []float64{1, 2})
	if most := slices.Max(ds.Groups); most < 30 {
		t.Errorf("the last group is %d", most)
	}
	if ds.Times != nil {
		t.Errorf("rows without a column of times have %v", ds.Times)
	}
	some := ds.Subset([]int{5, 2})
	must.Equal(t, some.Weights, []float64{ds.Weights[5], ds.Weights[2]})
	must.Equal(t, some.Groups, []int32{ds.Groups[5], ds.Groups[2]})
	must.Equal(t, some.Offset, []float64{ds.Offset[5], ds.Offset[2]})

	schema := ds.Schema()
	const named = "exposure,x,day,copies\n0.5,1,2,\n0.25,3,4,-1\n" // rows to predict need no weights
	for _, file := range []string{named, `{"x": 1, "day": 2, "exposure": 0.5}` + "\n" +
		`{"x": 3, "day": 4, "exposure": 0.25}` + "\n"} {
		new := dataset(ReadFile(write(t, "new", file), forPrediction(schema, TableOptions{}, ReadControl{})))(t)
		if !slices.Equal(new.Offset, []float64{0.5, 0.25}) || new.Weights != nil || new.Groups != nil {
			t.Errorf("%s: offsets %v, weights %v", file, new.Offset, new.Weights)
		}
	}
	_, _, err := ReadFile(write(t, "new.csv", "x,day\n1,2\n"), forPrediction(schema, TableOptions{}, ReadControl{}))
	wantError(t, "without the offset", err, strings.Contains,
		`new.csv:1: column "exposure" is missing: it is added to`)
	request, err := schema.Rows(Request{N: 2, Numbers: []float64{1, 2, 0.5, 3, 4, 0.25}})
	if err != nil || !slices.Equal(request.Offset, []float64{0.5, 0.25}) {
		t.Errorf("a request: %v, %v", request, err)
	}
}

func TestBadRoles(t *testing.T) {
	table := "w,g,t,x,y\n1,a,1,1,1\n2,b,2,2,3\n1,a,3,4,2\n"
	for _, c := range []struct {
		table string
		roles RowRoles
		want  string
	}{
		{table, RowRoles{Weights: "v"}, `has no column "v" that weights the rows`},
		{table, RowRoles{Weights: "g"}, `t.csv:2:3: found "a" in column "g"`},
		{table, RowRoles{Weights: "y"}, `column "y" cannot be both --weights and the target`},
		{table, RowRoles{Weights: "w", Group: "w"}, `column "w" cannot be both --group and --weights`},
		{table, RowRoles{Group: "g", Time: "t"}, `give --group or --time`},
		{strings.Replace(table, "2,b", "-2,b", 1), RowRoles{Weights: "w"},
			`t.csv:3:1: found the weight "-2" in column "w"`},
		{strings.Replace(table, "2,b", "1e-50,b", 1), RowRoles{Weights: "w"},
			`t.csv:3:1: found the weight "1e-50" in column "w": weights are 0`},
		{strings.Replace(table, "2,b", "NaN,b", 1), RowRoles{Weights: "w"}, `t.csv:3:1: `},
		{strings.Replace(table, "2,b", "inf,b", 1), RowRoles{Weights: "w"}, `t.csv:3:1: `},
		{strings.NewReplacer("\n1,", "\n0,", "\n2,", "\n0,").Replace(table), RowRoles{Weights: "w"},
			`t.csv: has no row that can be used: 3 have the weight 0`},
		{strings.ReplaceAll(table, "b", ""), RowRoles{Group: "g"}, `t.csv:3:3: `},
		{table, RowRoles{Time: "g"}, `t.csv:2:3: found "a" in column "g"`},
		{strings.Replace(table, "b,2", "b,2a", 1), RowRoles{Time: "t"}, `t.csv:3:5: found "2a" in column "t"`},
		{strings.NewReplacer("a,1", "a,10:30", "b,2", "b,11:30", "a,3", "a,12:30").Replace(table), RowRoles{Time: "t"},
			`t.csv:2:5: found "10:30" in column "t", which cannot be read as a date: write it as a number of minutes ` +
				`or hours, or like 2020-12-31 23:59, with a year of four digits, or name another column with --time`},
	} {
		_, err := inRoles(t, c.table, c.roles)
		wantError(t, fmt.Sprint(c.roles), err, strings.Contains, c.want)
	}
	for _, roles := range []RowRoles{{Weights: "w"}, {Group: "g"}, {Time: "t"}, {Offset: "w"}} {
		at := roles.all()[slices.IndexFunc(roles.all(), func(r rowRole) bool { return r.column != "" })]
		for other, opt := range map[string]TableOptions{"--set text": {Roles: roles, Text: "x," + at.column},
			"--set id": {Roles: roles, ID: at.column}, "left out": {Roles: roles, Ignore: at.column}} {
			_, _, err := ReadFile(write(t, "t.csv", table), ReadOptions{TableOptions: opt, Target: "y"})
			if want := "cannot be both " + at.flag + " and " + other; err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	_, _, err := ReadFile(write(t, "t.fasta", ">a\nACGT\n>b\nACGA\n"),
		ReadOptions{TableOptions: TableOptions{Roles: RowRoles{Group: "g"}}})
	wantError(t, "FASTA with groups", err, strings.Contains, "group")
}

// A dash among numbers is a missing weight, time or offset; it may be the name of a group.
func TestDashesInRoles(t *testing.T) {
	const table = "r,x,y\n1,1,1.5\n-,2,3\n2,4,2.5\n"
	for roles, rows := range map[RowRoles]int{{Weights: "r"}: 2, {Time: "r"}: 2, {Offset: "r"}: 2, {Group: "r"}: 3} {
		opt := ReadOptions{TableOptions: TableOptions{Roles: roles, Missing: MissingDrop}}
		ds, _, err := readText(table, opt)
		if err != nil || ds.N() != rows {
			t.Errorf("%+v: %v, %v", roles, ds, err)
		}
		if rows == 3 {
			continue
		}
		opt.Missing = ""
		want := `t.csv:3:1: found "-", a missing value, in column "r": each row needs its ` + roles.firstOption()
		_, _, err = readText(table, opt)
		wantError(t, "", err, strings.HasPrefix, want)
	}
}

// A class that only held-out groups have is an error that names what helps.
func TestClassOfOneGroup(t *testing.T) {
	const table = "g,x,y\na,1,r\na,5,r\na,2,p\nb,9,p\nb,3,q\nb,7,p\nc,8,q\nc,4,p\nc,6,q\nd,1,p\nd,0,q\nd,2,p\n"
	_, _, _, err := Load(Source{Data: write(t, "t.csv", table), Folds: 2, Fold: 1,
		ReadOptions: ReadOptions{TableOptions: TableOptions{Roles: RowRoles{Group: "g"}}}})
	const want = `no training row is left for class r of the target column "y": too few rows of it; its groups are ` +
		"held out: take another seed or number of folds"
	wantError(t, "", err, strings.Contains, want)
}

// Rows of a group are in one part of every split, whatever makes it.
func TestGroupsStayWhole(t *testing.T) {
	ds := must.Get(inRoles(t, visits(60, 6), RowRoles{Group: "patient"}))(t)
	whole := func(what string, train, test *Dataset) {
		t.Helper()
		if train.N()+test.N() != ds.N() {
			t.Errorf("%s: %d and %d rows of %d", what, train.N(), test.N(), ds.N())
		}
		for _, g := range test.Groups {
			if slices.Contains(train.Groups, g) {
				t.Fatalf("%s: group %d is in both parts", what, g)
			}
		}
	}
	for seed := range uint64(20) {
		rest, held, err := HoldOut(ds, 0.2, seed)
		must.OK(t, err)
		whole("held out", rest, held)
		if share := float64(held.N()) / float64(ds.N()); share < 0.2 || share > 0.25 {
			t.Errorf("seed %d: %g of the rows", seed, share)
		}
	}
	tested := 0
	for k := 1; k <= 5; k++ {
		train, test, note, err := inFolds(ds, 5, k)
		if err != nil || !strings.HasSuffix(note, "whole groups") {
			t.Fatalf("fold %d: %s, %v, want whole groups", k, note, err)
		}
		whole(note, train, test)
		tested += test.N()
		if n := float64(ds.N()) / 5; float64(test.N()) < n-6 || float64(test.N()) > n+6 {
			t.Errorf("fold %d has %d rows", k, test.N())
		}
	}
	if tested != ds.N() {
		t.Errorf("%d rows tested of %d", tested, ds.N())
	}
	_, _, _, err := inFolds(ds, 61, 1)
	wantError(t, "61 folds", err, strings.Contains, "60 groups")
	two := must.Get(inRoles(t, "g,x,y\na,1,1.5\na,2,3\na,4,2\na,5,3\nb,3,2\nb,4,4\nb,1,2\nb,0,3\n",
		RowRoles{Group: "g"}))(t)
	rest, held, err := HoldOut(two, 0.1, 1)
	if err != nil || rest.N() != 4 || held.N() != 4 {
		t.Errorf("a group of half of the rows is not held out: %v", err)
	}
}

// Splits by time train on the past alone, also where many rows have one time.
func TestPastAndFuture(t *testing.T) {
	ds := must.Get(inRoles(t, visits(60, 6), RowRoles{Time: "day"}))(t)
	rest, held, err := HoldOut(ds, 0.2, 1)
	must.OK(t, err)
	if last, first := slices.Max(rest.Times), slices.Min(held.Times); last >= first {
		t.Errorf("rows to train on reach to the time %g, and held-out ones begin at %g", last, first)
	}
	must.Equal(t, rest.N()+held.N(), ds.N())
	if n := held.N(); n < ds.N()/5 || n > ds.N()/5+3 {
		t.Errorf("held out %d of %d rows, not a fifth", n, ds.N())
	}
	before := 0
	for k := 1; k <= 4; k++ {
		train, test, note, err := inFolds(ds, 4, k)
		if err != nil || !strings.HasSuffix(note, "trained on the rows before them") {
			t.Fatalf("fold %d: %s, %v, want the rows before", k, note, err)
		}
		if slices.Max(train.Times) >= slices.Min(test.Times) || train.N() <= before || test.N() < ds.N()/5-3 {
			t.Errorf("fold %d: %d rows up to %g, tested on %d from %g", k, train.N(), slices.Max(train.Times), test.N(),
				slices.Min(test.Times))
		}
		if before = train.N(); k == 4 && train.N()+test.N() != ds.N() {
			t.Errorf("the last window has %d of %d rows", train.N()+test.N(), ds.N())
		}
	}
	coarse := must.Get(inRoles(t, "t,x,y\n1,1,1.5\n1,2,3\n2,4,2\n2,3,2\n2,5,1\n", RowRoles{Time: "t"}))(t)
	if rest, held, err := HoldOut(coarse, 0.2, 1); err != nil || rest.N() != 2 || held.N() != 3 {
		t.Errorf("rows of one time are in both parts: %v", err)
	}
	_, _, _, err = inFolds(coarse, 3, 1)
	wantError(t, "three windows of two times", err, strings.Contains, "too few different times")
	dates := must.Get(inRoles(t, "t,x,y\n2024-03-01,1,1.5\n2023-12-31T23:00:00Z,2,3\n2024-01-15,4,2\n",
		RowRoles{Time: "t"}))(t)
	if _, held, err := HoldOut(dates, 0.2, 1); err != nil || held.Row(0)[0] != 1 {
		t.Errorf("the latest date is not held out: %v", err)
	}
}

// Rows in memory have the same roles, and the same errors.
func TestRolesInMemory(t *testing.T) {
	rows := Rows{Inputs: [][]float64{{1}, {2}, {3}, {4}}, Values: []float64{1, 2, 4, 3}, Weights: []float64{1, 2, 0, 1},
		Groups: []string{"a", "b", "a", "c"}, Offset: []float64{0, 1, 2, 3}}
	ds := must.Get(FromRows(rows))(t)
	if !slices.Equal(ds.Groups, []int32{0, 1, 2}) || !slices.Equal(ds.Weights, []float64{1, 2, 1}) ||
		ds.Schema().Roles.Offset == "" {
		t.Errorf("groups %v, weights %v, roles %+v", ds.Groups, ds.Weights, ds.Schema().Roles)
	}
	for want, change := range map[string]func(r *Rows){
		"row 2: the weight is -1":   func(r *Rows) { r.Weights = []float64{1, -1, 1, 1} },
		"3 weights for 4 rows":      func(r *Rows) { r.Weights = r.Weights[1:] },
		"weights of all rows are 0": func(r *Rows) { r.Weights = make([]float64, 4) },
		"row 1: the time is NaN": func(r *Rows) {
			r.Groups, r.Times = nil, []float64{math.NaN(), 1, 2, 3}
		},
		"split by the groups \"group\" and by the t": func(r *Rows) { r.Times = []float64{1, 2, 3, 4} },
	} {
		bad := rows
		change(&bad)
		_, err := FromRows(bad)
		wantError(t, "", err, strings.Contains, want)
	}
	new := Rows{Inputs: [][]float64{{1}}}
	_, err := new.Request(ds.Schema())
	wantError(t, "without the offset", err, strings.Contains, "0 offsets for 1 row")
	new.Offset = []float64{7}
	if g, err := new.Request(ds.Schema()); err != nil || !slices.Equal(g.Numbers, []float64{1, 7}) {
		t.Errorf("%v, %v", g.Numbers, err)
	}
}

// Blocks of sequences are neighbours in the file, with equal shares of the classes. Other rows stay as they are.
func TestGroupedInBlocks(t *testing.T) {
	texts, classes := make([]string, 60), make([]string, 60)
	for i := range texts {
		texts[i], classes[i] = "ACGT", []string{"a", "b", "b"}[i%3]
	}
	ds := must.Get(FromRows(Rows{Sequences: texts, Classes: classes}))(t)
	blocked := ds.GroupedInBlocks(5)
	for i, g := range blocked.Groups {
		if g != int32(i/12) {
			t.Fatalf("row %d of 60 is in block %d of 5", i, g)
		}
	}
	if ds.Groups != nil {
		t.Error("the rows themselves have groups")
	}
	rest, held, err := HoldOut(blocked, 0.2, 1)
	must.OK(t, err)
	must.Equal(t, held.N(), 12)
	must.Equal(t, held.ClassCounts(), []int{4, 8})
	if slices.Contains(rest.Groups, held.Groups[0]) {
		t.Errorf("block %d is held out and among the rest", held.Groups[0])
	}
	if ds.GroupedInBlocks(41) != ds {
		t.Error("there are blocks without rows")
	}
	ds.Groups = make([]int32, 60)
	if ds.GroupedInBlocks(5) != ds {
		t.Error("groups became blocks")
	}
	ds.Groups, ds.Times = nil, make([]float64, 60)
	if ds.GroupedInBlocks(5) != ds {
		t.Error("times became blocks")
	}
	table := must.Get(FromRows(Rows{Inputs: [][]float64{{1}, {2}}, Values: []float64{1, 2}}))(t)
	if table.GroupedInBlocks(2) != table {
		t.Error("a table has blocks")
	}
}
