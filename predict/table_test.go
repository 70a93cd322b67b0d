package predict

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"weak"

	"github.com/gpdrf/gpdrf-gpu/data"
	_ "github.com/gpdrf/gpdrf-gpu/data/columnar"
	"github.com/gpdrf/gpdrf-gpu/data/scaling"
	"github.com/gpdrf/gpdrf-gpu/internal/must"
	"github.com/gpdrf/gpdrf-gpu/model"
	"github.com/gpdrf/gpdrf-gpu/train/fitted"
)

// A single normal has closed quantiles, and everything is in the target's own units.
func TestRegressionColumns(t *testing.T) {
	const noise, mean, variance, centre, sd = 0.09, 1.5, 0.25, 450, 17
	trained := &fitted.Model{
		Schema: data.Schema{Task: data.Regression}, Targets: []scaling.TargetScale{{Mean: centre, SD: sd}},
	}
	p := &model.Prediction{S: 1, N: 1, C: 1, H: []float64{mean}, Var: []float64{variance}, Noise: []float64{noise}}
	got := rowOf(t, regressionTable(trained, p, 0, 1))
	const z95, z75 = 1.6448536269514722, 0.6744897501960817
	for column, want := range map[string]float64{
		"mean": centre + sd*mean, "sd": sd * 0.5, "var_aleatoric": sd * sd * noise,
		"var_epistemic": sd * sd * (variance - noise),
		"q05":           centre + sd*(mean-z95*0.5), "q25": centre + sd*(mean-z75*0.5), "q50": centre + sd*mean,
		"q75": centre + sd*(mean+z75*0.5), "q95": centre + sd*(mean+z95*0.5),
	} {
		v, err := strconv.ParseFloat(got[column], 64)
		if err != nil || math.Abs(v-want) > 1e-8 {
			t.Errorf("%s is %s, expected %g", column, got[column], want)
		}
	}
}

// Where each component has a noise of its own, their mean is the aleatoric part and the spread of the means the other.
func TestHeteroscedasticColumns(t *testing.T) {
	trained := &fitted.Model{Schema: data.Schema{Task: data.Regression},
		Targets: []scaling.TargetScale{{Mean: 10, SD: 2}}}
	p := &model.Prediction{S: 2, N: 1, C: 1, H: []float64{-1, 3}, Var: []float64{0.5, 1.5}}
	got := rowOf(t, regressionTable(trained, p, 0, 1))
	for column, want := range map[string]string{"mean": "12", "var_aleatoric": "4", "var_epistemic": "16"} {
		if got[column] != want {
			t.Errorf("%s is %s, expected %s", column, got[column], want)
		}
	}
}

// With draws, all columns are of the normal with their moments: the parts of the variance sum to sd², and the quantiles
// are the mean and multiples of sd.
func TestColumnsOfDraws(t *testing.T) {
	number := func(text string) float64 { return must.Get(strconv.ParseFloat(text, 64))(t) }
	for name, p := range map[string]*model.Prediction{
		"one noise":   {S: 2, N: 1, C: 1, H: []float64{-1, 3}, Var: []float64{0.5}, Noise: []float64{0.4}},
		"much noise":  {S: 2, N: 1, C: 1, H: []float64{1, 1.1}, Var: []float64{4}, Noise: []float64{4}},
		"noise of it": {S: 2, N: 1, C: 1, H: []float64{-1, 3}, Var: []float64{0.5, 1.5}},
	} {
		for seed := range uint64(20) {
			trained := &fitted.Model{Schema: data.Schema{Task: data.Regression},
				Targets: []scaling.TargetScale{{Mean: 10, SD: 2}}}
			got := rowOf(t, regressionTable(trained, p, 10, seed))
			mean, sd, noise, rest := number(got["mean"]), number(got["sd"]), number(got["var_aleatoric"]),
				number(got["var_epistemic"])
			const z95 = 1.6448536269514722
			if math.Abs(noise+rest-sd*sd) > 1e-9 {
				t.Errorf("%s: the parts %g and %g of the variance do not sum to %g²", name, noise, rest, sd)
			}
			if noise <= 0 || rest < 0 {
				t.Errorf("%s: the parts of the variance are %g and %g", name, noise, rest)
			}
			if name == "noise of it" && rest == 0 {
				t.Errorf("%s: functions that differ have no variance", name)
			}
			for column, want := range map[string]float64{"q50": mean, "q95": mean + z95*sd} {
				if q := number(got[column]); math.Abs(q-want) > 1e-9 {
					t.Errorf("%s: %s is %g, expected %g", name, column, q, want)
				}
			}
		}
	}
}

