package data

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// pathRow is a row of a file. Of a table, it has a number, a word and a target; of others, a word that is a sequence,
// and a target.
type pathRow struct{ number, word, target string }

// path is a format, and how to write rows in it.
type path struct {
	name     string
	rows     []pathRow // that have no fault
	unknown  string    // a word that these lack
	bad      pathRow   // a row that cannot be read
	sequence string    // as ReadOptions.Sequence
	write    func(t *testing.T, rows []pathRow) string
}

// tablePath returns a format of tables.
func tablePath(name string, write func(t *testing.T, rows []pathRow) string) path {
	rows := []pathRow{{"1.5", "u", "0.5"}, {"2.5", "v", "1.5"}, {"4.5", "u", "2.5"}, {"3.5", "v", "1.25"}}
	return path{name: name, rows: rows,
		unknown: "w", bad: pathRow{"1.5,7", "u", "1"}, write: write}
}

// eachRow writes a head, and each row in a form.
func eachRow(head, form string) func(t *testing.T, rows []pathRow) string {
	return func(t *testing.T, rows []pathRow) string {
		text := head
		for _, r := range rows {
			text += strings.NewReplacer("NUMBER", r.number, "WORD", r.word, "TARGET", r.target).Replace(form)
		}
		return text
	}
}

// typedPath writes a Parquet or an Arrow file.
func typedPath(begin func(io.Writer, []tablefile.Column) (tablefile.Writer, error)) func(*testing.T, []pathRow) string {
	return func(t *testing.T, rows []pathRow) string {
		var b strings.Builder
		isNumber := true
		for _, r := range rows {
			_, err := cellformat.ParseNumber(r.number)
			isNumber = isNumber && (err == nil || r.number == "")
		}
		w := must.Get(begin(&b, []tablefile.Column{{Name: "a", Text: !isNumber}, {Name: "kind", Text: true},
			{Name: "y"}}))(t)
		number := func(cell string) {
			if cell == "" {
				w.Missing()
			} else {
				v, _ := cellformat.ParseNumber(cell)
				w.Number(v)
			}
		}
		for _, r := range rows {
			if isNumber {
				number(r.number)
			} else {
				w.Text(r.number)
			}
			w.Text(r.word)
			number(r.target)
			must.OK(t, w.EndRow())
		}
		must.OK(t, w.Close())
		return b.String()
	}
}

// npzPath writes an archive of one column and targets.
func npzPath(t *testing.T, rows []pathRow) string {
	x, y := []float64{}, []float64{}
	descr, bools := "<f8", []bool{}
	for _, r := range rows {
		if v, ok := cellformat.Boolean(r.number); ok {
			descr = "|b1"
			bools = append(bools, v == 1)
		}
		for _, cell := range []struct {
			to   *[]float64
			text string
		}{{&x, r.number}, {&y, r.target}} {
			v, err := cellformat.ParseNumber(cell.text)
			if err != nil {
				v = math.NaN()
			}
			*cell.to = append(*cell.to, v)
		}
	}
	var values any = x
	if len(bools) == len(rows) {
		values = bools
	} else if strings.HasPrefix(rows[0].number, "2024") {
		descr = "<M8[D]"
	}
	n := len(rows)
	return zipOf("x.npy", npy(descr, fmt.Sprintf("%d, 1", n), values), "y.npy", npy("<f8", fmt.Sprintf("%d,", n), y))
}

