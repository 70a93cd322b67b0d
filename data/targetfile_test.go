package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data/cellformat"
	_ "github.com/gpdrf/gpdrf-gpu/data/columnar"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
	"github.com/gpdrf/gpdrf-gpu/internal/tablefile"
)

// What a data set says about its target reads it again, since a run's config.yaml says it: also where no column has a
// name.
func TestOwnTarget(t *testing.T) {
	x, y := npy("<f8", "4, 2", []float64{1, 2, 3, 4, 5, 6, 7, 9}), npy("<f8", "4, 2", []float64{1, 0, 0, 1, 0, 2, 1, 3})
	t.Chdir(folderOf(t, map[string]string{
		"head.csv": "a,b,c\n1,2,0\n3,4,1\n5,6,0\n7,9,1\n", "bare.csv": "1,2,0\n3,4,1\n5,6,0\n7,9,1\n",
		"rows.svm": "1 1:2\n-1 2:1\n1 1:3\n-1 2:4\n",
		"images":   idx(pixels(24), 4, 2, 3), "labels": idx([]byte{1, 0, 1, 0}, 4),
		"table.npy": npy("<f8", "4, 3", []float64{1, 2, 0, 3, 4, 1, 5, 6, 0, 7, 9, 1}),
		"x.npy":     x, "y.npy": y, "answers.npy": npy("<i8", "4,", []int64{1, 0, 1, 0}),
		"a.npz": zipOf("x.npy", x, "y.npy", y), "seq.fasta": ">a\nAC\n>b\nCC\n>a\nAA\n>b\nCA\n",
	}))
	for _, c := range []struct{ file, asked, labels, target string }{
		{"head.csv", "", "", "c"}, {"head.csv", "3,1", "", "c,a"}, {"bare.csv", "", "", "x2"},
		{"bare.csv", "1,3", "", "x0,x2"},
		{"rows.svm", "", "", "label"}, {"images", "", "labels", "label"}, {"seq.fasta", "", "", "class"},
		{"table.npy", "", "", "x2"}, {"table.npy", "3,1", "", "x2,x0"}, {"x.npy", "", "", "y0,y1"},
		{"x.npy", "", "answers.npy", "label"}, {"a.npz", "", "", "y0,y1"},
	} {
		first, _, err := ReadFile(c.file, ReadOptions{Target: c.asked, Labels: c.labels})
		if err != nil || first.Target != c.target {
			t.Errorf("%s: %+v, %v", c.file, first, err)
			continue
		}
		again, _, err := ReadFile(c.file, ReadOptions{Target: first.Target, Task: string(first.Task), Labels: c.labels})
		if err != nil || again.Fingerprint != first.Fingerprint || again.Target != first.Target ||
			!slices.Equal(again.Outputs(), first.Outputs()) {
			t.Errorf("%s again: %+v, %v", c.file, again, err)
		}
	}
	for _, c := range []struct{ file, asked, labels, want string }{
		{"rows.svm", "y", "",
			`rows.svm: is a LIBSVM file: its target is the first number of each line: leave the target column "y" ` +
				`out; the name here is label`},
		{"images", "y0,y1", "labels", "labels: holds 1 target per row: leave the target column"},
		{"x.npy", "2", "", "x.npy: is an array of inputs, and its targets are in another file"},
		{"x.npy", "y0,y1,y2", "",
			`y.npy: holds 2 targets per row: leave the target column "y0,y1,y2" out; the name here is y0,y1`},
		{"a.npz", "label", "", `a.npz(y.npy): holds 2 targets per row: leave the target column "label" out`},
		{"table.npy", "x3", "", `table.npy: has no column "x3" to be the target`},
	} {
		if _, _, err := ReadFile(c.file, ReadOptions{Target: c.asked, Labels: c.labels}); err == nil ||
			!strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s, %s: %v", c.file, c.asked, err)
		}
	}
}

// cellsOf returns lines of a table with a column of numbers, one of texts where there are any, and one of targets
// unless they are nil.
func cellsOf(y, texts []string, separator string, names bool) string {
	var b strings.Builder
	line := func(number, text, target string) {
		cells := []string{number}
		if texts != nil {
			cells = append(cells, text)
		}
		if y != nil {
			cells = append(cells, target)
		}
		b.WriteString(strings.Join(cells, separator) + "\n")
	}
	if names {
		line("a", "dna", "y")
	}
	for i := range 4 {
		text, target := "", ""
		if texts != nil {
			text = texts[i]
		}
		if y != nil {
			target = y[i]
		}
		line(strconv.Itoa(i)+".5", text, target)
	}
	return b.String()
}