func TestClassColumns(t *testing.T) {
	trained := &fitted.Model{Schema: data.Schema{Task: data.Classification, Classes: []string{"1", "2", "3"}}}
	p := &model.Prediction{S: 1, N: 1, C: 3, H: []float64{0, math.Log(3), -1000}}
	got := rowOf(t, classTable(trained, p))
	for column, want := range map[string]float64{
		"label": 2, "p_1": 0.25, "p_2": 0.75, "p_3": 0, "entropy": -0.25*math.Log(0.25) - 0.75*math.Log(0.75),
	} {
		v, err := strconv.ParseFloat(got[column], 64)
		if err != nil || math.Abs(v-want) > 1e-12 {
			t.Errorf("%s is %s, expected %g", column, got[column], want)
		}
	}
}

// The distance of classes 1 and 2, of means 1 and 4 and variances 2 and 8: ¼ ln(¼ (¼ + 4 + 2)) + ¼·9/10. A single
// sample has none.
func TestDistanceColumn(t *testing.T) {
	trained := &fitted.Model{Schema: data.Schema{Task: data.Classification, Classes: []string{"1", "2", "3"}}}
	p := &model.Prediction{S: 2, N: 1, C: 3, H: []float64{0, 2, -1000, 2, 6, -1001}}
	got, err := strconv.ParseFloat(rowOf(t, classTable(trained, p))["bhattacharyya"], 64)
	if want := 0.25*math.Log(0.25*6.25) + 0.25*9/10; err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("distance %g, expected %g", got, want)
	}
	p.S, p.H = 1, p.H[:3]
	if got := rowOf(t, classTable(trained, p))["bhattacharyya"]; got != "" {
		t.Errorf("distance %q of a single sample", got)
	}
	var out bytes.Buffer
	if err := classTable(trained, p).Write(&out, JSONL); err != nil ||
		!bytes.Contains(out.Bytes(), []byte(`"bhattacharyya":null`)) {
		t.Errorf("%s, %v", out.String(), err)
	}
}

// rowOf writes the only row as CSV and reads it back by column.
func rowOf(t *testing.T, p *Table) map[string]string {
	t.Helper()
	var out bytes.Buffer
	must.OK(t, p.Write(&out, CSV))
	records, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(records) != 2 {
		t.Fatalf("%q, %v", records, err)
	}
	row := map[string]string{}
	for i, name := range records[0] {
		row[name] = records[1][i]
	}
	return row
}

// TestNotFinite: such a number is found in any row.
func TestNotFinite(t *testing.T) {
	for _, at := range []int{0, rowsAtOnce + 100} {
		p := &Table{Columns: []string{"x"}, Rows: at + 50, Row: func(i int, cells []Cell) []Cell {
			if i == at {
				return appendNumbers(cells, math.NaN())
			}
			return appendNumbers(cells, 0)
		}}
		for _, format := range Formats() {
			if err := p.Write(&bytes.Buffer{}, format); !errors.Is(err, ErrNotFinite) {
				t.Errorf("%s: %v", format, err)
			}
		}
	}
}