// paths returns the rows of the table.
func paths() []path {
	library, _ := tablefile.Linked()
	words := []pathRow{{"", "ACGT", "p"}, {"", "ACCA", "n"}, {"", "GGT", "p"}, {"", "TTGACA", "n"}}
	molecules := []pathRow{{"", "CCO", "p"}, {"", "CCC", "n"}, {"", "CO", "p"}, {"", "COC", "n"}}
	elements := []pathRow{{"", "C", "p"}, {"", "O", "n"}, {"", "C", "p"}, {"", "O", "n"}}
	return []path{
		tablePath("CSV", eachRow("a,kind,y\n", "NUMBER,WORD,TARGET\n")),
		tablePath("JSON lines", func(t *testing.T, rows []pathRow) string {
			text := eachRow("", `{"a": NUMBER, "kind": "WORD", "y": TARGET}`+"\n")(t, rows)
			return strings.NewReplacer(": ,", ": null,", ": }", ": null}", "2024-05-06", `"2024-05-06"`).Replace(text)
		}),
		tablePath("Parquet", typedPath(library.NewParquet)),
		tablePath("Arrow", typedPath(library.NewArrow)),
		tablePath("ARFF", func(t *testing.T, rows []pathRow) string {
			kind := "numeric"
			for _, r := range rows {
				if _, ok := cellformat.Boolean(r.number); ok {
					kind = "{true, false}"
				} else if strings.HasPrefix(r.number, "2024") {
					kind = "date yyyy-MM-dd"
				}
			}
			head := "@relation r\n@attribute a " + kind + "\n@attribute kind {u, v}\n@attribute y numeric\n@data\n"
			return strings.ReplaceAll(eachRow(head, "NUMBER,WORD,TARGET\n")(t, rows), ",\n", ",?\n")
		}),
		{name: "npz", rows: []pathRow{{"1.5", "", "0.5"}, {"2.5", "", "1.5"}, {"4.5", "", "2.5"}},
			bad: pathRow{"inf", "", "1"}, write: npzPath},
		{name: "list", rows: words, unknown: "ACXZZZZT", bad: pathRow{"", "AC", ">p"},
			write: eachRow("", "TARGET\tWORD\n")},
		{name: "FASTA", rows: words, unknown: "ACXZZZZT", bad: pathRow{"", "AC\tC", "p"},
			write: eachRow("", ">TARGET\nWORD\n")},
		{name: "SDF", rows: elements, unknown: "Xe", bad: pathRow{"z", "C", "p"}, write: eachRow("",
			"\n\n\n  1NUMBER  0  0  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 WORD 0  0\n"+
				"M  END\n> <target>\nTARGET\n\n$$$$\n")},
		{name: "SMILES column", rows: molecules, unknown: "CN", bad: pathRow{"", "C((", "p"}, sequence: "smiles",
			write: eachRow("smiles,target\n", "WORD,TARGET\n")},
		{name: "graphs in JSON", rows: elements, unknown: "Xe", bad: pathRow{"", `C""`, "p"},
			write: eachRow("", `{"nodes": ["WORD", "O"], "edges": [[0, 1]], "label": "TARGET"}`+"\n")},
	}
}

// columnar are a Parquet and an Arrow file of pyarrow, with columns of other types than ours write.
var columnar = map[string]string{"Parquet": "houses.parquet", "Arrow": "houses.arrow"}

// read tells what becomes of the last of some rows.
func (p path) read(t *testing.T, text string, n int, opt ReadOptions) string {
	if opt.Schema == nil {
		opt.Sequence = p.sequence
	}
	ds, notes, err := ReadFile(write(t, "t", text), opt)
	said := strings.Join(notes, "\n")
	switch {
	case err != nil:
		return "error"
	case ds.N() < n && strings.Contains(said, "left out"):
		return "left out"
	case strings.Contains(said, "not in the training data"), strings.Contains(said, "have no target"),
		strings.Contains(said, "classes are ignored"):
		return "noted"
	}
	return "an input"
}

// faulty returns the rows with a case of the table's columns, the last of them with a fault.
func (p path) faulty(fault string) []pathRow {
	rows := slices.Clone(p.rows)
	row := rows[0]
	switch fault {
	case "a missing cell":
		if row.number == "" {
			row.word = ""
		}
		row.number = ""
	case "a boolean":
		for i := range rows {
			rows[i].number = []string{"true", "false"}[i%2]
		}
		row.number = "true"
	case "a date":
		for i := range rows {
			rows[i].number = "2024-05-06"
		}
		row.number = "2024-05-06"
	case "an unknown category":
		row.word = p.unknown
	case "a missing target":
		row.target = ""
	case "a bad row":
		row = p.bad
	}
	return append(rows, row)
}