// columnsOf returns a Parquet or an Arrow file of the same.
func columnsOf(t *testing.T, y []string,
	begin func(w io.Writer, columns []tablefile.Column) (tablefile.Writer, error)) string {
	var b bytes.Buffer
	columns := []tablefile.Column{{Name: "a"}}
	if y != nil {
		columns = append(columns, tablefile.Column{Name: "y", Text: true})
	}
	w := must.Get(begin(&b, columns))(t)
	for i := range 4 {
		w.Number(float64(i) + 0.5)
		if y != nil && y[i] == "" {
			w.Missing()
		} else if y != nil {
			w.Text(y[i])
		}
		must.OK(t, w.EndRow())
	}
	must.OK(t, w.Close())
	return b.String()
}

// each writes four lines.
func each(line func(i int) string) string {
	return line(0) + line(1) + line(2) + line(3)
}

// at returns a target, with something before it, unless it is empty.
func at(y []string, i int, before string) string {
	if y == nil || y[i] == "" {
		return ""
	}
	return before + y[i]
}

func molOf(y []string, i int) string {
	block := "m\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n" +
		"    0.0000    0.0000    0.0000 C   0  0\n    1.0000    0.0000    0.0000 O   0  0\n  1  2  1  0\nM  END\n"
	if y != nil && y[i] != "" {
		block += "> <y>\n" + y[i] + "\n\n"
	}
	return block + "$$$$\n"
}

func floatsOf(y []string) (v []float64) {
	for _, text := range y {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			f = math.NaN()
		}
		v = append(v, f)
	}
	return v
}

// unneededForms write four rows with the targets y, where "" is a row without one, and nil is a file without any.
func unneededForms(t *testing.T) map[string]func(y []string) string {
	dna := []string{"ACGT", "AACC", "GGTT", "TTTT"}
	file := func(text string) string { return write(t, "rows", text) }
	files := must.Get(tablefile.Linked())(t)
	x := npy("<f8", "4, 2", []float64{1, 2, 3, 4, 5, 6, 7, 8})
	return map[string]func(y []string) string{
		"CSV":       func(y []string) string { return file(cellsOf(y, nil, ",", true)) },
		"TSV":       func(y []string) string { return file(cellsOf(y, nil, "\t", true)) },
		"no header": func(y []string) string { return file(cellsOf(y, nil, ",", false)) },
		"sequence":  func(y []string) string { return file(cellsOf(y, dna, ",", true)) },
		"ARFF": func(y []string) string {
			head := "@relation r\n@attribute a numeric\n"
			if y != nil {
				head += "@attribute y string\n"
			}
			return file(head + "@data\n" + cellsOf(y, nil, ",", false))
		},
		"Parquet": func(y []string) string { return file(columnsOf(t, y, files.NewParquet)) },
		"Arrow":   func(y []string) string { return file(columnsOf(t, y, files.NewArrow)) },
		"JSON lines": func(y []string) string {
			return file(each(func(i int) string {
				row := fmt.Sprintf(`{"a": %d.5`, i)
				if y != nil && y[i] != "" {
					row += `, "y": "` + y[i] + `"`
				}
				return row + "}\n"
			}))
		},
		"LIBSVM": func(y []string) string {
			return file(each(func(i int) string {
				return strings.TrimSpace(at(y, i, "")+fmt.Sprintf(" 1:%d.5", i)) + "\n"
			}))
		},
		"npz": func(y []string) string {
			if y == nil {
				return file(zipOf("x.npy", x))
			}
			return file(zipOf("x.npy", x, "y.npy", npy("<f8", "4,", floatsOf(y))))
		},
		"npy": func(y []string) string {
			if y == nil {
				return file(npy("<f8", "4, 1", []float64{0.5, 1.5, 2.5, 3.5}))
			}
			v := floatsOf(y)
			return file(npy("<f8", "4, 2", []float64{0.5, v[0], 1.5, v[1], 2.5, v[2], 3.5, v[3]}))
		},
		"FASTA": func(y []string) string {
			return file(each(func(i int) string { return fmt.Sprintf(">s%d%s\n%s\n", i, at(y, i, "|"), dna[i]) }))
		},
		"list": func(y []string) string {
			return file(each(func(i int) string {
				if label := at(y, i, ""); label != "" {
					return label + "\t" + dna[i] + "\n"
				}
				return dna[i] + "\n"
			}))
		},
		"SDF": func(y []string) string { return file(each(func(i int) string { return molOf(y, i) })) },
		"graphs": func(y []string) string {
			return file(each(func(i int) string {
				label := ""
				if y != nil && y[i] != "" {
					label = `, "label": "` + y[i] + `"`
				}
				return `{"nodes": ["a", "b"], "edges": [[0, 1]]` + label + "}\n"
			}))
		},
		"folder": func(y []string) string {
			files := map[string]string{"A": "1, 2\n3, 4\n5, 6\n7, 8\n", "graph_indicator": "1\n1\n2\n2\n3\n3\n4\n4\n"}
			if y != nil {
				files["graph_labels"] = strings.Join(y, "\n") + "\n"
			}
			return graphFolder(t, files)
		},
	}
}