// TestRowsInOrder: rows are written in their order, by any number of threads, and by one writer after another table.
func TestRowsInOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, format := range Formats() {
		var want []byte
		for _, threads := range []int{1, 3} {
			runtime.GOMAXPROCS(threads)
			var text bytes.Buffer
			out := NewWriter(&text, format)
			for _, rows := range []int{rowsAtOnce + 65, 1, 0, rowsAtOnce} {
				table := &Table{Columns: []string{"n", "root"}, Rows: rows, Row: func(i int, cells []Cell) []Cell {
					return append(cells, Cell{Value: float64(i)}, Cell{Value: math.Sqrt(float64(i)), None: i%7 == 0})
				}}
				must.OK(t, out.Write(table))
			}
			must.OK(t, out.Close())
			if threads == 1 {
				want = text.Bytes()
			} else if !bytes.Equal(text.Bytes(), want) {
				t.Errorf("%s: %d threads write other bytes than one", format, threads)
			}
		}
		if format != CSV {
			continue
		}
		lines, n := strings.Split(strings.TrimSpace(string(want)), "\n")[1:], 0
		for _, rows := range []int{rowsAtOnce + 65, 1, rowsAtOnce} {
			for i := range rows {
				root := strconv.FormatFloat(math.Sqrt(float64(i)), 'g', -1, 64)
				if i%7 == 0 {
					root = ""
				}
				if line := fmt.Sprintf("%d,%s", i, root); n >= len(lines) || lines[n] != line {
					t.Fatalf("line %d is not %q", n+1, line)
				}
				n++
			}
		}
	}
}

// A Poisson has whole quantiles and the variance of its mean; a true count stands between the probabilities of less
// than it and of at most it.
func TestCountColumns(t *testing.T) {
	trained := &fitted.Model{Schema: data.Schema{Task: data.Regression}, Targets: []scaling.TargetScale{{SD: 1}}}
	p := &model.Prediction{S: 2, N: 1, C: 1, H: []float64{math.Log(2), math.Log(4)}, Dispersion: []float64{0, 0.5}}
	got := rowOf(t, regressionTable(trained, p, 0, 1))
	for column, want := range map[string]string{"mean": "3", "var_aleatoric": "7", "var_epistemic": "1",
		"q05": "0", "q25": "1", "q50": "2", "q75": "4", "q95": "9"} {
		v, err := strconv.ParseFloat(got[column], 64)
		w, _ := strconv.ParseFloat(want, 64)
		if err != nil || math.Abs(v-w) > 1e-9 {
			t.Errorf("%s is %s, expected %s", column, got[column], want)
		}
	}
	r := NewRegression(trained, p, 0)
	low, high := 1.0, 0.0
	for row := range 200 {
		at := r.PIT(0, row, 3, 1)
		low, high = min(low, at), max(high, at)
	}
	chance := math.Exp(r.LogDensity(0, 3))
	if high-low > chance || high-low < 0.9*chance {
		t.Errorf("a count of probability %g stands from %g to %g", chance, low, high)
	}
}

// TestNotFiniteOnce: many such numbers are one error.
func TestNotFiniteOnce(t *testing.T) {
	p := &Table{Columns: []string{"x"}, Rows: rowsAtOnce,
		Row: func(_ int, cells []Cell) []Cell { return appendNumbers(cells, math.Inf(1)) }}
	for _, format := range Formats() {
		if err := p.Write(&bytes.Buffer{}, format); err == nil || err.Error() != ErrNotFinite.Error() {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// The names of rows give way to another column that is called as theirs.
func TestAddFirst(t *testing.T) {
	p := &Table{Columns: []string{"row", "mean"}, Words: []string{"row"}, Rows: 1,
		Row: func(_ int, cells []Cell) []Cell { return append(cells, Cell{Class: "a"}, Cell{Value: 2}) }}
	p.AddFirst("row", func(int) Cell { return Cell{Value: 7} })
	must.Equal(t, rowOf(t, p), map[string]string{"row": "7", "id": "a", "mean": "2"})
	must.Equal(t, p.Words, []string{"id"})
}

// A table of classes holds their probabilities, and not the logits of all samples.
func TestClassTableLetsGo(t *testing.T) {
	trained := &fitted.Model{Schema: data.Schema{Task: data.Classification, Classes: []string{"no", "yes"}}}
	p := &model.Prediction{S: 1 << 10, N: 1, C: 2, H: make([]float64, 1<<11)}
	logits := weak.Make(&p.H[0])
	table := classTable(trained, p)
	runtime.GC()
	if logits.Value() != nil {
		t.Error("the logits are held")
	}
	if got := rowOf(t, table)["p_yes"]; got != "0.5" {
		t.Errorf("p_yes is %s", got)
	}
}
