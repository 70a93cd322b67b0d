package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpdrf/gpdrf-gpu/data/matrix"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/internal/phrase"
)

// columnOf returns a table of a column x of these cells beside others, with a separator.
func columnOf(separator, other string, cells ...string) string {
	rows := []string{strings.Join([]string{"x", "b", "y"}, separator)}
	for i, cell := range cells {
		if strings.Contains(cell, separator) {
			cell = `"` + cell + `"`
		}
		rows = append(rows, strings.Join([]string{cell, other, fmt.Sprint(40*i*i + 7)}, separator))
	}
	return strings.Join(rows, "\n") + "\n"
}

// Numbers of a column that are all written in one way are read, by themselves.
func TestNotations(t *testing.T) {
	const unclear = `found "14,510" in column "x": the comma may stand before thousands or before decimals`
	for _, c := range []struct {
		separator, other, cells, options, want string
	}{
		{"\t", "1", "1,299.50|950|234,567", "", `[1299.5 950 234567] "1,299.50" is 1299.5`},
		{"\t", "1", "1,161,778|950|7", "", `[1.161778e+06 950 7] column "x" is read as numbers: ` +
			`"1,161,778" is 1161778`},
		{"\t", "0.5", "1.299,99|12,5|3", "", "[1299.99 12.5 3]"},
		{";", "1", "1.299,99|12,5|1.000", "", "[1299.99 12.5 1000]"},
		{";", "0,5", "1.299|2.500|3", "", `[1299 2500 3] column "x" is read as numbers: "1.299" is 1299`},
		{"\t", "1", "1 299,5|1\u00a0000|7", "", "[1299.5 1000 7]"},
		{"\t", "1", "1’299|12'000|7", "", "[1299 12000 7]"},
		{"\t", "1", "(1.23)|4.5|−6", "", "[-1.23 4.5 -6]"},
		{"\t", "1", "12 %|3.5%|-1 %", "", `[12 3.5 -1] "3.5%" is 3.5, with the unit "%"`},
		{",", "1", "$1,200|-$5|$17.25", "", `[1200 -5 17.25] "$1,200" is 1200, with the unit "$"`},
		{",", "1", "USD 1,200|-USD 5|17.25 USD", "", `[1200 -5 17.25] "USD 1,200" is 1200, with the unit "USD"`},
		{",", "1", "CHF 3'821.24|CHF\u00a0-7|CHF 1", "", "[3821.24 -7 1]"},
		{",", "1", "ABC-1|ABC-2|ABC-2", "", "x=ABC-1 x=ABC-2 b"}, // names
		{",", "1", "5 kg|7.25kg|  1,100 kg", "", `[5 7.25 1100] "7.25kg" is 7.25, with the unit "kg"`},
		{",", "1", "14,510|2,100|7", "", "[14510 2100 7]"}, // the comma parts cells
		{"\t", "0.5", "14,510|2,100|7", "", "[14510 2100 7]"},
		{"\t", "0,5", "14,510|2,100|7", "", "[14.51 2.1 7]"},
		{"\t", "1", "14,510|2,100|7", "", unclear},
		{"\t", "1", "14,510|2,100|7", ",", "[14510 2100 7]"},
		{"\t", "1", "14,510|2,100|7", "none", "[14.51 2.1 7]"},
		{"\t", "1", "14,510|2,100|7", "space", "[14.51 2.1 7]"},
		{"\t", "1", "14.510|2.100|7", ".", "[14510 2100 7]"},
		{"\t", "1", "14.510|2.100|7", "", "[14.51 2.1 7]"},
		{"\t", "1", "€1.200|€2.500|€3", "", "the point may stand before thousands or before decimals"},
		{"\t", "1", "5 kg|700 g|3 kg", "", `a number with the unit "kg"`},
		{"\t", "1", "5 kg|7|3 kg", "", `found "5 kg"`},
		{"\t", "1", "1,299.5|1 299.5|7", "", `found "1,299.5"`},
		{"\t", "1", "1.5 m/s2|2 m/s2|3 m/s2", "", "[1.5 2 3]"},
		{"\t", "1", "1.5e3 kg|2e3 kg|3e3 kg", "", "x=1.5e3 kg"},
		{"\t", "1", "1.2.3|1.2.4|1.2.3", "", "x=1.2.3 x=1.2.4 b"},
		{"\t", "1", "2wd|4wd|4wd", "", "x=2wd x=4wd b"},
		{"\t", "1", "01A|02A|02A", "", "x=01A x=02A b"}, // codes
		{"\t", "1", "(1)|(2)|(2)", "", "x=(1) x=(2) b"}, // names
		{"\t", "1", "(1.00)|(2.50)|(3)", "", "[-1 -2.5 -3]"},
		{";", "1", "(1,00)|(2,50)|(3)", "", "[-1 -2.5 -3]"},
		{"\t", "1", "0.3-|4.5|1,200−", "", `[-0.3 4.5 -1200] "0.3-" is -0.3`},
		{";", "1", "1.200,50-|4,5|0-", "", "[-1200.5 4.5 0]"},
		{"\t", "1", "2019|2020-|2021", "", `t.csv:3:1: found "2020-" in column "x", and no other number has its minus`},
		{"\t", "1", "1-|2-|2-", "", "x=1- x=2- b"},   // names
		{"\t", "1", "01|02-|01", "", "x=01 x=02- b"}, // codes
		{"\t", "1", "(1-)|2|2", "", "x=(1-) x=2 b"},
		{"\t", "1", "-1-|2|2", "", "x=-1- x=2 b"},
		{"\t", "1", "(0)|(2)|3", "", "[0 -2 3]"},
	} {
		opt := ReadOptions{Task: "regression", TableOptions: TableOptions{Dialect: Dialect{Thousands: c.options}}}
		ds, notes, err := readText(columnOf(c.separator, c.other, strings.Split(c.cells, "|")...), opt)
		got := fmt.Sprint(err)
		if err == nil {
			first := matrix.Column(make([]float64, 3), ds.X, 0)
			got = fmt.Sprintln(first, strings.Join(append(ds.Columns, notes...), " "))
		}
		for _, part := range strings.SplitAfterN(c.want, "] ", 2) {
			if !strings.Contains(got, strings.TrimSpace(part)) {
				t.Errorf("%q: %s, expected %s", c.cells, got, c.want)
			}
		}
	}
	const years = "x\ty\n1\t2019.5\n2\t2020-\n3\t2021\n"
	_, _, err := readText(years, ReadOptions{})
	wantError(t, years, err, strings.HasPrefix,
		`t.csv:3:3: found "2020-" in the target column "y", and no other number`)
	ds := dataset(readText(years, ReadOptions{Task: "classification"}))(t)
	must.Equal(t, fmt.Sprint(ds.Classes), "[2019.5 2020- 2021]")
	for _, d := range []Dialect{
		{Thousands: "x"}, {Thousands: ",", Decimal: "comma"}, {Thousands: ".", Decimal: "point"},
	} {
		if _, _, err := readText(small, ReadOptions{TableOptions: TableOptions{Dialect: d}}); err == nil {
			t.Errorf("%+v was taken", d)
		}
	}
}