// targetsText writes how targets came through: ? is not known.
func targetsText(d *Dataset) string {
	var words []string
	for i := range d.N() {
		switch {
		case d.Labels != nil && d.Labels[i] >= 0:
			words = append(words, d.Classes[d.Labels[i]])
		case d.Y != nil && !math.IsNaN(d.Y[i]):
			words = append(words, phrase.Number(d.Y[i]))
		default:
			words = append(words, "?")
		}
	}
	return strings.Join(words, " ")
}

// TestUnneeded reads rows to be predicted in every format: their targets never stop that. A test names the wrong one,
// and leaves out rows without one as training does.
func TestUnneeded(t *testing.T) {
	for form, write := range unneededForms(t) {
		known := []string{"0", "1", "1", "0"} // of classes
		for _, task := range []Task{Classification, Regression} {
			if task == Regression {
				known = []string{"0.5", "1.25", "2.5", "0.75"}
			}
			opt := ReadOptions{Task: string(task)}
			if form == "sequence" {
				opt.Sequence = "dna"
			}
			if form == "SDF" {
				opt.Target = "y"
			}
			trained, _, err := ReadFile(write(known), opt)
			if err != nil {
				t.Errorf("%s, %s: %v", form, task, err)
				continue
			}
			s := trained.Schema()
			for name, y := range map[string][]string{
				"as in training": known, "absent": nil,
				"first is empty":    {"", known[1], known[2], known[3]},
				"some are empty":    {known[0], "", known[2], ""},
				"new class, number": {known[0], "7", known[2], known[3]},
				"word":              {known[0], "seven", known[2], known[3]},
				"first is a word":   {"seven", known[1], known[2], known[3]},
				"all are words":     {"one", "two", "one", "two"},
				"NA":                {known[0], "NA", "nan", known[3]},
			} {
				if form == "LIBSVM" && name == "all are words" {
					continue // nothing tells that these are labels
				}
				checkUnneeded(t, fmt.Sprintf("%s, %s, %s", form, task, name), write(y), s, y)
			}
		}
	}
}

func checkUnneeded(t *testing.T, name, path string, s Schema, y []string) {
	t.Helper()
	var want []string
	bad, missing := y == nil, 0
	for i := range 4 {
		word := "?"
		if y != nil && s.isTarget(y[i]) && !strings.EqualFold(y[i], "nan") {
			word = y[i]
		}
		bad = bad || word == "?"
		if y != nil && cellformat.IsMissing(y[i]) {
			missing++
		}
		want = append(want, word)
	}
	d, notes, err := ReadFile(path, forPrediction(s, TableOptions{}, ReadControl{}))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	// all or nothing, where it is: headers of FASTA, lines of a file of targets
	none := strings.Join(slices.Repeat([]string{"?"}, 4), " ")
	all := strings.HasPrefix(name, "FASTA") || strings.HasPrefix(name, "folder") && slices.Contains(y, "")
	if strings.HasPrefix(name, "JSON lines") && y != nil && y[0] == "" {
		all = true // the first row sets the columns
	}
	if got := targetsText(d); d.N() != 4 || got != strings.Join(want, " ") && !(all && got == none) {
		t.Errorf("%s: %d rows, targets %s, want %s", name, d.N(), got, want)
	}
	if d.HasTarget() != strings.ContainsAny(targetsText(d), "0123456789") {
		t.Errorf("%s: has a target: %v", name, d.HasTarget())
	}
	if new := slices.Contains(y, "7") && s.Task == Classification; new && len(notes) == 0 {
		t.Errorf("%s: nothing is said", name)
	}
	stream, err := OpenStream(path, s, TableOptions{}, ReadControl{}, nil)
	if err != nil {
		t.Errorf("%s: streamed: %v", name, err)
		return
	}
	defer stream.Close()
	if rows, err := stream.Next(10); err != nil || rows.N() != 4 || targetsText(rows) != targetsText(d) {
		t.Errorf("%s: streamed: %v", name, err)
	}
	var e *Error
	tested, notes, err := ReadFile(path, ReadOptions{Schema: &s})
	switch left := "without a target left out"; {
	case bad && errors.As(err, &e), !bad && err == nil && tested.N() == 4:
	case missing > 0 && err == nil && tested.N() == 4-missing && strings.Contains(strings.Join(notes, "\n"), left):
	default:
		t.Errorf("%s: a test of them: %v, %s", name, err, notes)
	}
}