// outcome tells what train, predict and eval make of a fault, as the table writes it: what train does, and what the
// others do where they differ. A category can only be unknown after training.
func (p path) outcome(t *testing.T, fault string) string {
	rows := p.faulty(fault)
	text, n := p.write(t, rows), len(rows)
	train := p.read(t, text, n, ReadOptions{})
	good := p.write(t, p.rows)
	if fault == "a boolean" || fault == "a date" && train != "error" {
		good = text
	}
	ds, _, err := ReadFile(write(t, "t", good), ReadOptions{Sequence: p.sequence})
	if err != nil {
		t.Fatal(p.name, err)
	}
	like := ds.Schema()
	predict := p.read(t, text, n, ReadOptions{Schema: &like, TargetOptional: true})
	eval := p.read(t, text, n, ReadOptions{Schema: &like})
	switch {
	case fault == "an unknown category" && predict == eval:
		return predict
	case train == predict && train == eval:
		return train
	case predict == eval:
		return train + "; others: " + predict
	case train == eval:
		return train + "; predict: " + predict
	}
	return train + "; predict: " + predict + "; eval: " + eval
}

// The table of docs/data.md is what the program does.
func TestPaths(t *testing.T) {
	page := must.Get(os.ReadFile("../docs/data.md"))(t)
	cells := func(line string) (all []string) {
		for _, cell := range strings.Split(strings.Trim(line, "| "), "|") {
			all = append(all, strings.TrimSpace(cell))
		}
		return all
	}
	table, typed := map[string][]string{}, map[string][]string{}
	_, rest, _ := strings.Cut(string(page), "| in | a missing cell |")
	head, rest, _ := strings.Cut("| in | a missing cell |"+rest, "\n")
	for _, line := range strings.Split(rest, "\n")[1:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		row := cells(line)
		table[row[0]], typed[row[0]] = row[1:], row[1:]
	}
	for _, p := range paths() {
		faults := cells(head)[1:]
		if len(table[p.name]) != len(faults) {
			t.Errorf("%s: %q", p.name, table[p.name])
			continue
		}
		for i, fault := range faults {
			got, want := "not applicable", table[p.name][i]
			if !p.lacks(fault) {
				got = p.outcome(t, fault)
			}
			if got != want {
				t.Errorf("%s, %s: %s, and the table has %s", p.name, fault, got, want)
			}
		}
		delete(table, p.name)
	}
	for name, file := range columnar {
		for column, fault := range map[string]int{"garden": 1, "built": 2} {
			opt := ReadOptions{Target: "price", TableOptions: TableOptions{Missing: MissingImpute,
				Ignore: strings.ReplaceAll("area,rooms,kind,sold,garden,built", ","+column, "")}}
			got := "an input"
			if _, _, err := ReadFile("columnar/testdata/"+file, opt); err != nil {
				got = "error"
			}
			if typed[name][fault] != got {
				t.Errorf("%s, column %s: %s, and the table has %s", name, column, got, typed[name][fault])
			}
		}
	}
	delete(table, "serve") // has a test of its own, as Python has
	delete(table, "Python")
	if len(table) > 0 {
		t.Errorf("paths that are not tried: %v", table)
	}
}

// lacks: the format cannot hold such a fault.
func (p path) lacks(fault string) bool {
	number := p.rows[0].number != ""
	switch fault {
	case "a boolean", "a date":
		return !number
	case "a bad row":
		return columnar[p.name] != ""
	case "an unknown category":
		return p.unknown == ""
	case "a missing cell":
		return !number && (p.name == "SDF" || p.name == "graphs in JSON")
	}
	return false
}