// A point before three digits is a decimal one with a warning if it may stand before thousands.
func TestHiddenThousands(t *testing.T) {
	const whole, points = "3|57|920|941|977|", "1.005|1.130|2.000|15.250|120.375"
	for cells, doubtful := range map[string]bool{
		whole + points: true, whole + "-" + points: true, "1|1|1|2|2|" + points: false, whole + points + "|1200": false,
		whole + points + "|0.125": false, whole + points + "|1.5": false, whole + points + "|1.0625": false,
		points: false, "1.005|2|3.125": false,
	} {
		for other, open := range map[string]bool{"1": true, "0.5": false} {
			_, notes, err := readText(columnOf(";", other, strings.Split(cells, "|")...), ReadOptions{})
			must.OK(t, err)
			told := strings.Contains(fmt.Sprint(notes), `in column "x" as decimals, and its other cells are whole`)
			if told != (doubtful && open) {
				t.Errorf("%s beside %s: %q", cells, other, notes)
			}
		}
	}
}

// A model keeps the notation of inputs and targets. Other rows are read by it, in any format; what is a number in its
// format is read as it is.
func TestNotationOfOtherRows(t *testing.T) {
	ds := dataset(readText("x;w;y\n1.299,5;5 kg;$1.200\n12,5;6 kg;$2,5\n7;8.000 kg;$3\n", ReadOptions{}))(t)
	must.Equal(t, fmt.Sprint(ds.X.Float64s(), ds.Y), "[1299.5 5 12.5 6 7 8000] [1200 2.5 3]")
	like := throughJSON(t, ds)
	for text, want := range map[string]string{
		"w;x;y\n9 kg;1.299;$1.000\n":                      "[1299 9] [1000]",
		"w;x;y\n9 kg;1.299;?\n":                           "[1299 9] []",
		`{"x": 1.299, "w": 9.5, "y": 7}` + "\n":           "[1.299 9.5] [7]",
		`{"x": "1.299,5", "w": "9 kg", "y": "$7"}` + "\n": "[1299.5 9] [7]",
		"w;x\n9;1.299\n":                                  `t.csv:2:1: found "9" in column "w": it lacks the unit "kg"`,
		"w;x\n9 lb;1.299\n":                               `t.csv:2:1: found "9 lb" in column "w"`,
		"w;x\n9 kg;1.29\n":                                `t.csv:2:6: found "1.29" in column "x"`,
		"w,x\n9 kg,1.299\n":                               `t.csv:2:6: found "1.299" in column "x"`,
		"w;x\n9 kg;-\n":                                   `t.csv:2:6: found "-", a missing value`,
		`{"x": "12.5", "w": "9 kg", "y": "$7"}` + "\n":    `t.csv:1:5: found "12.5" in column "x"`,
		`{"x": 1, "w": "9 kg", "y": "7"}` + "\n":          "[1 9] []",
	} {
		got, _, err := readText(text, ReadOptions{Schema: like, TargetOptional: true})
		said := fmt.Sprint(err)
		if err == nil {
			said = fmt.Sprint(got.X.Float64s(), got.Y)
		}
		if !strings.HasPrefix(said, want) {
			t.Errorf("%s: %s, expected %s", text, said, want)
		}
	}
	for column, example := range map[string]string{"x": "1.007,5", "w": "1.007,5 kg", "y": "1.007,5 $"} {
		must.Contain(t, like.notations()[column].like("7.5"), phrase.Quote(example))
	}
	for cell, want := range map[string]string{"1.299,5": "1299.5", like.notations()["x"].Written("1.299"): "1.299",
		like.notations()["x"].Written("5e-05"): "5e-05"} {
		got, err := like.Rows(Request{N: 1, Texts: map[string][]string{"x": {cell}, "w": {"9 kg"}}})
		if err != nil || fmt.Sprint(got.X.Float64s()) != "["+want+" 9]" {
			t.Errorf("%s: %v, %v", cell, got, err)
		}
	}
	if _, err := like.Rows(Request{N: 1, Texts: map[string][]string{"x": {"1.2"}, "w": {"9 kg"}}}); err == nil {
		t.Error("1.2 is not written as in training")
	}
}
